"""The gate: the one way into durable memory; this room alone writes the stores of it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentmem.memory.write.gate.ruling import Source, approve, expire, propose, vote, would

__all__ = ["Source", "approve", "expire", "propose", "vote", "would"]


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from `ruling`, whose word rules take their time to load. Raises `AttributeError`."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("agentmem.memory.write.gate.ruling"), name)
