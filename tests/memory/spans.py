"""Spans for tests: a talk with calls, their results and exit codes, written as short as it is told."""

from __future__ import annotations

from itertools import count
from typing import Any

from agentmem.domain.entry import Entry


class Talk:
    """Builds entries in order; ids count within a talk."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._calls = count(1)

    def add(self, kind: str, **body: Any) -> Talk:
        parent = self.entries[-1].id if self.entries else None
        own = f"{kind[:1]}{len(self.entries) + 1}"
        self.entries.append(Entry(kind, own, parent, "2026-11-30T12:02:11Z", body))
        return self

    def user(self, text: str, origin: str = "person", **body: Any) -> Talk:
        return self.add("message", role="user", content=[{"type": "text", "text": text, "origin": origin}], **body)

    def agent(self, text: str) -> Talk:
        return self.add("message", role="assistant", content=[{"type": "text", "text": text, "origin": "agent"}])

    def call(self, name: str, arguments: dict[str, Any], call_id: str | None = None) -> Talk:
        own = call_id or f"t{next(self._calls)}"
        part = {"type": "tool_call", "id": own, "name": name, "arguments": arguments}
        return self.add("message", role="assistant", content=[part])

    def result(self, text: str, *, error: bool = False, exit: int | None = None, call_id: str | None = None) -> Talk:
        own = call_id or self._last_call()
        body: dict[str, Any] = {"role": "tool", "call_id": own, "content": text, "origin": "tool", "error": error}
        return self.add("message", **body, **({} if exit is None else {"exit": exit}))

    def bash(self, command: str, output: str = "", exit: int = 0) -> Talk:
        return self.call("bash", {"command": command}).result(output or "[no output]", error=exit != 0, exit=exit)

    def edit(self, path: str, *, error: bool = False) -> Talk:
        return self.call("edit", {"path": path, "edits": [{"old": "a", "new": "b"}]}).result("ok", error=error)

    def write(self, path: str, content: str = "x") -> Talk:
        return self.call("write", {"path": path, "content": content}).result("written")

    def _last_call(self) -> str:
        content = next(one.body["content"] for one in reversed(self.entries) if one.body.get("role") == "assistant")
        return str(content[-1]["id"])

    @property
    def span(self) -> tuple[Entry, ...]:
        return tuple(self.entries)


def work() -> Talk:
    """A piece of work with a decision, changes, a failing check, a commit and much output."""
    talk = Talk()
    talk.user("Move the tests to PostgreSQL 15 on localhost:5433. Never touch vendor/legacy.py.")
    talk.agent("We use psycopg instead of asyncpg because the pool is synchronous.")
    talk.call("read", {"path": "src/db/pool.py"}).result(
        "def pool():\n    return connect(timeout=30)\n" + "# filler line\n" * 400
    )
    talk.edit("src/db/pool.py").write("tests/conftest.py")
    talk.bash("make lint", "All checks passed!")
    talk.bash("pytest tests/db -q", "E   OperationalError: connection to port 5433 failed\n1 failed, 12 passed", exit=1)
    talk.bash("git commit -am 'pool'", "[main 9f3ab21] pool on psycopg\n 2 files changed")
    talk.agent("The pool is in src/db/pool.py; the suite takes 42 s and still fails on port 5433.")
    return talk
