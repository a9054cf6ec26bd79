"""Handoff: what an ending session leaves for a fresh one; each section a text, "" for nothing."""

from __future__ import annotations

from dataclasses import dataclass

TITLES = {
    "goal": "Goal",
    "done": "Done",
    "flight": "In flight",
    "next": "Next",
    "ruled_out": "Ruled out",
    "limits": "Limits",
    "setup": "Setup and checks",
}
"""The sections of progress.md that someone writes, in their order."""


@dataclass(frozen=True, slots=True)
class Handoff:
    """What progress.md and brief.md say. `seen` is what the harness itself saw; all else a model or a rule wrote."""

    goal: str = ""
    done: str = ""
    flight: str = ""
    next: str = ""
    ruled_out: str = ""
    limits: str = ""
    setup: str = ""
    brief: str = ""
    seen: str = ""
