"""Happened: a turn, or a piece of one, as the event that the inbox keeps of it; read off the log's structure alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.message import Text
from agentmem.memory.read.actions import Actions, of_deeds
from agentmem.memory.read.cut import is_cut
from agentmem.memory.read.deeds import Deed, deeds
from agentmem.memory.read.sentences import binding
from agentmem.memory.stores.inbox import event_id
from agentmem.memory.write.withholding import Withheld, withheld

TEXT_MOST = 4_000  # characters of what was said, and of the answer
_LINE_MOST = 300
_MOST = 200  # actions of one turn
_CORRECTING = ("no,", "no ", "nope", "wrong", "not ", "don't ", "do not ", "stop ", "actually", "instead", "undo ")


@dataclass(frozen=True, slots=True)
class Piece:
    """A turn, or as much of it as stands between two cuts: its `entries`, root first, the message that `asked` for it
    (None where that was not read), and its `leaf`, the last message in it."""

    entries: tuple[Entry, ...]
    asked: Entry | None
    leaf: str


def pieces(branch: Sequence[Entry]) -> list[Piece]:
    """The turns of a branch, root first, each in the pieces that cuts make of it; one without a message is none."""
    found: list[Piece] = []
    asked: Entry | None = None
    inside: list[Entry] = []
    for entry in (*branch, None):
        if entry is None or is_asked(entry) or is_cut(entry.type, entry.body):
            last = next((one for one in reversed(inside) if _says(one)), None)
            if last is not None:
                found.append(Piece(tuple(inside), asked, last.id))
            inside = []
            asked = entry if entry is not None and is_asked(entry) else asked
        if entry is not None:
            inside.append(entry)
    return found


def _says(entry: Entry) -> bool:
    return entry.type == "message" and entry.body.get("notice") is not True


def is_asked(entry: Entry) -> bool:
    """Whether an entry is a message that a person sent."""
    message = entry.message() if entry.type == "message" and entry.body.get("notice") is not True else None
    return message is not None and message.role == "user" and any(part.origin == "person" for part in message.parts)


def happened(session: str, piece: Piece, home: Path) -> dict[str, Any] | None:
    """The event of a turn, or of a piece of one; None where nobody is known to have asked for it. `home` is the
    person's level."""
    span, person = piece.entries, piece.asked
    messages = [entry for entry in span if _says(entry)]
    if person is None:
        return None
    read = [entry.message() for entry in span]
    done = deeds(span, read)
    made = [(str(one.call.arguments.get("text", "")), one.ok) for one in done if one.call.name == "remember"]
    kept = withheld(span, made, home)
    found = of_deeds(span, read, done)
    return {
        "event_id": event_id(session, piece.leaf),
        "session": session,
        "at": span[-1].at,
        "entries": [entry.id for entry in messages],
        "user_input": kept.kept(_cut(_typed(person), TEXT_MOST)),
        "answer": kept.kept(_cut(_answer(messages), TEXT_MOST)),
        "actions": [_action(deed, kept) for deed in done[:_MOST]],
        "observations": [kept.kept(text) for text in _observed(found)],
        "signals": [signal | {"value": kept.kept(signal["value"])} for signal in _signals(found, person)],
        "scope": "project",
        "interrupted": _stopped(span, messages),
        "consolidated_at": None,
    }


def _typed(entry: Entry) -> str:
    """What the person typed in a message: what was piped in, or read from a file, is not their word."""
    message = entry.message()
    parts = message.parts if message is not None else ()
    return "\n\n".join(part.text for part in parts if isinstance(part, Text) and part.origin == "person").strip()


def _answer(messages: Sequence[Entry]) -> str:
    last = next((one for entry in reversed(messages) if (one := entry.message()) and one.role == "assistant"), None)
    return last.text.strip() if last is not None else ""


def _stopped(span: Sequence[Entry], messages: Sequence[Entry]) -> bool:
    """Whether it did not come to its end: stopped by somebody or something, or killed."""
    last = messages[-1].message()
    ended = last is not None and last.role == "assistant" and not last.calls
    return not ended or any(entry.type == "interrupt" for entry in span)


def _action(deed: Deed, kept: Withheld) -> dict[str, Any]:
    if deed.call.name == "remember":
        target = str(deed.call.arguments.get("category", "fact"))
    else:
        first = next((value for value in deed.call.arguments.values() if isinstance(value, str)), "")
        target = kept.kept(_cut(deed.path or deed.command or first, _LINE_MOST))
    code = deed.exit if deed.exit is not None else None if deed.ok else 1
    return {"tool": deed.call.name, "target": target, "exit": code}


def _observed(found: Actions) -> list[str]:
    """What the harness itself saw."""
    ran = [
        f"{one.check} {one.outcome}: {_cut(one.command, _LINE_MOST)}{f': {_cut(one.error, 200)}' if one.error else ''}"
        for one in found.ran
        if one.check is not None
    ]
    made = [f"commit {one.hash}: {_cut(one.subject, _LINE_MOST)}" for one in found.commits]
    return [*ran, *made, *(f"unfinished: {_cut(one, _LINE_MOST)}" for one in found.unfinished)]


def _signals(found: Actions, person: Entry) -> list[dict[str, str]]:
    """What may come again in other sessions."""
    opening = _typed(person)
    said = [("limit", limit) for limit in binding(opening)]
    if opening.lower().startswith(_CORRECTING):
        said.insert(0, ("correction", opening.split("\n")[0]))
    ran = dict.fromkeys(("command", one.command.split("\n")[0]) for one in found.ran if one.outcome == "passed")
    failed = [("error", one.error) for one in found.ran if one.error]
    every = (*said, *ran, *failed)
    return [{"kind": kind, "value": _cut(value, _LINE_MOST), "scope": "project"} for kind, value in every]


def _cut(text: str, most: int) -> str:
    """At most so many characters, the middle left out."""
    return text if len(text) <= most else f"{text[: most * 2 // 3]} … {text[-(most // 3) + 3 :]}"
