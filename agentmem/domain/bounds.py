"""Bounds: how long checkpoints are kept, and how large all of them may grow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """`days` after a session's last checkpoint, and `size` in bytes of all that is kept."""

    days: int
    size: int
