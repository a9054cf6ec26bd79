"""Asked: which model a session's calls go to, and how; a `model` entry of the log, written only when it changes.

{"type":"model","model":"openai/gpt-5.2","max_output":null,"window":400000,"door":{"kind":"chat",…},"agentmem":"0.1.0"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentmem.domain.entry import Entry

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

    def to_json(self) -> dict[str, Any]:
        """The body of the entry; what is not known is left out."""
        out: dict[str, Any] = {"model": self.model, "max_output": self.max_output}
        for key in ("window", "door", "agentmem"):
            if (value := getattr(self, key)) is not None:
                out[key] = dict(value) if key == "door" else value
        return out

    @property
    def cached_by(self) -> tuple[str, object]:
        """What a provider's cache of the prompt hangs on, beside the prompt itself."""
        return self.model, self.door


def read(entry: Entry) -> Asked | None:
    """What a `model` entry says; None for any other."""
    model = entry.body.get("model")
    if entry.type != KIND or not isinstance(model, str):
        return None
    door, version = entry.body.get("door"), entry.body.get("agentmem")
    return Asked(
        model,
        _count(entry.body.get("max_output")),
        _count(entry.body.get("window")),
        door if isinstance(door, Mapping) else None,
        version if isinstance(version, str) else None,
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
