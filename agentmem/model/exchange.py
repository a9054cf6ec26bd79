"""Exchange: one request and its answer, from the status to the end mark, the same for every direct protocol."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.message import Reply
from agentmem.model.door import ModelError, Piece
from agentmem.model.endpoint import Endpoint
from agentmem.model.http import Client
from agentmem.model.timeouts import Timeouts

if TYPE_CHECKING:
    from agentmem.model.answer import Answer
    from agentmem.model.sse import JsonEvents

_BOM = b"\xef\xbb\xbf"
_AFTER_THE_REASON = 5.0
# A lost event that belonged to a tool call: without it the call could parse and yet say something else.
_OF_A_CALL = r"(?i)tool_?(call|use)|partial_?json|input_json|function|arguments"


class Fold(Protocol):
    """Makes a reply from events. `finish` is set by the reason for the end, `ended` by the protocol's end mark."""

    finish: str | None
    ended: bool

    def feed(self, event: Mapping[str, Any]) -> Iterator[Piece]:
        """The pieces in one event."""
        ...

    def reply(self) -> Reply:
        """The reply; raises `ModelError` (dropped) when it is not one."""
        ...


@dataclass(frozen=True, slots=True)
class Request:
    """What is posted: `path` follows the base URL's own, `headers` hold the key."""

    path: str
    body: bytes
    headers: Mapping[str, str] = field(repr=False)


class Exchange:
    """Asks one endpoint over one client."""

    def __init__(self, endpoint: Endpoint, client: Client, timeouts: Timeouts) -> None:
        self.endpoint = endpoint
        self.client = client
        self.timeouts = timeouts

    def run(self, request: Request, new_fold: Callable[[], Fold], cancel: Cancel) -> Iterator[Piece]:
        """Send, and yield the pieces as they come and the reply last. Raises as `Door.stream` does."""
        with self.client.post(request.path, request.headers, request.body, cancel) as answer:
            fold = new_fold()
            if not 200 <= answer.status < 300:
                from agentmem.model.failures import status_failure

                raise status_failure(self.endpoint, answer.status, answer.headers, self._words(answer))
            head = self._head(answer)
            match head.removeprefix(_BOM).lstrip()[:1]:
                case b"{" | b"[":
                    yield from self._whole(head + answer.body(self.timeouts.idle), fold)
                case b"<":
                    answer.body(self.timeouts.idle)
                    raise self._no_stream("a web page")
                case _:
                    yield from self._stream(answer, head, fold)
            reply = fold.reply()
        yield reply

    def _words(self, answer: Answer) -> bytes:
        """What a refusal says; the status alone says enough when its words do not come."""
        try:
            return answer.body(min(self.timeouts.idle, _AFTER_THE_REASON))
        except ModelError:
            return b""

    def _head(self, answer: Answer) -> bytes:
        """The first bytes that are not blank: they tell a stream from a whole answer, whatever the headers say."""
        head = b""
        while not head.removeprefix(_BOM).strip() and len(head) < 65536:
            if not (chunk := answer.read(self.timeouts.first_byte)):
                break
            head += chunk
        return head

    def _whole(self, body: bytes, fold: Fold) -> Iterator[Piece]:
        from agentmem.model.sse import parse_object

        found = parse_object(body.decode("utf-8-sig", "replace").strip().removeprefix("[").removesuffix("]"))
        if found is None:
            raise self._no_stream("JSON that could not be read")
        if is_error(found):
            raise self._failed(found)
        yield from fold.feed(found)
        if fold.finish is None and not fold.ended:
            raise self._no_stream(f"JSON that holds no reply ({', '.join(sorted(found))[:200]})")

    def _stream(self, answer: Answer, head: bytes, fold: Fold) -> Iterator[Piece]:
        from agentmem.model.sse import JsonEvents

        events = JsonEvents()
        chunk = head
        while chunk:
            yield from self._fold(events.feed(chunk), fold)
            if events.done or fold.ended:
                break
            chunk = self._more(answer, fold)
        yield from self._fold(events.end(), fold)
        if not (events.done or fold.ended or fold.finish):
            raise ModelError("dropped", f"The stream of {self.endpoint.model} ended before its end mark.")
        if events.lost:
            yield self._lost(events)

    def _more(self, answer: Answer, fold: Fold) -> bytes:
        """The next bytes. Once the model said why it stopped, only bookkeeping can follow: a break there is an end."""
        if not fold.finish:
            return answer.read(self.timeouts.idle)
        try:
            return answer.read(min(self.timeouts.idle, _AFTER_THE_REASON))
        except ModelError:
            return b""

    def _fold(self, events: Iterator[Mapping[str, Any]], fold: Fold) -> Iterator[Piece]:
        for event in events:
            if is_error(event):
                raise self._failed(event)
            yield from fold.feed(event)

    def _lost(self, events: JsonEvents) -> Notice:
        if len(events.broken) < events.lost or any(re.search(_OF_A_CALL, text) for text in events.broken):
            raise ModelError("dropped", f"A part of a tool call was lost in the stream of {self.endpoint.model}.")
        from agentmem.model.failures import redacted

        sample = redacted(events.broken[0][:80], self.endpoint)
        count = f"{events.lost} event{'s' if events.lost > 1 else ''}"
        return Notice("warning", f"{count} of the model's stream could not be read and passed over: {sample!r}")

    def _failed(self, event: Mapping[str, Any]) -> ModelError:
        # The words of every provider are compiled on its import, which a session without a failure never needs.
        from agentmem.model.failures import stream_failure

        return stream_failure(self.endpoint, event)

    def _no_stream(self, what: str) -> ModelError:
        return ModelError(
            "bad_request",
            f"{self.client.origin} answered with {what}, not with a reply of {self.endpoint.model}: is api_base right?",
        )


def is_error(event: Mapping[str, Any]) -> bool:
    """True for an error object, alone or in an event."""
    return bool(event.get("error")) or event.get("type") == "error" or event.get("object") == "error"
