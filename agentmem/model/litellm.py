"""The litellm door: every provider that no direct door speaks to; the last choice, as loading litellm takes seconds."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from queue import Empty
from typing import Any

from agentmem.domain.cancel import Cancel
from agentmem.domain.prompt import Prompt
from agentmem.model.door import ModelError, Piece
from agentmem.model.endpoint import Endpoint
from agentmem.model.litellm_body import LitellmBody
from agentmem.model.litellm_call import Call, Ended, Failed, Loaded
from agentmem.model.litellm_failures import litellm_failure
from agentmem.model.litellm_reply import LitellmReply
from agentmem.model.timeouts import Timeouts

_DEFAULTS = Timeouts()


class LitellmDoor:
    """One model behind litellm. Each call runs in a thread of its own, which a caller that is cancelled or has waited
    too long leaves behind. `random` gives random bytes, for the id of a call that came without one.

    `slow_start` tells faces that the first request waits some seconds until litellm is loaded.
    """

    slow_start = True

    def __init__(
        self, endpoint: Endpoint, timeouts: Timeouts = _DEFAULTS, random: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._endpoint = endpoint
        self._timeouts = timeouts
        self._random = random
        self._body = LitellmBody(endpoint)

    @property
    def model(self) -> str:
        """The model in litellm's naming, ``provider/name``."""
        return self._endpoint.model

    @property
    def shape(self) -> Mapping[str, Any]:
        """What of the settings decides how a body looks; see `agentmem.model.shape`."""
        from agentmem.model.shape import litellm_shape

        return litellm_shape(self._endpoint)

    def body(self, prompt: Prompt) -> bytes:
        """The arguments handed to litellm for this prompt, as JSON; key, address and time limits are left out."""
        return self._body.write(prompt)

    def stream(self, prompt: Prompt, cancel: Cancel) -> Iterator[Piece]:
        """Ask once: deltas as they come, and last the whole reply. Raises `ModelError` and `Cancelled`."""
        cancel.check()
        fold = LitellmReply(self._endpoint.provider, lambda: "call_" + self._random(6).hex())
        call = Call({**json.loads(self.body(prompt)), **self._private()})
        try:
            with cancel.calling(call.wake):
                for chunk in self._chunks(call, cancel):
                    yield from fold.feed(chunk)
        finally:
            call.leave()
        if fold.finish is None:
            raise ModelError("dropped", f"The stream of {self.model} ended before its end mark.")
        yield fold.reply()

    def close(self) -> None:
        """Nothing is held: litellm keeps its connections itself."""

    def _private(self) -> dict[str, Any]:
        """What is handed over beside the body. Retries and time limits are ours; litellm's own limit is there so that a
        call which was left behind ends some time."""
        endpoint = self._endpoint
        base = endpoint.base_url.removesuffix("/v1") if endpoint.provider == "ollama" else endpoint.base_url
        given = {"api_key": endpoint.key, "api_base": base, "extra_headers": dict(endpoint.headers)}
        limit = max(self._timeouts.first_byte, self._timeouts.idle) + 1
        return {**{name: value for name, value in given.items() if value}, "max_retries": 0, "timeout": limit}

    def _chunks(self, call: Call, cancel: Cancel) -> Iterator[Mapping[str, Any]]:
        """Chunks as they come out of the call's thread. Loading litellm has no time limit, each later wait has one."""
        call.start()
        limit: float | None = None
        streaming = False
        while True:
            try:
                item = call.items.get(timeout=limit)
            except Empty:
                raise ModelError("network", f"{self.model} sent nothing for {limit:g} s; it is given up.") from None
            cancel.check()
            if isinstance(item, Loaded):
                limit = self._timeouts.first_byte
            elif isinstance(item, Ended):
                return
            elif isinstance(item, Failed):
                raise litellm_failure(item.error, self._endpoint, streaming) from None
            else:
                limit, streaming = self._timeouts.idle, True
                yield item
