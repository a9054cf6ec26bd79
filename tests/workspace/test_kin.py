from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from agentmem.workspace.kin import Kin, Process, from_ps

LISTING = """\
    1     0     1 Ss   /sbin/launchd
  501     1   501 S    /bin/bash -c x HOME=/h AGENTMEM_CALL=77.8 PATH=/bin
  502   501   501 Z    (sleep)
  503     1   503 S+   sleep 60
garbage
  504   503   503 S
"""


def test_what_ps_prints_is_read() -> None:
    assert list(from_ps(LISTING, b"77.8")) == [
        Process(1, 0, 1, 0, 0, False),
        Process(501, 1, 501, 0, 0, True),
        Process(503, 1, 503, 0, 0, False),
        Process(504, 503, 503, 0, 0, False),
    ]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_child_born_late_in_a_session_that_kin_made() -> None:
    """Its parent cleared the environment and is gone when the child is looked for."""
    script = "exec 3<&0; setsid env -i sh -c 'echo; read x <&3; sleep 60 & exit' & exec 1>&-; wait"
    leader = subprocess.Popen(
        ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert leader.stdout is not None and leader.stdin is not None
    try:
        leader.stdout.read(1)
        kin = Kin(leader.pid, "mark-of-another-test")
        assert len(kin.alive()) == 2
        leader.stdin.write(b"\n")
        leader.stdin.close()
        leader.wait(5)
        assert len(kin.alive()) == 1
        kin.signal(signal.SIGKILL)
        end = time.monotonic() + 5
        while kin.alive() and time.monotonic() < end:
            time.sleep(0.01)
        assert kin.alive() == ()
    finally:
        leader.stdout.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_kin_by_mark_and_descent_but_no_strangers() -> None:
    stranger = subprocess.Popen(["sleep", "60"])
    marked = subprocess.Popen(["sleep", "60"], env={"AGENTMEM_CALL": "mark-of-a-test"}, start_new_session=True)
    leader = subprocess.Popen(
        ["sh", "-c", "setsid env -i sleep 60 & echo; wait"], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert leader.stdout is not None
        leader.stdout.read(1)
        kin = Kin(leader.pid, "mark-of-a-test")
        alive = kin.alive()
        assert len(alive) == 3
        assert {marked.pid, leader.pid} < set(alive)
        kin.signal(signal.SIGKILL)
        assert leader.wait(5) == -9
        assert marked.wait(5) == -9
        assert stranger.poll() is None
        kin.reap()
        assert os.getpid() not in kin.alive()
    finally:
        stranger.kill()
        stranger.wait()
        if leader.stdout is not None:
            leader.stdout.close()
