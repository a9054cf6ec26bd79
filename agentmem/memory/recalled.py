"""Recalled: the part of memory's door for whoever searches it: the finder, its hits, and how they are told."""

from __future__ import annotations

from agentmem.memory.read.recall.certainty import sureness
from agentmem.memory.read.recall.finder import PAGE, Finder, Wanted
from agentmem.memory.read.recall.hit import SCOPES, Hit, Page, Scope
from agentmem.memory.read.recall.quoting import Form, listing, row
from agentmem.memory.read.recall.reminding import Reminder, Turned, remind

__all__ = [
    "PAGE",
    "SCOPES",
    "Finder",
    "Form",
    "Hit",
    "Page",
    "Reminder",
    "Scope",
    "Turned",
    "Wanted",
    "listing",
    "remind",
    "row",
    "sureness",
]
