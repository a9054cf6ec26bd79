"""Each request of a session extends the one before byte for byte, cache marks left out, over real HTTP."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from agent.scripts import play
from doors import ROWS, Row, Timeouts
from serving import Play, Server
from wires import Said

from agentmem.agent.agent import Agent
from agentmem.agent.warden import Warden
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.event import Event, Notice, TextDelta
from agentmem.domain.message import Usage
from agentmem.domain.places import Places
from agentmem.memory.memory import new_session, resume_session
from agentmem.tools import tools

ROOT = Path(__file__).resolve().parents[2]
EVENING = time.mktime((2026, 11, 30, 23, 59, 30, 0, 0, -1))
CALLS = (("c1", "bash", '{"command":"echo one"}'), ("c2", "ls", "{}"))
LOOK = Said("Looking.", "hm", CALLS, "tool_use", Usage(2_000, 30, 1_000))
DONE = Said("Done.", usage=Usage(2_100, 20, 1_900))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(params=ROWS, ids=lambda row: row.name)
def row(request: pytest.FixtureRequest) -> Row:
    found: Row = request.param
    return found


def agent_at(places: Places, row: Row, server: Server, now: float = EVENING, resume: str | None = None) -> Agent:
    clock = Clock(now=lambda: now)
    session = resume_session(places, clock, resume) if resume else new_session(places, clock, "0")
    env = {"PATH": os.environ["PATH"], "HOME": str(places.home)}
    warden = Warden(Desk(places, clock), env, lambda: True, lambda: True)
    warden.start()  # as a start does: what stands there is looked at before the first prompt
    every = tools()
    session.begin_epoch(tuple(tool.spec for tool in every), 100_000)
    return Agent(
        session=session,
        door=row.open(server.url, Timeouts(2.0, 5.0, 5.0)),
        tools={tool.name: tool for tool in every},
        clock=clock,
        window=100_000,
        mode="full",
        env=env,
        warden=lambda: warden,
    )


def assert_each_extends_the_one_before(row: Row, server: Server, but: Callable[[int], bool] = lambda at: False) -> None:
    bodies = [seen.body.replace(row.mark, b"") if row.mark else seen.body for seen in server.seen]
    assert len(bodies) > 1
    for at, (before, after) in enumerate(pairwise(bodies)):
        assert before.endswith(b"]}")
        if not but(at):
            assert after.startswith(before[:-2]), at


def notes(events: list[Event]) -> list[str]:
    return [one.text for one in events if isinstance(one, Notice) and one.text.startswith("prompt cache")]


def test_over_midnight_and_over_a_resume(places: Places, row: Row, server: Server) -> None:
    (places.root / "AGENTS.md").write_text("Use tabs.")
    places.memory_file.write_text("- a fact\n")
    server.play(*(Play(row.events(said)) for said in (LOOK, DONE, LOOK, DONE, DONE)))
    with agent_at(places, row, server) as agent:
        told = notes(play(agent, "go"))
    with agent_at(places, row, server, EVENING + 70, agent.session_id) as again:
        told += notes(play(again, "and?"))
    with agent_at(places, row, server, EVENING + 90_000, agent.session_id) as again:
        told += notes(play(again, "more"))
    assert server.left == 0
    assert_each_extends_the_one_before(row, server)
    assert told == []


def test_after_an_interrupt_in_the_answer_and_in_a_tool(places: Places, row: Row, server: Server) -> None:
    slow = row.events(Said("Long answer.", usage=Usage(2_000, 5)))
    server.play(Play([*slow[:4], 5.0]), Play(row.events(LOOK)), Play(row.events(DONE)))
    with agent_at(places, row, server) as agent:
        cancel = Cancel()
        play(agent, "go", cancel=cancel, watch=lambda event: cancel.cancel() if isinstance(event, TextDelta) else None)
        stop = Cancel()
        play(agent, "again", cancel=stop, watch=lambda event: _at_the_first_tool(event, stop))
    with agent_at(places, row, server, resume=agent.session_id) as again:
        assert notes(play(again, "now?")) == []
    assert len(server.seen) == 3
    assert_each_extends_the_one_before(row, server)


def _at_the_first_tool(event: Event, cancel: Cancel) -> None:
    if type(event).__name__ == "ToolStarted":
        cancel.cancel()


def test_after_a_killed_process(places: Places, row: Row, server: Server) -> None:
    """One process is killed while the model speaks, one while a tool runs; a third one goes on."""
    (places.root / ".agent").mkdir()
    sleeps = Said("Wait.", calls=(("c1", "bash", '{"command":"touch started; sleep 60"}'),), stop="tool_use")
    server.play(Play([*row.events(Said("Long answer."))[:3], 30.0]), Play(row.events(sleeps)), Play(row.events(DONE)))
    _killed_when(places, row, server, "go", lambda: len(server.seen) == 1)
    _killed_when(places, row, server, "again", (places.root / "started").exists)
    assert subprocess.run(_command(row, server, "now?"), cwd=places.root, env=_env(places), timeout=30).returncode == 0
    assert len(server.seen) == 3
    assert_each_extends_the_one_before(row, server)


def _command(row: Row, server: Server, text: str) -> list[str]:
    continued = ["-c"] if server.seen else []
    base = server.url + ("/v1" if row.name == "chat" else "")
    model = ["--model", f"{row.provider}/m-1", "--api-base", base]
    return [sys.executable, "-m", "agentmem", *continued, "-p", text, *model, "--permission", "full"]


def _env(places: Places) -> dict[str, str]:
    keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    return {**os.environ, **keys, "AGENTMEM_HOME": str(places.home), "PYTHONPATH": str(ROOT)}


def _killed_when(places: Places, row: Row, server: Server, text: str, ready: Callable[[], bool]) -> None:
    process = subprocess.Popen(_command(row, server, text), cwd=places.root, env=_env(places), stdin=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 30
        while not ready() and time.monotonic() < until and process.poll() is None:
            time.sleep(0.02)
        assert ready()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_what_broke_the_prefix_is_told_once(places: Places, row: Row, server: Server) -> None:
    (places.root / "AGENTS.md").write_text("Use tabs.")
    server.play(*(Play(row.events(said)) for said in (LOOK, DONE, LOOK, DONE)))
    with agent_at(places, row, server) as agent:
        play(agent, "go")
    (places.root / "AGENTS.md").write_text("Use spaces.")
    with agent_at(places, row, server, resume=agent.session_id) as again:
        (told,) = notes(play(again, "and?"))
    head, _, number = told.removesuffix(" tokens are sent anew").partition("; about ")
    assert head == "prompt cache: AGENTS.md changed"
    assert 50 < int(number.replace(",", "")) < 400  # the file, what follows it, and the talk, but not the tools
    assert_each_extends_the_one_before(row, server, but=lambda at: at == 1)


def test_another_model_is_told(places: Places, row: Row, server: Server) -> None:
    other = ROWS[1 - ROWS.index(row)]
    server.play(Play(row.events(DONE)), Play(other.events(DONE)))
    with agent_at(places, row, server) as agent:
        play(agent, "go")
    with agent_at(places, other, server, resume=agent.session_id) as again:
        (told,) = notes(play(again, "and?"))
    assert told.startswith(f"prompt cache: the model changed from {agent.model} to {again.model}; about 2,")
