"""Draft: what a reader of another tool's log makes of a record, before it has an id and a place in our tree.

A reader is a generator from records (line number, object) to drafts. It knows the format and nothing else: pairing,
order, the current branch and the ids are the weaver's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal

from agentmem.domain.message import Part, Text, ToolCall, Usage, part_to_json

Record = tuple[int, dict[str, Any]]


class Before:
    """The parent of a draft that hangs on whatever stands before it in the file."""


BEFORE: Final = Before()

Kind = Literal["message", "meta", "compaction", "interrupt", "label", "session_info", "link"]


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry to be. `body` is that of the entry; in it `first_kept` and `of` still hold the source's ids.

    `key` is the record's id in the source; a meta draft without one joins what stands before it. `parent` is such an
    id, None for a root. A `link` is no entry: others hang on it. Drafts of one record follow each other (`follows`).
    `joins` names a reply (or a compaction) that is told in several records. `beside` puts a draft where that record
    hangs. `strand` tells sub-sessions apart, "" is the session itself. `leaf` is False for what can be no current leaf.
    """

    line: int
    kind: Kind
    body: Mapping[str, Any] = field(default_factory=dict)
    at: str = ""
    key: str | None = None
    parent: str | Before | None = BEFORE
    follows: bool = False
    joins: str | None = None
    beside: str | None = None
    strand: str = ""
    leaf: bool = True
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def calls(self) -> tuple[str, ...]:
        """The ids of the calls in an assistant message."""
        content = self.body.get("content")
        if self.body.get("role") != "assistant" or not isinstance(content, list):
            return ()
        return tuple(part["id"] for part in content if part.get("type") == "tool_call")

    @property
    def answers(self) -> str | None:
        """The call that a tool message answers, None for any other."""
        return self.body["call_id"] if self.body.get("role") == "tool" else None


@dataclass(frozen=True, slots=True)
class About:
    """What a log says of itself; empty where it does not. `parent` is the source's id of the session that it is a
    sub-session of."""

    session: str = ""
    version: str = ""
    cwd: str = ""
    at: str = ""
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """A record that does not come in, and why. `kept` is True where it comes in all the same, but not as it was."""

    line: int
    reason: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Passed:
    """A record of a kind that repeats or accompanies others; such are counted by `kind`."""

    kind: str


Found = Draft | About | Skip | Passed
Reader = Callable[[Iterable[Record]], Iterator[Found]]


def imported(text: str) -> dict[str, Any]:
    """The log's form of a text part."""
    return part_to_json(Text(text, "import"))


def user(texts: Iterable[dict[str, Any]], *, notice: bool = False) -> dict[str, Any]:
    """The body of a user message; with `notice` of one that no person typed."""
    body = {"role": "user", "content": list(texts)}
    return {**body, "notice": True} if notice else body


def result(call_id: str, content: list[dict[str, Any]], *, error: bool, exit_code: object = None) -> dict[str, Any]:
    """The body of a tool message."""
    body: dict[str, Any] = {"role": "tool", "call_id": call_id, "content": content}
    if error:
        body["error"] = True
    if isinstance(exit_code, int) and not isinstance(exit_code, bool):
        body["exit"] = exit_code
    return body


def meta(kind: str, record: object, *, why: str | None = None) -> dict[str, Any]:
    """The body of a record that is kept and never sent."""
    body = {"kind": kind, "record": record}
    return {**body, "why": why} if why else body


def call(call_id: object, name: object, arguments: object, line: int) -> dict[str, Any]:
    """The log's form of a tool call, whatever the source has of it."""
    own = call_id if isinstance(call_id, str) and call_id else f"call-{line}"
    named = name if isinstance(name, str) and name else "unknown"
    if isinstance(arguments, dict):
        part: Part = ToolCall(own, named, arguments, origin="import")
    else:
        raw = arguments if isinstance(arguments, str) else "" if arguments is None else repr(arguments)
        part = ToolCall(own, named, {}, raw or None, origin="import")
    return part_to_json(part)


def usage(*, fresh: object, output: object, cached: object = 0, written: object = 0) -> dict[str, int] | None:
    """The log's form of a reply's usage, `fresh` being the input that no cache served; None where nothing was used."""
    found = Usage.from_json({"input": fresh, "output": output, "cached": cached, "written": written})
    used = Usage(found.input + found.cached + found.written, found.output, found.cached, found.written)
    return used.to_json() if used != Usage() else None


def image(media_type: object, data: object) -> dict[str, Any] | None:
    """The log's form of an image in base64, None where it is none."""
    if not (isinstance(media_type, str) and media_type.startswith("image/") and isinstance(data, str) and data):
        return None
    return {"type": "image", "media_type": media_type, "data": data, "origin": "import"}


def thinking(text: object) -> dict[str, Any] | None:
    """The log's form of a thought, without the signature that only its maker takes; None where nothing can be read."""
    return {"type": "thinking", "text": text, "origin": "import"} if isinstance(text, str) and text.strip() else None


def word(value: object) -> str:
    """A text as it is, "" for anything else."""
    return value if isinstance(value, str) else ""


def stamp(value: object) -> str:
    """A time as the log has it (UTC), from ISO 8601 or milliseconds since 1970; "" where it is none."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value / 1000, UTC)
        else:
            return ""
    except (ValueError, OverflowError, OSError):
        return ""
    form = "seconds" if moment.microsecond == 0 else "milliseconds"
    return moment.isoformat(timespec=form).replace("+00:00", "Z")
