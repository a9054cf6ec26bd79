"""Hindrance: what stands in the way of putting a path back, told before anything is touched."""

from __future__ import annotations

import os

from agentmem.domain.checkpoint import State


def hindrance(path: bytes, now: State, wanted: State) -> str:
    """Why the absolute `path`, now in the state `now`, cannot be made to hold `wanted`; "" when nothing is known that
    stands in the way."""
    if now.kind == "other":
        return f"it is {now.what} now"
    if wanted.kind == "other":
        return f"it was {wanted.what}"
    folder = os.path.dirname(path)
    if os.path.realpath(folder) != folder:
        return "a directory above it is a link now"
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        return "a file stands where a directory above it was"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "its directory may not be written"
    return ""
