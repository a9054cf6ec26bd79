"""Chat: the door to servers that speak OpenAI's chat completions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agentmem.domain.cancel import Cancel
from agentmem.domain.prompt import Prompt
from agentmem.model.chat_body import ChatBody
from agentmem.model.door import Piece
from agentmem.model.endpoint import Endpoint
from agentmem.model.exchange import Exchange, Fold, Request
from agentmem.model.http import Client
from agentmem.model.timeouts import Timeouts

_PATH = "/chat/completions"
_DEFAULTS = Timeouts()


class ChatDoor:
    """One model behind chat completions. `random` gives random bytes, for the id of a call that came without one."""

    def __init__(
        self, endpoint: Endpoint, timeouts: Timeouts = _DEFAULTS, random: Callable[[int], bytes] = os.urandom
    ) -> None:
        base = endpoint.base_url.rstrip("/").removesuffix(_PATH)
        self._endpoint = endpoint
        self._body = ChatBody(endpoint)
        self._exchange = Exchange(
            endpoint, Client(base, endpoint.env, timeouts, _HINTS.get(endpoint.provider)), timeouts
        )
        self._random = random
        self._headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}

    @property
    def model(self) -> str:
        """The model in litellm's naming, ``provider/name``."""
        return self._endpoint.model

    @property
    def shape(self) -> Mapping[str, Any]:
        """What of the settings decides how a body looks; see `agentmem.model.shape`."""
        from agentmem.model.shape import chat_shape

        return chat_shape(self._endpoint)

    def body(self, prompt: Prompt) -> bytes:
        """The exact request body that `stream` sends for this prompt."""
        return self._body.write(prompt)

    def stream(self, prompt: Prompt, cancel: Cancel) -> Iterator[Piece]:
        """Ask once: deltas as they come, and last the whole reply. Raises `ModelError` and `Cancelled`."""
        request = Request(_PATH, self.body(prompt), {**self._headers, **self._endpoint.headers})
        yield from self._exchange.run(request, self._new_fold, cancel)

    def close(self) -> None:
        """Give the connection back."""
        self._exchange.client.close()

    def _new_fold(self) -> Fold:
        from agentmem.model.chat_reply import ChatReply  # there is time for it once the request is sent

        return ChatReply(self._endpoint.provider, self._new_id)

    def _new_id(self) -> str:
        return "call_" + self._random(6).hex()


_HINTS = {
    "ollama": "Start it with `ollama serve`.",
    "ollama_chat": "Start it with `ollama serve`.",
    "lm_studio": "Start it with `lms server start`.",
}
