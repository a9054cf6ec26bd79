"""Drafts: tool calls as they come in, piece by piece, until they are whole."""

from __future__ import annotations

import json
from typing import Any

from agentmem.domain.message import ToolCall
from agentmem.model.halves import clean, clean_all
from agentmem.model.rendering import dump
from agentmem.model.sse import parse_object, refuse


class Draft:
    """One call in the making. `id` and `name` are empty as long as the server has not told them."""

    def __init__(self, index: int, call_id: str = "", name: str = "") -> None:
        self.index = index
        self.id = call_id
        self.name = name
        self._pieces: list[str] = []

    @property
    def raw(self) -> str:
        """The arguments so far, as text."""
        return "".join(self._pieces)

    @property
    def whole(self) -> bool:
        """True when the arguments are a JSON object from end to end."""
        return parse_arguments(self.raw) is not None

    def named(self, name: str) -> None:
        """Take a name in: the first one, a part of one, or one that is told again."""
        if name.startswith(self.name):
            self.name = name
        elif not self._pieces:
            self.name += name

    def add(self, arguments: object) -> str:
        """Take arguments in: text, or a value that a server sends in place of text. Gives the text that was added."""
        if arguments is None:
            return ""
        text = arguments if isinstance(arguments, str) else dump(arguments).decode()
        if text:
            self._pieces.append(text)
        return text

    def call(self, call_id: str, cut: bool) -> ToolCall:
        """The call. `cut` says that the length limit ended the reply: then no arguments are not none wanted."""
        raw = self.raw
        if not raw.strip():
            return ToolCall(call_id, clean(self.name), {}, raw if cut else None)
        arguments = parse_arguments(raw)
        if arguments is None:
            return ToolCall(call_id, clean(self.name), {}, clean(raw))
        return ToolCall(call_id, clean(self.name), arguments)


def parse_arguments(raw: str) -> dict[str, Any] | None:
    """The object that `raw` holds: as JSON, as JSON with bare line ends in its texts, or as JSON within a JSON text.

    ``null`` is no arguments. None for anything else.
    """
    found = parse_object(raw)
    if found is None:
        try:
            value = json.loads(raw, strict=False, parse_constant=refuse)
        except (ValueError, RecursionError):
            return None
        if value is None:
            return {}
        if isinstance(value, dict):
            found = value
        elif isinstance(value, str):
            found = parse_object(value)
    if found is not None and "\\ud" in raw.lower():
        found = clean_all(found)
    return found
