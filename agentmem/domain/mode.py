"""Modes: how much a session may do without asking, from the narrowest to the widest."""

from __future__ import annotations

from typing import Literal

Mode = Literal["plan", "ask", "edits", "auto", "full"]
MODES: tuple[Mode, ...] = ("plan", "ask", "edits", "auto", "full")
