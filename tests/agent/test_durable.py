"""When what was recorded is made durable (once a step before its tools run, and at a turn's end), and where it goes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from agent.scripts import call, log_of, make_agent, play

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.domain.message import Reply
from agentmem.domain.places import Places
from agentmem.domain.prompt import ToolSpec
from agentmem.domain.tool import Tool, ToolContext, ToolResult
from agentmem.memory.memory import Session, Tree
from agentmem.memory.stores.log import LogWriteError, LogWriter

SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}


class Watched(Session):
    """A session that tells when it records a reply and when it syncs."""

    seen: list[str]

    def record_reply(self, reply: Reply) -> Entry:
        self.seen.append("reply")
        return super().record_reply(reply)

    def sync(self) -> None:
        self.seen.append("sync")
        super().sync()


def test_a_reply_is_durable_before_its_tools_run_and_the_turn_at_its_end(places: Places) -> None:
    seen: list[str] = []

    def look(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        seen.append("tool")
        return ToolResult("seen")

    tool = Tool(ToolSpec("look", "Look.", SCHEMA), look, lambda arguments, context: (), reads_only=True)
    script = [{"tool_calls": [call("look"), call("look")]}, {"tool_calls": [call("look")]}, {"text": "done"}]
    with make_agent(places, script, own_tools=[tool]) as agent:
        session = Watched(places, agent.clock, Tree(Header("s", "", str(places.cwd), "0"), (), ()))
        session.seen = seen
        session.begin_epoch((tool.spec,), 100_000)
        agent.session = session
        play(agent, "go")
    assert seen == ["reply", "sync", "tool", "tool", "reply", "sync", "tool", "reply", "sync", "sync"]


def test_a_sync_asks_the_system_to_write_all_to_the_disk(tmp_path: Path) -> None:
    """What cannot be made durable (a pipe) is an error: the system was asked."""
    reader, writer = os.pipe()
    log = LogWriter(tmp_path / "s.jsonl", writer, header=None, clock=Clock())
    try:
        with pytest.raises(LogWriteError, match="Invalid argument"):
            log.sync()
    finally:
        log.close()
        os.close(reader)


def test_a_log_stays_where_it_is_when_the_process_goes_elsewhere(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(places.root)
    script = [{"text": "one"}, {"tool_calls": [call("bash", command=f"cd {elsewhere}")]}, {"text": "two"}]
    with make_agent(places, script) as agent:
        play(agent, "one")
        os.chdir(elsewhere)
        play(agent, "two")
        assert [line["role"] for line in log_of(agent) if line["type"] == "message"] == [
            "user",
            "assistant",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
    assert list(elsewhere.iterdir()) == []
