"""A loopback HTTP server that does exactly what a test scripts, and records each request byte for byte.

    with Server() as server:
        server.play(Play(pieces=chat_reply(Said("Hi"))), Play(status=429, headers={"Retry-After": "1"}))
        ...  # ask server.url
        assert server.seen[0].json["model"] == "m"

A piece is written by one write, a number in its place is a pause in seconds. It needs the standard library alone, so
that benchmarks can use it too.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

Ending = Literal["whole", "cut", "reset", "hang"]
Framing = Literal["chunked", "length", "close", "raw"]


@dataclass(frozen=True)
class Play:
    """One answer. `framing` raw writes the pieces alone, as they are. `ending` whole ends by the framing's rules, cut
    closes without them, reset breaks the connection, hang says nothing more until the client goes."""

    pieces: Sequence[bytes | float] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    framing: Framing = "chunked"
    ending: Ending = "whole"
    kind: str = "text/event-stream"
    wait: float = 0.0
    reads: bool = True
    """False answers before the body was read, and closes."""


@dataclass(frozen=True)
class Seen:
    """A request: `raw` is all of it, `connection` counts from 0, header names are lower-case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    raw: bytes
    connection: int

    @cached_property
    def json(self) -> Any:
        return json.loads(self.body.decode("utf-8"))


class Server:
    """Listens on a free port of 127.0.0.1 while the block runs. `tunnels` answers CONNECT by joining to that port."""

    def __init__(
        self, tls: Any = None, tunnels: int | None = None, always: Callable[[Seen], Play] | None = None
    ) -> None:
        self.seen: list[Seen] = []
        self.connections = 0
        self._tls = tls
        self._tunnels = tunnels
        self._always = always
        self._plays: list[Play] = []
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def play(self, *plays: Play) -> None:
        """Answer the next requests by these, one each."""
        self._plays.extend(plays)

    @property
    def left(self) -> int:
        """How many plays were not asked for."""
        return len(self._plays)

    def __enter__(self) -> Server:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        _break(self._listener)
        self._listener.close()
        with self._lock:
            for line in self._open:
                _break(line)
        for thread in self._threads:
            thread.join(5)

    def _start(self, run: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=run, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number, self.connections = self.connections, self.connections + 1
            self._start(self._serve, line, number)

    def _serve(self, line: socket.socket, number: int) -> None:
        try:
            if self._tls:
                line = self._tls.wrap_socket(line, server_side=True)
            with self._lock:
                self._open.add(line)
            with line.makefile("rb") as reader:
                while self._one(line, reader, number):
                    pass
        except (OSError, ValueError):
            pass
        finally:
            with self._lock:
                self._open.discard(line)
            line.close()

    def _one(self, line: socket.socket, reader: Any, number: int) -> bool:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            if not (got := reader.readline()):
                return False
            head += got
        first, *rest = head.decode("latin-1").split("\r\n")[:-2]
        method, path, _ = first.split(" ")
        headers = {name.strip().lower(): value.strip() for name, _, value in (one.partition(":") for one in rest)}
        if method == "CONNECT" and self._tunnels:
            self.seen.append(Seen(method, path, headers, b"", head, number))
            return self._tunnel(line, reader)
        play = self._next(None)
        body = reader.read(int(headers.get("content-length", 0))) if play is None or play.reads else b""
        seen = Seen(method, path, headers, body, head + body, number)
        self.seen.append(seen)
        return self._answer(line, play or self._next(seen) or _DRY)

    def _next(self, seen: Seen | None) -> Play | None:
        if self._plays:
            return self._plays.pop(0)
        return self._always(seen) if seen is not None and self._always else None

    def _answer(self, line: socket.socket, play: Play) -> bool:
        self._stopping.wait(play.wait)
        if play.framing != "raw":
            line.sendall(_head(play))
        for piece in play.pieces:
            if isinstance(piece, (int, float)):
                self._stopping.wait(piece)
            elif play.framing == "chunked":
                line.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            else:
                line.sendall(piece)
        match play.ending:
            case "hang":
                while line.recv(65536):
                    pass
            case "reset":
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            case "whole" if play.framing == "chunked":
                line.sendall(b"0\r\n\r\n")
                return play.reads
            case "whole":
                return play.framing == "length" and play.reads
        return False

    def _tunnel(self, line: socket.socket, reader: Any) -> bool:
        with socket.create_connection(("127.0.0.1", self._tunnels)) as other:
            with self._lock:
                self._open.add(other)
            line.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_pump, args=(other.recv, line), daemon=True)
            back.start()
            _pump(reader.read1, other)
            back.join(5)
            with self._lock:
                self._open.discard(other)
        return False


_DRY = Play((b'{"error":{"message":"the script ran dry"}}',), status=418, kind="application/json")


def _pump(read: Callable[[int], bytes], to: socket.socket) -> None:
    try:
        while got := read(65536):
            to.sendall(got)
    except (OSError, ValueError):
        pass
    _break(to)


def _break(line: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(line, socket.SHUT_RDWR)


def _head(play: Play) -> bytes:
    fields = {"Content-Type": play.kind, **play.headers}
    if play.framing == "chunked":
        fields["Transfer-Encoding"] = "chunked"
    elif play.framing == "length":
        fields["Content-Length"] = str(sum(len(piece) for piece in play.pieces if isinstance(piece, bytes)))
    else:
        fields["Connection"] = "close"
    lines = [f"HTTP/1.1 {play.status} Scripted", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
