"""A writer is killed with SIGKILL at random moments: every whole record is read, and the next append is sound."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from agentmem.domain.clock import Clock
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.memory import memory

KILLS = int(os.environ.get("AGENTMEM_KILLS", "20"))

WRITER = """
import sys
from pathlib import Path
from agentmem.domain.clock import Clock
from agentmem.domain.message import Reply, Text, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolResult
from agentmem.memory import memory
root = Path(sys.argv[1])
places = Places(root, root, root.parent / "home", root / ".agent")
session = memory.resume_session(places, Clock(), sys.argv[2]) if len(sys.argv) > 2 else \\
    memory.new_session(places, Clock(), "0")
session.begin_epoch((), 200_000)
number = 0
while True:
    session.record_user([Text(f"user {number} " + "\u00e9" * 5000, "person")])
    print(session.id, session.leaf, flush=True)
    session.prompt()
    session.record_call("scripted", b"body")
    call = ToolCall("c", "bash", {"command": "x" * 3000})
    session.record_reply(Reply((Text("on it"), call), "tool_use"))
    session.sync()
    session.record_result(call, ToolResult("out"), 1)
    print(session.id, session.leaf, flush=True)
    number += 1
"""


def test_a_kill_loses_nothing_that_was_recorded(places: Places, clock: Clock) -> None:
    chance = random.Random(7)
    name: list[str] = []
    told: list[str] = []
    for _ in range(KILLS):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(places.root), *name], stdout=subprocess.PIPE, text=True
        )
        with child:
            assert child.stdout is not None
            first = child.stdout.readline()
            time.sleep(chance.random() * 0.02)
            child.send_signal(signal.SIGKILL)
            lines = [first, *child.stdout]
        name = [first.split()[0]]
        told += [line.split()[1] for line in lines if line.endswith("\n")]
        session = memory.resume_session(places, clock, name[0])
        ids = [entry.id for entry in session.entries]
        assert set(told) <= set(ids), "a record that its writer was told of is gone"
        assert len(ids) == len(set(ids))
        session.close()
    raw = places.sessions.joinpath(f"{name[0]}.jsonl").read_bytes()
    assert raw.count(b'{"type":"session"') == 1
    assert len(told) > KILLS


@pytest.mark.parametrize("cut", range(0, 120, 3))
def test_a_log_cut_at_any_byte_goes_on(places: Places, clock: Clock, cut: int) -> None:
    session = memory.new_session(places, clock, "0")
    session.record_user([Text("héllo", "person")])
    session.record_notice("note")
    session.close()
    whole = session.path.read_bytes()
    session.path.write_bytes(whole[: len(whole) - cut])
    again = memory.resume_session(places, clock, session.id)
    before = len(again.entries)
    again.record_user([Text("go on", "person")])
    again.close()
    last = memory.resume_session(places, clock, session.id)
    assert len(last.entries) == before + 1 == (3 if cut < 2 else 2)
    assert last.entries[-1].parent_id == last.entries[-2].id
    last.close()
