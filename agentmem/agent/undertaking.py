"""Undertaking: what a long task may take, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much work may take, None is no limit: sessions, USD, seconds; and after how many failed attempts a feature is
    set aside. With `again` those that were set aside are taken up again."""

    sessions: int | None = None
    cost: float | None = None
    seconds: float | None = None
    failures: int = 3
    again: bool = False


@dataclass(slots=True)
class Report:
    """What came of it. `stop` is ``done`` (nothing is left), ``stuck`` (what is left is set aside or has no check),
    ``limit``, ``interrupted``, ``model_error`` or ``failed``; `why` says more."""

    sessions: int = 0
    passed: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    cost: float | None = None
    stop: str = "done"
    why: str = ""
