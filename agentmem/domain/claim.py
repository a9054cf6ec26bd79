"""Claims and verdicts: what someone wants remembered, and what the gate made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentmem.domain.category import Category

Principal = Literal["user", "curator", "agent", "tool", "project", "import", "dream"]
Outcome = Literal["added", "updated", "known", "queued", "refused"]


@dataclass(frozen=True, slots=True)
class Claim:
    """Something someone wants remembered. Who said it is not part of the claim: the gate reads that off the log."""

    text: str
    category: Category = "fact"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate made of a claim. `id` names the fact (added, known) or the queue file (queued)."""

    outcome: Outcome
    id: str | None
    reason: str
    principal: Principal
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Admitted:
    """A belief the gate lets in: what a durable store's write takes. Only the gate makes one. `text` is one line."""

    id: str
    text: str
    section: str
