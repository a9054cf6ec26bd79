"""Categories: what kind of thing is remembered."""

from __future__ import annotations

from typing import Literal

Category = Literal["preference", "fact", "decision", "constraint", "procedure", "limit", "identity"]

CATEGORIES: tuple[Category, ...] = (
    "preference",
    "fact",
    "decision",
    "constraint",
    "procedure",
    "limit",
    "identity",
)
