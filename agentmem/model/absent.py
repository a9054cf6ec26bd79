"""Absent: the door where no model is chosen or wanted; what is done by rule needs none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentmem.domain.cancel import Cancel
from agentmem.domain.prompt import Prompt
from agentmem.model.door import ModelError, Piece


class Absent:
    """Asking it fails and says so."""

    model = "none"
    shape: Mapping[str, Any] = {}

    def body(self, prompt: Prompt) -> bytes:
        """Nothing is ever sent."""
        return b""

    def stream(self, prompt: Prompt, cancel: Cancel) -> Iterator[Piece]:
        """Raises `ModelError`."""
        raise ModelError("bad_request", "no model is asked here", final=True)

    def close(self) -> None:
        """There is nothing to give back."""
