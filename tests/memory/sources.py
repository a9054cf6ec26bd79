"""Other tools' logs for tests, written as short as a history is told, and what an import made of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from histories import short

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.imported import Intake
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.domain.prompt import Prompt
from agentmem.memory import memory
from agentmem.memory.read.replay import NO_USER
from agentmem.memory.read.tree import Tree
from agentmem.model.legal import fault

SUMMARISED = "user: [The conversation before this point, summarised; the session's log holds all of it.]\n\n"

Line = dict[str, Any] | list[Any] | str | int | bytes


def write(path: Path, lines: Sequence[Line]) -> Path:
    """A file of JSON lines; bytes go in as they are, without a line end."""
    data = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def take_in(places: Places, clock: Clock, lines: Sequence[Line], name: str = "log.jsonl") -> Intake:
    return memory.import_log(write(places.root / "theirs" / name, lines), places, clock, "0")


def tree_of(places: Places, intake: Intake) -> Tree:
    assert (intake.state, intake.reason) == ("imported", "")
    return memory.read_session(places, intake.session)


def branch(places: Places, intake: Intake) -> list[Entry]:
    tree = tree_of(places, intake)
    assert tree.notices == ()
    return tree.branch()


def prompt(places: Places, clock: Clock, session: str, said: str = "") -> Prompt:
    """What a resume would send, once the person `said` something; it is legal, or nothing was said at all."""
    resumed = memory.resume_session(places, clock, session)
    try:
        resumed.begin_epoch((), 200_000)
        if said:
            resumed.record_user([Text(said, "person")])
        made = resumed.prompt()
    finally:
        resumed.close()
    assert fault(made) is None or not (made.messages or said)
    return made


def sent(places: Places, clock: Clock, intake: Intake) -> list[str]:
    """The messages of the branch, in short, without what stands in for the person's next word."""
    messages = short(prompt(places, clock, intake.session).messages)
    log = places.sessions / f"{intake.session}.jsonl"
    before = log.read_bytes()
    prompt(places, clock, intake.session, "on")
    log.write_bytes(before)
    return messages[:-1] if messages[-1] == f"user: {NO_USER}" else messages


def told(entries: Sequence[Entry]) -> list[str]:
    """Entries as one word each: the role of a message, else the type."""
    return [str(entry.body["role"]) if entry.type == "message" else entry.type for entry in entries]


class Claude:
    """Records of Claude Code, each hanging on the one before unless it is said otherwise."""

    def __init__(self, session: str = "s1", **fixed: Any) -> None:
        self.session, self.fixed, self.count = session, fixed, 0
        self.last: str | None = None

    def record(self, type: str, **more: Any) -> dict[str, Any]:
        self.count += 1
        own = f"u{self.count}"
        out = {
            "type": type,
            "uuid": own,
            "parentUuid": self.last,
            "sessionId": self.session,
            "version": "2.1.39",
            "cwd": "/",
            "timestamp": f"2026-02-12T16:{self.count // 60:02}:{self.count % 60:02}.000Z",
            **self.fixed,
            **more,
        }
        self.last = out.get("uuid") or self.last
        return out

    def user(self, content: Any, **more: Any) -> dict[str, Any]:
        return self.record("user", message={"role": "user", "content": content}, **more)

    def result(self, call: str, content: Any = "out", **more: Any) -> dict[str, Any]:
        error = {"is_error": more.pop("is_error")} if "is_error" in more else {}
        return self.user([{"type": "tool_result", "tool_use_id": call, "content": content, **error}], **more)

    def reply(self, reply: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
        message = {"role": "assistant", "id": reply, "model": "claude-x", "content": list(blocks)}
        if "usage" in more:
            message["usage"] = more.pop("usage")
        if "stop_reason" in more:
            message["stop_reason"] = more.pop("stop_reason")
        return self.record("assistant", message=message, **more)


def text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def use(call: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": "Bash", "input": arguments}
