"""Hit: what a search found, with why; and the page of hits that it is shown on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["fact", "episode", "session", "knowledge"]
Scope = Literal["all", "facts", "episodes", "sessions", "knowledge"]
SCOPES: tuple[Scope, ...] = ("all", "facts", "episodes", "sessions", "knowledge")
KINDS: Mapping[Scope, tuple[Kind, ...]] = {
    "all": ("fact", "episode", "session", "knowledge"),
    "facts": ("fact",),
    "episodes": ("episode",),
    "sessions": ("session",),
    "knowledge": ("knowledge",),
}


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a text answers: `relevance` of what could be (0 to 1), and `covered`, the share one passage of it holds
    of what the query is about. `named`: the query names who says it, None for one without a name; `timed`: it names a
    time, or none is asked for; `wordy`: an agent's page, or what a tool gave."""

    relevance: float
    covered: float
    named: bool | None = None
    timed: bool = True
    wordy: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory. `id` names it (a fact, an episode, a log's entry); `at` is when it was said or since when it holds;
    `who` is who said it: a name, or person, agent, tool, file. `source` is its file relative to the root. `score`
    orders hits; `signals` are what made it. `fit` tells how well the text answers. `note` is what to know of it, e.g.
    what took its place."""

    kind: Kind
    id: str
    text: str
    at: str
    who: str
    source: str
    score: float
    fit: Fit
    signals: Mapping[str, float] = field(default_factory=dict)
    session: str | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The hit as an object of `agentmem recall --json`."""
        return {
            "kind": self.kind,
            "id": self.id,
            "text": self.text,
            "at": self.at,
            "who": self.who,
            "source": self.source,
            "session": self.session,
            "score": round(self.score, 4),
            "relevance": round(self.fit.relevance, 4),
            "signals": {name: round(value, 4) for name, value in self.signals.items()},
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Page:
    """Hits from the `first` on (from 0); `remaining` more come after them. `notes` are what the person should know."""

    hits: tuple[Hit, ...]
    first: int
    remaining: int
    notes: tuple[str, ...] = ()
