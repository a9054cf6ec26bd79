"""Weight: how many bytes a message puts into a request, near enough to share out the tokens that were counted."""

from __future__ import annotations

import json
from collections.abc import Iterable

from agentmem.domain.message import Image, Message, Part, Text, Thinking

BYTES_A_TOKEN = 4.0
"""While no provider has counted."""
FRAME = 40
"""What stands around a message's content: role, ids, brackets."""
IMAGE = 6_000
"""Providers count an image by its area, a large one as about 1,500 tokens, however many bytes it has."""


def of(part: Part) -> int:
    """Bytes of one part."""
    match part:
        case Text():
            return len(part.text.encode("utf-8", "replace"))
        case Image():
            return IMAGE
        case Thinking():
            return sum(
                len(text.encode("utf-8", "replace")) for text in (part.text, part.signature or part.redacted or "")
            )
    arguments = json.dumps(part.arguments, ensure_ascii=False) if part.raw is None else part.raw
    return len((part.name + part.id + arguments).encode("utf-8", "replace"))


def total(messages: Iterable[Message]) -> int:
    """Bytes of messages with what stands around them."""
    return sum(FRAME + sum(map(of, message.parts)) for message in messages)
