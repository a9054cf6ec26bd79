"""By rule: a summary made of structured actions, and what completes one that a model wrote."""

from __future__ import annotations

from collections.abc import Sequence

from agentmem.domain.entry import Entry

BESIDE = 2_000
"""Characters of completion beside a written summary."""


def ruled(span: Sequence[Entry], budget: int) -> str:
    """The summary of a span in at most `budget` tokens, in the pinned order. It states only what the log holds."""
    raise NotImplementedError


def completion(span: Sequence[Entry], text: str, most: int = BESIDE) -> str:
    """What `text` lacks of the span's identifiers, by square root of frequency x recency, in at most `most`
    characters; "" where nothing is missing."""
    raise NotImplementedError
