"""Invoked: the skills whose bodies the model was given on a branch, and which of them outlive a compaction.

    {"type":"skill","id":"…","parent_id":"…","at":"…","role":"user","notice":true,"name":"commit",
     "path":"/w/skills/commit/SKILL.md","sha256":"…","why":{"rule":"trigger","by":"commit this"},
     "content":[{"type":"text","text":"<skill-body …>…</skill-body>","origin":"harness"}]}

A second part, of origin tool, holds what the skill's read-only calls gave.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentmem.domain.entry import Entry
from agentmem.domain.message import Text

TYPE = "skill"
EACH, ALL = 5_000, 25_000
"""Tokens of one body that outlive a compaction, and of all together."""
BYTES_A_TOKEN = 4


def name_of(entry: Entry) -> str | None:
    """The skill that an entry invokes, None for any other entry."""
    name = entry.body.get("name")
    return name if entry.type == TYPE and isinstance(name, str) and name else None


def body_of(entry: Entry) -> str:
    """The body that an entry gave, "" for none."""
    message = entry.message()
    parts = message.parts if message is not None and entry.type == TYPE else ()
    return next((part.text for part in parts if isinstance(part, Text) and part.origin == "harness"), "")


def kept(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Of a branch's entries those whose bodies outlive a compaction: of each skill the last one, the newest first as
    long as all together hold no more than 25,000 tokens; in the order in which they were invoked."""
    last: dict[str, Entry] = {}
    for entry in entries:
        if (name := name_of(entry)) is not None and body_of(entry):
            last.pop(name, None)
            last[name] = entry
    found: list[Entry] = []
    left = ALL
    for entry in reversed(last.values()):
        left -= _tokens(carried(entry))
        if left < 0:
            break
        found.append(entry)
    return tuple(reversed(found))


def shortened(entry: Entry) -> Entry:
    """An entry that invokes a skill, as it stands in a prompt after a compaction: its body alone, as `carried` gives
    it. Any other is itself."""
    if name_of(entry) is None:
        return entry
    content = [{"type": "text", "text": carried(entry), "origin": "harness"}]
    return replace(entry, body={**entry.body, "content": content})


def carried(entry: Entry) -> str:
    """The body of an entry as it outlives a compaction: at most 5,000 tokens, what is cut is named with its file."""
    text = body_of(entry)
    data = text.encode("utf-8", "replace")
    if _tokens(text) <= EACH:
        return text
    note = f"\n[the rest of this skill is left out here: read {entry.body.get('path')}]"
    tail = f"{note}\n</skill-body>" if text.rstrip().endswith("</skill-body>") else note
    head = data[: EACH * BYTES_A_TOKEN - len(tail.encode("utf-8", "replace"))].decode("utf-8", "ignore")
    return head + tail


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)
