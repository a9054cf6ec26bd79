from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentmem.domain.cancel import Cancel
from agentmem.workspace.process import MARK, Command, Ended, run

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="escaped processes are found by /proc")

ENV = {"PATH": os.environ["PATH"]}

DAEMON = """
import os, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
for number in (0, 1, 2):
    os.close(number)
with open(sys.argv[1], "w") as file:
    file.write(str(os.getpid()))
time.sleep(60)
"""


class Taken:
    """A sink that keeps what it is given, until it has `most` bytes."""

    def __init__(self, most: int | None = None) -> None:
        self.data = b""
        self.most = most

    def __call__(self, piece: bytes) -> bool:
        self.data += piece
        return self.most is not None and len(self.data) >= self.most


def command(script: str, cwd: Path, limit: float = 20.0, **env: str) -> Command:
    return Command(("/bin/sh", "-c", script), cwd, {**ENV, **env}, limit)


def sh(script: str, cwd: Path, limit: float = 20.0) -> tuple[Ended, bytes]:
    taken = Taken()
    return run(command(script, cwd, limit), Cancel(), taken), taken.data


def lives(pid: int) -> bool:
    said = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return said.stdout.strip()[:1] not in ("", "Z")


def until(true: Callable[[], bool], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.01)
    return False


def pids(folder: Path) -> list[int]:
    return [int(file.read_text()) for file in folder.glob("*.pid")]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder; processes that a test names in its `*.pid` files are ended after it."""
    yield tmp_path
    for pid in pids(tmp_path):
        with contextlib.suppress(ProcessLookupError):
            group = os.getpgid(pid)
            assert group != os.getpgid(0)
            os.killpg(group, signal.SIGKILL)


def test_both_outputs_come_in_order_and_the_code_is_kept(tmp_path: Path) -> None:
    ended, data = sh("echo one; echo two >&2; pwd; exit 3", tmp_path)
    assert (ended.how, ended.code, ended.left) == ("exit", 3, ())
    assert data == f"one\ntwo\n{tmp_path}\n".encode()


def test_errors_come_apart_when_asked(tmp_path: Path) -> None:
    out, err = Taken(), Taken()
    assert run(command("echo one; echo two >&2", tmp_path), Cancel(), out, err).code == 0
    assert (out.data, err.data) == (b"one\n", b"two\n")


def test_a_signal_is_a_negative_code(tmp_path: Path) -> None:
    assert sh("kill -SEGV $$", tmp_path)[0].code == -11


def test_input_is_empty_and_there_is_no_terminal(tmp_path: Path) -> None:
    ended, data = sh("cat; (echo to the terminal >/dev/tty) 2>/dev/null || echo none", tmp_path)
    assert (ended.code, data) == (0, b"none\n")


def test_no_descriptor_of_the_harness_is_passed_on(tmp_path: Path) -> None:
    with open(tmp_path / "secret", "w") as file:
        os.set_inheritable(file.fileno(), True)
        assert sh(f"(echo x >&{file.fileno()}) 2>/dev/null || echo closed", tmp_path)[1] == b"closed\n"


def test_output_after_its_pipe_was_closed_is_waited_for(tmp_path: Path) -> None:
    ended, _ = sh("exec >/dev/null 2>&1; sleep 0.15; touch done", tmp_path)
    assert ended.code == 0
    assert (tmp_path / "done").exists()


@pytest.mark.parametrize(
    "script",
    [
        "sleep 60 & echo $! >a.pid; echo done",
        pytest.param("setsid sleep 60 & echo $! >a.pid; echo done", marks=linux),
        "sleep 60 >/dev/null & echo $! >a.pid; echo done",  # still holds the other output
        "(sleep 60; echo late) & echo $! >a.pid; echo done",
    ],
)
def test_what_is_left_running_is_left_alone(script: str, folder: Path) -> None:
    ended, data = sh(script, folder)
    (pid,) = pids(folder)
    assert (ended.how, ended.code, data) == ("exit", 0, b"done\n")
    assert ended.seconds < 2
    assert pid in ended.left
    assert lives(pid)


def test_what_is_left_running_without_the_pipe_costs_no_time(folder: Path) -> None:
    times = []
    for name in ("a", "b", "c"):
        ended, _ = sh(f"sleep 60 >/dev/null 2>&1 & echo $! >{name}.pid", folder)
        assert ended.left == (int((folder / f"{name}.pid").read_text()),)
        times.append(ended.seconds)
    assert min(times) < 0.19


def test_late_output_is_not_lost_on_its_writer(folder: Path) -> None:
    """A server that is left running goes on although nobody wants its log."""
    late = "(trap '' PIPE; echo $$ >a.pid; sleep 0.4; echo log && echo log && touch written) & echo now"
    assert sh(late, folder)[1] == b"now\n"
    assert sh("echo next", folder)[1] == b"next\n"
    assert until((folder / "written").exists)


def test_a_flood_left_behind_does_not_hold_the_result(folder: Path) -> None:
    taken = Taken()
    ended = run(command("yes >&2 & echo $! >a.pid", folder), Cancel(), taken)
    assert ended.code == 0
    assert ended.seconds < 2


@linux
def test_what_escaped_from_its_group_is_ended_too(folder: Path) -> None:
    (folder / "daemon.py").write_text(DAEMON)
    script = f"""
    echo $$ >leader.pid
    sh -c 'trap "" TERM; echo $$ >stubborn.pid; while :; do sleep 0.1; done' | cat &
    setsid sh -c 'echo $$ >session.pid; sleep 60' >/dev/null 2>&1 &
    setsid env -i sh -c 'echo $$ >bare.pid; sleep 60' >/dev/null 2>&1 &
    (setsid env -i sh -c 'echo $$ >orphan.pid; sleep 60' &)
    {sys.executable} -S daemon.py daemon.pid
    for name in stubborn session bare orphan daemon; do
        while [ ! -s $name.pid ]; do sleep 0.02; done
    done
    echo so far
    sleep 60
    """
    cancel, taken = Cancel(), b""

    def take(piece: bytes) -> bool:
        nonlocal taken
        taken += piece
        if piece:
            cancel.cancel()
        return False

    ended = run(command(script, folder), cancel, take)
    assert (ended.how, ended.code, taken) == ("cancelled", None, b"so far\n")
    assert len(pids(folder)) == 6
    assert [pid for pid in pids(folder) if lives(pid)] == []


def test_the_time_limit_ends_it(folder: Path) -> None:
    script = "echo so far; sh -c 'trap \"\" TERM; echo $$ >a.pid; while :; do sleep 0.1; done' | cat"
    ended, data = sh(script, folder, limit=0.5)
    assert (ended.how, ended.code, data) == ("timeout", None, b"so far\n")
    assert 0.5 <= ended.seconds < 5
    assert [pid for pid in pids(folder) if lives(pid)] == []


def test_a_command_may_end_in_peace_when_asked_to(tmp_path: Path) -> None:
    script = "trap 'echo saved; exit 0' TERM; echo on; while :; do sleep 0.02; done"
    ended, data = sh(script, tmp_path, limit=0.2)
    assert (ended.how, data[:3], data[-6:]) == ("timeout", b"on\n", b"saved\n")


def test_cancel_from_another_thread_ends_it_at_once(folder: Path) -> None:
    cancel, taken = Cancel(), Taken()

    def stop() -> None:
        until((folder / "started").exists)
        cancel.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    ended = run(command("echo $$ >a.pid; echo so far; touch started; sleep 30; touch ended", folder), cancel, taken)
    thread.join()
    assert (ended.how, ended.code, taken.data) == ("cancelled", None, b"so far\n")
    assert ended.seconds < 2
    assert not (folder / "ended").exists()
    assert [pid for pid in pids(folder) if lives(pid)] == []


def test_a_sink_that_has_enough_ends_it(tmp_path: Path) -> None:
    taken = Taken(most=1_000_000)
    ended = run(command("yes", tmp_path), Cancel(), taken)
    assert (ended.how, ended.code) == ("enough", None)
    assert len(taken.data) < 1_100_000


def test_a_sink_that_fails_leaves_nothing_running(folder: Path) -> None:
    def broken(piece: bytes) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(command("echo $$ >a.pid; echo x; sleep 60", folder), Cancel(), broken)
    assert [pid for pid in pids(folder) if lives(pid)] == []


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run(Command(("/no/such/program",), tmp_path, ENV, 1.0), Cancel(), Taken())


def test_nested_runs_bear_both_marks(tmp_path: Path) -> None:
    taken = Taken()
    run(command(f"echo ${MARK}", tmp_path, **{MARK: "above"}), Cancel(), taken)
    above, _, own = taken.data.decode().strip().partition(":")
    assert above == "above"
    assert own.startswith(f"{os.getpid()}.")


def test_nothing_leaks_over_many_runs(tmp_path: Path) -> None:
    def held() -> tuple[int, int, int]:
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True
        ).stdout.split()
        return len(os.listdir("/proc/self/fd")), threading.active_count(), len(children)

    if not sys.platform.startswith("linux"):
        pytest.skip("counts descriptors in /proc")
    sh("true", tmp_path)
    before = held()
    for _ in range(200):
        sh("echo x", tmp_path)
    for _ in range(3):
        sh("sleep 0.3 & true", tmp_path)
        sh("sleep 5", tmp_path, limit=0.02)
    assert held() == before
