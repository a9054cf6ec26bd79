"""Reminding: the few memories that come unasked at a user's turn, where they surely answer what was said."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from agentmem.memory.read.recall.certainty import sure
from agentmem.memory.read.recall.finder import Finder, Wanted
from agentmem.memory.read.recall.hit import Hit
from agentmem.memory.read.recall.quoting import BYTES_A_TOKEN, Form, block

MOST = 5
SHARE = 0.02  # of the window
_LOOKED_AT = 12
LONGEST = 2_000  # characters of a message that are asked for


@dataclass(frozen=True, slots=True)
class Turned:
    """A user's turn: the message, the window (tokens), and how memories are shown. `without` are ids that the prompt
    holds; `stands` tells whether it holds a text."""

    message: str
    window: int
    form: Form = "structured"
    without: Collection[str] = ()
    stands: Callable[[str], bool] = lambda text: False


@dataclass(frozen=True, slots=True)
class Reminder:
    """A block for the tail, "" for none, what the log keeps of it, and a line for the person."""

    text: str
    about: dict[str, Any]
    told: str = ""


def remind(finder: Finder, turned: Turned, seconds: float | None = None) -> Reminder:
    """The memories for a turn, of at most 2 % of the window. One that stands in the prompt counts as used, and is not
    repeated. Raises `OSError`."""
    page = finder.find(Wanted(turned.message[:LONGEST], most=_LOOKED_AT, without=turned.without), seconds)
    chosen = sure([hit for hit in page.hits if not _doubtful(hit)])
    known = [hit for hit in chosen if turned.stands(hit.text)]
    fresh = [hit for hit in chosen if hit not in known][:MOST]
    if not chosen:
        return Reminder("", {})
    text, shown = block(fresh, turned.form, int(turned.window * SHARE * BYTES_A_TOKEN))
    about: dict[str, Any] = {
        "query": turned.message[:200],
        "facts": [hit.id for hit in shown if hit.kind == "fact"],
        "episodes": [hit.id for hit in shown if hit.kind == "episode"],
        "entries": [{"session": hit.session, "entry": hit.id} for hit in shown if hit.kind == "session"],
        "known": [hit.id for hit in known],
    }
    names = ", ".join(f"{hit.kind} {hit.id}" for hit in shown)
    return Reminder(text, about, f"recalled {names}" if shown else "")


def _doubtful(hit: Hit) -> bool:
    """What no longer holds, or is the project's own word, comes only when it is asked for."""
    return hit.kind == "fact" and (bool(hit.note) or hit.signals.get("validity", 1.0) < 1.0)
