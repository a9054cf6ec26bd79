"""A mark that stands for a secret is never written in the secret's place."""

from __future__ import annotations

from pathlib import Path

from agentmem.domain.clock import Clock
from agentmem.domain.message import Reply, Text, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolResult
from agentmem.memory import memory

READ = ToolCall("c1", "read", {"path": ".env"})


def test_a_mark_the_model_was_shown_is_known_live_and_after_a_resume(tmp_path: Path) -> None:
    places = Places(tmp_path, tmp_path, tmp_path / "home", tmp_path / ".agent")
    session = memory.new_session(places, Clock(), "0")
    session.record_user([Text("look", "person")])
    session.record_reply(Reply((READ,), "tool_use"))
    shown = session.record_result(READ, ToolResult("DB_PASSWORD=hunter2"), 1).body["content"]
    mark = shown.removeprefix("DB_PASSWORD=")
    call = ToolCall("c2", "write", {"path": ".env", "content": f"DEBUG=1\n{shown}\n"})
    other = ToolCall("c3", "write", {"path": "x.md", "content": "[redacted: secret 0000] is a mark; so is [redacted]"})
    assert (session.mark_in(call), session.mark_in(other), session.mark_in(READ)) == (mark, None, None)
    session.close()
    again = memory.resume_session(places, Clock(), session.id)
    again.record_user([Text("write it", "person")])
    again.record_reply(Reply((call,), "tool_use"))
    assert (again.mark_in(call), again.mark_in(other)) == (mark, None)
    again.close()
