"""Recount: a session's events as one episode, by template.

What was wanted is told in the person's words, what was done as the harness saw it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.memory.write.screening import seizes

_TITLE_MOST, _WANTED_MOST, _DID_MOST = 70, 400, 600  # characters
_FILES_MOST, _RUNS_MOST = 12, 6
_WRITING = frozenset(("write", "edit"))
_CHECK = re.compile(r"(test|lint|build) (passed|failed|unknown): ")
_VERB = {"passed": "pass", "failed": "fail"}
_NOUN = {"test": "tests", "lint": "lint", "build": "build"}


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode ready for the gate: its `id`, the `day` it belongs to (``2026-11-30``) and its block."""

    id: str
    day: str
    text: str


def recount(own: str, session: str, name: str, events: Sequence[Mapping[str, Any]]) -> Episode | None:
    """The episode `own` of some events of a session, in the order they happened; None where nothing was asked."""
    wants = [text for event in events if (text := _line(event.get("user_input")))]
    if not wants:
        return None
    at = str(events[-1].get("at", ""))
    entries = [entry for event in events for entry in event.get("entries", ()) if isinstance(entry, str)]
    title = _cut(_line(name) or _sentence(wants[0]), _TITLE_MOST)
    span = f", entries {entries[0]}..{entries[-1]}" if entries else ""
    lines = [
        f"## {at[11:16]} {title}  ^{own}",
        f"session {session}{span} · importance {_importance(events)} · outcome: {_outcome(events)}",
        f"Wanted: {_cut(' · '.join(dict.fromkeys(map(_sentence, wants))), _WANTED_MOST)}",
        f"Did: {_cut('; '.join(_did(events)) or 'talked; nothing was changed or run', _DID_MOST)}.",
    ]
    return Episode(own, at[:10], "\n".join(lines))


def _did(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    done = [action for event in events for action in event.get("actions", ()) if isinstance(action, dict)]
    wrote = [str(one.get("target")) for one in done if one.get("tool") in _WRITING and one.get("exit") in (None, 0)]
    files = list(dict.fromkeys(wrote))
    if files:
        more = f" and {len(files) - _FILES_MOST} more" if len(files) > _FILES_MOST else ""
        yield f"edited {', '.join(map(_line, files[:_FILES_MOST]))}{more}"
    ran: dict[str, object] = {}
    for one in done:
        if one.get("tool") == "bash":
            command = _cut(_line(one.get("target")), 80).replace("`", "'")
            ran.pop(command, None)
            ran[command] = one.get("exit")
    shown = list(ran.items())[-_RUNS_MOST:]
    if shown:
        yield "ran " + ", ".join(
            f"`{command}`{f' (exit {code})' if code is not None else ''}" for command, code in shown
        )
    seen = [text for event in events for text in event.get("observations", ()) if isinstance(text, str)]
    yield from (_line(text).replace("commit ", "committed ", 1) for text in seen if text.startswith("commit "))


def _outcome(events: Sequence[Mapping[str, Any]]) -> str:
    """How the last run of each kind of check ended; without any, how the talk did."""
    last: dict[str, str] = {}
    for event in events:
        for text in event.get("observations", ()):
            if isinstance(text, str) and (found := _CHECK.match(text)):
                last.pop(found[1], None)
                last[found[1]] = found[2]
    told = [f"{_NOUN[kind]} {_VERB.get(ended, 'ended in an unknown way')}" for kind, ended in last.items()]
    if events[-1].get("interrupted"):
        told.append("interrupted")
    return ", ".join(told) or "no check was run"


def _importance(events: Sequence[Mapping[str, Any]]) -> int:
    """1 to 10, by what was done: changed files, checks, commits, what the person forbade or put right."""
    seen = " ".join(str(text) for event in events for text in event.get("observations", ()))
    tools = {one.get("tool") for event in events for one in event.get("actions", ()) if isinstance(one, dict)}
    kinds = {one.get("kind") for event in events for one in event.get("signals", ()) if isinstance(one, dict)}
    points = (
        3 * bool(tools & _WRITING),
        1 * ("bash" in tools),
        1 * bool(_CHECK.search(seen)),
        2 * ("commit " in seen),
        1 * bool(kinds & {"limit", "correction"}),
        1 * (len(events) > 5),
    )
    return 1 + sum(points)


def _sentence(text: str) -> str:
    """The first sentence of a message that grants nobody power and gives no order over the rules."""
    said = (piece for piece in re.split(r"(?<=[.!?])\s", text) if piece)
    plain = (piece for piece in said if not seizes(piece))
    return _cut(next(plain, "(not shown)"), 160)


def _line(text: object) -> str:
    """One line that cannot be taken for a heading, or for the id of a block."""
    line = " ".join(text.split()) if isinstance(text, str) else ""
    return re.sub(r"\s\^(?=[A-Za-z0-9-]+$)", " ", line.lstrip("#").strip())


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
