"""Answer: what a server sends back, read as it comes. Loaded once a request is under way, with all of http.client."""

from __future__ import annotations

import socket
from http.client import HTTPException, HTTPResponse

from agentmem.domain.cancel import Cancel
from agentmem.model.door import ModelError

_CHUNK = 65536
_BODY_LIMIT = 64 * 1024 * 1024
_LINGER = 0.05
_RESTS = 4


class Answer:
    """A response whose body is read as it comes. `headers` has lower-case names. It is valid inside `Client.post`."""

    def __init__(self, line: socket.socket, response: HTTPResponse, cancel: Cancel, origin: str) -> None:
        self._line = line
        self._response = response
        self._cancel = cancel
        self._origin = origin
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    def body(self, idle: float) -> bytes:
        """The whole body. Raises as `read` does, and `ModelError` (dropped) beyond 64 MB."""
        parts, size = [], 0
        while chunk := self.read(idle):
            parts.append(chunk)
            size += len(chunk)
            if size > _BODY_LIMIT:
                raise ModelError("dropped", f"{self._origin} sent an answer of more than 64 MB.")
        return b"".join(parts)

    def drained(self) -> bool:
        """True when the body was read to its end, so that the connection can serve again.

        A stream's own end mark often comes before the body's: that little rest is waited for, but not long.
        """
        try:
            ended = any(not self.read(_LINGER) for _ in range(_RESTS))
        except ModelError:
            return False
        return ended and not self._response.will_close

    def read(self, seconds: float) -> bytes:
        """The next piece of the body, at most 64 KB, as soon as it is there; empty at the body's end.

        Raises `ModelError`: network after `seconds` without a byte, dropped when the connection breaks or ends before
        the body does; and `Cancelled`.
        """
        self._cancel.check()
        if self._response.isclosed():
            return b""
        try:
            self._line.settimeout(seconds)
            chunk = self._response.read1(_CHUNK)
        except TimeoutError:
            self._cancel.check()
            raise ModelError(
                "network", f"{self._origin} sent nothing for {seconds:g} s; the stream is given up."
            ) from None
        except (OSError, HTTPException, ValueError):
            self._cancel.check()
            raise self._dropped() from None
        self._cancel.check()
        if not chunk and self._response.length:
            raise self._dropped()
        return chunk

    def _dropped(self) -> ModelError:
        return ModelError("dropped", f"The connection to {self._origin} broke off in the middle of the answer.")
