"""Prompt: what one model call gets, before a door puts it into a provider's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentmem.domain.message import Message


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told of a tool; `schema` is a JSON schema of an object."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One model call: the system text and tools hold still for an epoch, messages only grow within it.

    `messages` are always legal: roles alternate (tool results count with the assistant they answer), each call has
    exactly one result next to it, no message is empty, call ids are unique.
    """

    system: str
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    max_output: int | None = None
