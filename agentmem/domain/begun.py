"""Begun: the Events that come before a model's first answer, apart from the rest, which a start need not wait for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The user message is on disk."""

    session: str
    entry: str
    model: str


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A model call begins; `step` counts from 1 within the turn."""

    step: int


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the person should know: `level` is info, memory (what is kept beyond this session
    changed), warning or error."""

    level: Literal["info", "memory", "warning", "error"]
    text: str
