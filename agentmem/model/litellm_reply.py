"""litellm reply: from litellm's chunks to pieces, and at the end to one reply with its signed thinking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentmem.domain.message import Reply, Thinking
from agentmem.model.chat_reply import ChatReply
from agentmem.model.door import Piece


class LitellmReply:
    """Folds chunks, given as plain objects in the form of chat completions, litellm's own additions included."""

    def __init__(self, provider: str, new_id: Callable[[], str]) -> None:
        self._chat = ChatReply(provider, new_id)
        self._provider = provider
        self._open = ""
        self._blocks: list[Thinking] = []

    @property
    def finish(self) -> str | None:
        """The reason for the end, None before that."""
        return self._chat.finish

    def feed(self, chunk: Mapping[str, Any]) -> Iterator[Piece]:
        """The pieces in one chunk."""
        for choice in chunk.get("choices") or ():
            for block in (choice.get("delta") or {}).get("thinking_blocks") or ():
                self._thought(block)
        yield from self._chat.feed({**chunk, "usage": _usage(chunk.get("usage"))})

    def reply(self) -> Reply:
        """The whole reply. Raises `ModelError` (dropped) for one that was not finished, or says nothing."""
        reply = self._chat.reply()
        if not self._blocks:
            return reply
        rest = (Thinking(self._open, provider=self._provider),) if self._open else ()
        said = tuple(part for part in reply.parts if not isinstance(part, Thinking))
        return replace(reply, parts=(*self._blocks, *rest, *said))

    def _thought(self, block: Mapping[str, Any]) -> None:
        """A block comes in pieces; its signature is the last one."""
        if data := block.get("data"):
            self._blocks.append(Thinking("", provider=self._provider, redacted=data))
        self._open += block.get("thinking") or ""
        if signature := block.get("signature"):
            self._blocks.append(Thinking(self._open, signature, self._provider))
            self._open = ""


def _usage(usage: Any) -> Any:
    """litellm tells the tokens written to a cache in one of three places."""
    if not isinstance(usage, Mapping):
        return usage
    details = dict(usage.get("prompt_tokens_details") or {})
    places = (details.get("cache_write_tokens"), details.get("cache_creation_tokens"))
    written = max(count or 0 for count in (*places, usage.get("cache_creation_input_tokens")))
    cached = max(details.get("cached_tokens") or 0, usage.get("cache_read_input_tokens") or 0)
    return {**usage, "prompt_tokens_details": {**details, "cached_tokens": cached, "cache_write_tokens": written}}
