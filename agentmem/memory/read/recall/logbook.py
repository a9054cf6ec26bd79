"""Logbook: the lines of a session log as records to be found: who said what, and where its line lies.

Read is what was said and done: never what the harness told the model, nor what was recalled from memory, a summary or a
skill's body; all of that stands somewhere else already. Struck entries are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.message import ORIGINS
from agentmem.memory.read.recall.passages import AGENT, PERSON, TOOL, Record
from agentmem.memory.stores import lines

HEAD, TAIL = 1_200, 800
"""Characters of what a tool gave that are found: its beginning and its end."""
CALL = 600  # characters of what a tool was handed
_WHO = {"user": PERSON, "assistant": AGENT, "tool": TOOL}
_ROOTED = frozenset({"person", "stdin", "import", "agent", "tool"})
_DECODE = json.JSONDecoder().decode
_FIXED = ("type", "id", "parent_id", "at")


@dataclass(slots=True)
class Batch:
    """What some lines hold: records, the memories they say were recalled (id and time), and the entries that take
    others out of prompts or bring them back."""

    records: list[Record] = field(default_factory=list)
    used: list[tuple[str, str]] = field(default_factory=list)
    edits: list[Entry] = field(default_factory=list)


def read(data: bytes, start: int) -> Batch:
    """The whole lines in `data`, which begins at byte `start` of the log."""
    batch = Batch()
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        if b'"type":"message"' in data[at : at + 400] or not _plain(data, at, end):
            for value in _objects(data[at:end]):
                _take(batch, value, start + at, end - at)
        at = end + 1
    return batch


def record_in(line: bytes, ref: str) -> Record | None:
    """The record under an id in a line of a log, None where it is not there."""
    found = (_record(value, 0, len(line)) for value in _objects(line) if value.get("id") == ref)
    return next((record for record in found if record is not None), None)


def _plain(data: bytes, at: int, end: int) -> bool:
    """Whether a line is of a type that says nothing here; most lines that are no message are requests."""
    head = data[at : min(end, at + 40)]
    return head.startswith((b'{"type":"call"', b'{"type":"model"', b'{"type":"checkpoint"', b'{"type":"meta"'))


def _objects(line: bytes) -> list[dict[str, Any]]:
    try:
        value = _DECODE(line.decode())
    except (ValueError, RecursionError):
        return lines.parse(line)[0]
    return [value] if isinstance(value, dict) else []


def _take(batch: Batch, value: Mapping[str, Any], place: int, size: int) -> None:
    kind, own = value.get("type"), value.get("id")
    if not isinstance(own, str):
        return
    if kind == "message":
        record = _record(value, place, size)
        if record is not None:
            batch.records.append(record)
    elif kind == "recall":
        at = str(value.get("at", ""))
        listed = (value.get(key) for key in ("facts", "episodes", "known"))
        batch.used += [
            (ref, at) for refs in listed for ref in (refs if isinstance(refs, list) else ()) if isinstance(ref, str)
        ]
    elif kind in ("strike", "expand", "compaction"):
        body = {key: one for key, one in value.items() if key not in _FIXED}
        batch.edits.append(Entry(str(kind), own, None, "", body))


def _record(value: Mapping[str, Any], place: int, size: int) -> Record | None:
    role, own = value.get("role"), value.get("id")
    if value.get("notice") is True or not isinstance(own, str) or role not in _WHO:
        return None
    content = value.get("content")
    text = "\n".join(_texts(content, value.get("origin")))
    called = "\n".join(_calls(content)) if role == "assistant" else ""
    if role == "tool" and len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    if not text.strip() and not called:
        return None
    name, at = value.get("name"), value.get("at")
    speaker = name if isinstance(name, str) else ""
    return Record(own, at if isinstance(at, str) else "", _WHO[role], text, place, size, speaker, called)


def _texts(content: object, origin: object) -> Iterator[str]:
    """The texts of a message that were said or given, as `domain.message` reads them (its parts cost more time)."""
    if isinstance(content, str):
        if (origin if origin in ORIGINS else "import") in _ROOTED:
            yield content
        return
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "text" and part.get("origin", "import") in _ROOTED:
            yield str(part.get("text", ""))
        elif isinstance(part, str):
            yield part


def _calls(content: object) -> Iterator[str]:
    """What an agent handed to tools, a line a call."""
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_call":
            arguments = part.get("arguments")
            handed = arguments.values() if isinstance(arguments, dict) else ()
            said = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in handed)
            yield f"{part.get('name', '')} {' '.join(said)}"[:CALL]


def struck(edits: Sequence[Entry]) -> frozenset[str]:
    """The entries that a person struck and nobody brought back."""
    from agentmem.memory.read import edits as edited

    return frozenset(edited.struck(edits))


def whole_lines(data: bytes) -> bytes:
    """`data` up to the end of its last whole line."""
    return data[: data.rfind(b"\n") + 1]


def texts(record: Record) -> Iterator[str]:
    """What a record says, for people."""
    if record.text.strip():
        yield record.text
    elif record.called:
        yield record.called
