"""Arrivals: the steps in which git put text into a file: the person's own commits, and what came from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arrival:
    """The file's bytes before and after one step. `local`: a commit that was made here, of what stood in the work tree;
    else a checkout, merge, pull, clone or the like brought it. `at` is when the work tree's branch moved, in seconds
    since 1970; 0 for what was only made ready to be brought."""

    local: bool
    before: bytes
    after: bytes
    at: int = 0
