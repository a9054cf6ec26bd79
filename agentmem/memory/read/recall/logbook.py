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
from agentmem.memory.read import fence
from agentmem.memory.read.recall.passages import AGENT, PERSON, TOOL, Record
from agentmem.memory.stores import lines

HEAD, TAIL = 1_200, 800
"""Characters of what a tool gave that are found: its beginning and its end."""
CALL = 600  # characters of what a tool was handed
_WHO = {"user": PERSON, "assistant": AGENT, "tool": TOOL}
_RECALLED = f"<{fence.RECALLED}>\n"  # what a search gave: quotes of what is found where it stands
_ROOTED = frozenset({"person", "stdin", "import", "agent", "tool"})
# Lines that say nothing here; most lines that are no message are requests.
_SILENT = (b'{"type":"call"', b'{"type":"model"', b'{"type":"checkpoint"', b'{"type":"meta"')
_MESSAGE = b'"type":"message"'
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
        if not data.startswith(_SILENT, at) or data.find(_MESSAGE, at, at + 400) >= 0:
            for value in lines.parse(data[at:end])[0]:
                _take(batch, value, start + at, end - at)
        at = end + 1
    return batch


def record_in(line: bytes, ref: str) -> Record | None:
    """The record under an id in a line of a log, None where it is not there."""
    found = (_record(value, 0, len(line)) for value in lines.parse(line)[0] if value.get("id") == ref)
    return next((record for record in found if record is not None), None)


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
    if not isinstance(own, str) or not isinstance(role, str) or role not in _WHO or value.get("notice") is True:
        return None
    content = value.get("content")
    text = _text(content, value.get("origin"))
    if role == "tool" and text.startswith(_RECALLED):
        return None
    called = "\n".join(_calls(content)) if role == "assistant" else ""
    if role == "tool" and len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    if not called and not text.strip():
        return None
    name, at = value.get("name"), value.get("at")
    speaker = name if isinstance(name, str) else ""
    return Record(own, at if isinstance(at, str) else "", _WHO[role], text, place, size, speaker, called)


def _text(content: object, origin: object) -> str:
    """The texts of a message that were said or given, a line each, as `domain.message` reads them (its parts cost more
    time)."""
    if isinstance(content, str):
        return content if _rooted(origin) else ""
    if not isinstance(content, list):
        return ""
    found = []
    for part in content:
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, dict) and part.get("type") == "text" and _rooted(part.get("origin")):
            text = part.get("text")
            found.append(text if isinstance(text, str) else "")
    return "\n".join(found)


def _rooted(origin: object) -> bool:
    """Whether what has this origin was said or given: what the harness told is not, nor is what a file told."""
    return not isinstance(origin, str) or origin not in ORIGINS or origin in _ROOTED


def _calls(content: object) -> Iterator[str]:
    """What an agent handed to tools, a line a call."""
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_call":
            arguments = part.get("arguments")
            handed = arguments.values() if isinstance(arguments, dict) else ()
            said = (one if isinstance(one, str) else _as_json(one) for one in handed)
            yield f"{part.get('name', '')} {' '.join(said)}"[:CALL]


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:  # it can be read at a depth at which it cannot be written
        return ""


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
