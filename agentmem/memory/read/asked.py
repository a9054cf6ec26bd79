"""Asked: which model a session's calls go to, and how; a `model` entry of the log, written only when it changes.

{"type":"model","model":"openai/gpt-5.2","max_output":null,"window":400000,"door":{"kind":"chat",…},"agentmem":"0.1.0"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KIND = "model"


@dataclass(frozen=True, slots=True)
class Asked:
    """`model` is ``provider/name``; `max_output` (tokens) as the prompt limits a reply, None for the door's own limit;
    `window` in tokens; `door` the shape of the door's bodies; `agentmem` the version that wrote them. What an entry of
    an older log does not say is None."""

    model: str
    max_output: int | None = None
    window: int | None = None
    door: Mapping[str, Any] | None = None
    agentmem: str | None = None

    def caches_like(self, other: Asked) -> bool:
        """True where a provider's cache of the one serves the other, as far as is known: how long a reply may be is no
        part of it."""
        doors = (self.door, other.door)
        return self.model == other.model and (None in doors or doors[0] == doors[1])


def read(body: Mapping[str, Any]) -> Asked | None:
    """What the body of a `model` entry says; None where it names no model."""
    model = body.get("model")
    if not isinstance(model, str):
        return None
    door, version = body.get("door"), body.get("agentmem")
    return Asked(
        model,
        _count(body.get("max_output")),
        _count(body.get("window")),
        door if isinstance(door, Mapping) else None,
        version if isinstance(version, str) else None,
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
