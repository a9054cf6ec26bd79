"""HTTP: one request at a time over a connection that is kept; the only module that knows how bytes reach a provider."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from agentmem import __version__
from agentmem.domain.cancel import Cancel
from agentmem.model.address import Address
from agentmem.model.dial import Dialer, shut
from agentmem.model.door import ModelError
from agentmem.model.timeouts import Timeouts

if TYPE_CHECKING:
    from http.client import HTTPResponse

    from agentmem.model.answer import Answer


class _Stale(Exception):
    """A kept connection was dead before it gave a byte."""


class Client:
    """Asks one address. Threads may share it: a connection in use is nobody else's, and one idle one is kept."""

    def __init__(self, base_url: str, env: Mapping[str, str], timeouts: Timeouts, hint: str | None = None) -> None:
        """`hint` is what to do when a server on this machine does not answer."""
        self._address = Address.parse(base_url)
        self._dialer = Dialer(self._address, env, timeouts.connect, hint)
        self._timeouts = timeouts
        self._lock = threading.Lock()
        self._kept: socket.socket | None = None

    @property
    def origin(self) -> str:
        """The address for messages, without path, user and password."""
        return self._address.origin

    @contextmanager
    def post(self, path: str, headers: Mapping[str, str], body: bytes, cancel: Cancel) -> Iterator[Answer]:
        """Send `body` (JSON) to the address's path plus `path`; the block reads the answer.

        A connection that was kept and died meanwhile is opened once more. Raises `ModelError` (network, dropped,
        bad_request for a header that is none) and `Cancelled`, at once when the token is set while it blocks.
        """
        cancel.check()
        with self._exchange(self._head("POST", path, headers, len(body)) + body, cancel) as answer:
            yield answer

    @contextmanager
    def get(self, path: str, headers: Mapping[str, str], cancel: Cancel) -> Iterator[Answer]:
        """Ask for the address's path plus `path`; the block reads the answer. Raises as `post` does."""
        cancel.check()
        with self._exchange(self._head("GET", path, headers, None), cancel) as answer:
            yield answer

    @contextmanager
    def _exchange(self, request: bytes, cancel: Cancel) -> Iterator[Answer]:
        line = self._take()
        response = None
        if line is not None:
            with suppress(_Stale):
                response = self._ask(line, request, cancel, kept=True)
        if line is None or response is None:
            line = self._dialer.dial(cancel)
            response = self._ask(line, request, cancel, kept=False)
        from agentmem.model.answer import Answer

        answer = Answer(line, response, cancel, self.origin)
        keep = False
        try:
            with cancel.calling(lambda: shut(line)):
                yield answer
                keep = answer.drained()
        finally:
            response.close()
            if not (keep and not cancel.cancelled and self._keep(line)):
                line.close()

    def close(self) -> None:
        """Close the kept connection."""
        if (line := self._take()) is not None:
            line.close()

    def _ask(self, line: socket.socket, request: bytes, cancel: Cancel, kept: bool) -> HTTPResponse:
        response = None
        try:
            with cancel.calling(lambda: shut(line)):
                line.settimeout(self._timeouts.first_byte)
                try:
                    line.sendall(request)
                except (BrokenPipeError, ConnectionResetError):
                    # A server may refuse a body before it has read it all: its answer says why.
                    if kept and not _waits(line):
                        raise
                # Loaded while the server is at work: this takes a third as long as a whole bare Python.
                from http.client import HTTPResponse

                response = HTTPResponse(line, method="POST")
                response.begin()
            cancel.check()
            return response
        except BaseException as error:
            stale = kept and isinstance(error, ConnectionError) and not _has_bytes(response)
            if response is not None:
                response.close()
            line.close()
            cancel.check()
            if stale:
                raise _Stale from None
            if isinstance(error, Exception) and (said := self._unanswered(error)) is not None:
                raise said from None
            raise

    def _unanswered(self, error: Exception) -> ModelError | None:
        from http.client import HTTPException, RemoteDisconnected

        if isinstance(error, TimeoutError):
            return ModelError("network", f"{self.origin} did not answer within {self._timeouts.first_byte:g} s.")
        if isinstance(error, RemoteDisconnected):
            return ModelError("dropped", f"{self.origin} closed the connection without an answer.")
        if isinstance(error, HTTPException):
            return ModelError("dropped", f"{self.origin} answered with something that is not HTTP; is api_base right?")
        if not isinstance(error, (OSError, ValueError)):
            return None
        return ModelError("dropped", f"The connection to {self.origin} broke off before an answer ({error}).")

    def _head(self, method: str, path: str, headers: Mapping[str, str], length: int | None) -> bytes:
        proxy = self._dialer.proxy if self._address.scheme == "http" else None
        target = self._address.path + path
        fields = {
            "Host": self._address.authority,
            "User-Agent": f"agentmem/{__version__}",
            "Accept": "text/event-stream, application/json",
            "Accept-Encoding": "identity",
        }
        sized = {} if length is None else {"Content-Length": str(length)}
        typed = {} if length is None else {"Content-Type": "application/json"}
        for name, value in (*typed.items(), *headers.items(), *sized.items()):
            # Names that differ in case alone are one header: the later one stands.
            fields = {known: kept for known, kept in fields.items() if known.lower() != name.lower()} | {name: value}
        if proxy is not None:
            target = self._address.origin + target
            if proxy.authorization:
                fields["Proxy-Authorization"] = proxy.authorization
        return "".join(
            (f"{method} {target} HTTP/1.1\r\n", *(_field(name, value) for name, value in fields.items()), "\r\n")
        ).encode("latin-1")

    def _take(self) -> socket.socket | None:
        with self._lock:
            line, self._kept = self._kept, None
        if line is not None and _waits(line):
            # An idle connection that has something to say was closed by the other side.
            line.close()
            return None
        return line

    def _keep(self, line: socket.socket) -> bool:
        with self._lock:
            if self._kept is not None:
                return False
            self._kept = line
            return True


def _field(name: str, value: str) -> str:
    value = value.strip()
    if not name.isascii() or any(mark < "!" or mark in ":\x7f" for mark in name) or not name:
        raise ModelError("bad_request", "A configured header's name is not allowed in HTTP.")
    if any((mark < " " and mark != "\t") or mark == "\x7f" or mark > "\xff" for mark in value):
        # The value may be a key: it is not shown.
        raise ModelError("bad_request", f"The value for the header {name} holds characters that no header may hold.")
    return f"{name}: {value}\r\n"


def _waits(line: socket.socket) -> bool:
    poll = select.poll()
    poll.register(line, select.POLLIN)
    return bool(poll.poll(0))


def _has_bytes(response: HTTPResponse | None) -> bool:
    try:
        return response is not None and response.isclosed() is False and bool(response.fp.peek(1))
    except (OSError, ValueError):
        return False
