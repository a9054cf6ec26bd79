"""Filling: what fills a model's window, by part, in tokens; one number with its source and age."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.message import Usage
from agentmem.domain.visible import visible


@dataclass(frozen=True, slots=True)
class Share:
    """One part. `kind` groups (tools, rules, profile, instructions, memory, state, messages), `name` is for people."""

    kind: str
    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Filling:
    """`shares` add up to `used` exactly. `window` is None when it is not known, `reply` is the most a reply may take.

    `usage` and `at` are of the provider's last count, on which all rests; None while nothing was counted, when all is
    an estimate. `age` is in seconds since then. `after` is the estimated share of `used` that came after it.
    """

    session: str | None
    model: str | None
    shares: tuple[Share, ...]
    window: int | None
    reply: int | None = None
    usage: Usage | None = None
    at: str | None = None
    age: float | None = None
    after: int = 0

    @property
    def used(self) -> int:
        """Tokens in use."""
        return sum(share.tokens for share in self.shares)

    def to_json(self) -> dict[str, Any]:
        """The object of `agentmem context --json`."""
        usage = self.usage
        return {
            "session": self.session,
            "model": self.model,
            "window": self.window,
            "used": self.used,
            "free": None if self.window is None else max(self.window - self.used, 0),
            "reply": self.reply,
            "source": "estimate" if usage is None else "provider",
            "counted": None if usage is None else {"at": self.at, "age_seconds": self.age, **_counts(usage)},
            "estimated_since": self.after,
            "parts": [{"kind": one.kind, "name": one.name, "tokens": one.tokens} for one in self.shares],
        }

    def lines(self) -> tuple[str, ...]:
        """The same as lines for a person."""
        return (self._head(), *_table(self.shares, self.used), *self._room(), *self._source())

    def _head(self) -> str:
        whose = " · ".join(visible(one) for one in (self.session, self.model) if one)
        said = f"{self.used:,} tokens in use"
        if self.window:
            said = f"{self.used:,} of {self.window:,} tokens in use ({self.used / self.window:.0%})"
        return f"{said} · {whose}" if whose else said

    def _room(self) -> tuple[str, ...]:
        if not self.window:
            return ("the model's window is not known; `window` in config.yaml says it",)
        free = max(self.window - self.used, 0)
        reply = "" if self.reply is None else f", of which a reply may take {min(self.reply, free):,}"
        return (f"{free:,} tokens are free{reply}",)

    def _source(self) -> tuple[str, ...]:
        if self.usage is None:
            return ("an estimate by size: no provider has counted here yet",)
        said = f"counted by the provider{_ago(self.age)}"
        if self.after:
            said += f"; the {self.after:,} tokens that came after are an estimate"
        said += "; how they fall to the parts is shared out by size"
        if not (cached := self.usage.cached):
            return (said,)
        share = f"{cached:,} of the last request's {self.usage.input:,} tokens"
        return said, f"{share} were read from the provider's cache: they cost less, and fill the window all the same"


def _counts(usage: Usage) -> dict[str, int]:
    return {"input": usage.input, "output": usage.output, "cached": usage.cached, "written": usage.written}


def _table(shares: Sequence[Share], used: int) -> list[str]:
    wide = max((len(str(f"{share.tokens:,}")) for share in shares), default=1)
    return [
        f"  {share.tokens:>{wide},}  {share.tokens / max(used, 1):>4.0%}  {visible(share.name)}" for share in shares
    ]


def _ago(seconds: float | None) -> str:
    if seconds is None:
        return ""
    whole = max(int(seconds), 0)
    for size, name in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if whole >= 2 * size:
            return f" {whole // size} {name} ago"
    return f" {whole} s ago"
