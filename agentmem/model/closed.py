"""A closed door: a model that is not to be asked; it still says how large a request would be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentmem.domain.cancel import Cancel
from agentmem.domain.prompt import Prompt
from agentmem.model.door import ModelError, Piece
from agentmem.model.shape import SCRIPTED_SHAPE, ShapeUnknown, writer


class ClosedDoor:
    """Stands for a model, ``provider/name``, whose requests had the `shape` that a log tells of."""

    def __init__(self, model: str, shape: object) -> None:
        self.model = model
        self.shape: Mapping[str, Any] = SCRIPTED_SHAPE
        try:
            self._write = writer(model, shape)
        except ShapeUnknown:
            self._write = writer(model, SCRIPTED_SHAPE)
        else:
            self.shape = shape if isinstance(shape, Mapping) else SCRIPTED_SHAPE

    def body(self, prompt: Prompt) -> bytes:
        """The request as it would be."""
        return self._write(prompt)

    def stream(self, prompt: Prompt, cancel: Cancel) -> Iterator[Piece]:
        """Raises `ModelError` always."""
        raise ModelError("bad_request", f"{self.model or 'the model'} is not to be asked here")

    def close(self) -> None:
        """There is nothing to give back."""
