"""A model server on the loopback address for benchmarks: it asks for one bash call a request, then says it is done.

    POST /RUN/CALLS/v1/chat/completions    reply n of RUN: the bash call ``echo call-n`` up to CALLS, then "done"
    GET  /RUN/records                      [[arrived, replied, body bytes], …], in seconds of perf_counter

A process of its own (it shares no interpreter lock with what it serves), plain sockets, no parsing of bodies: it costs
less than a millisecond a request. It prints its port, and ends when its standard input does.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = tuple[float, float, int]


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A server that runs."""

    port: int

    def api_base(self, run: str, calls: int) -> str:
        """The address that makes `calls` tool calls in a turn; `run` names the turn."""
        return f"http://127.0.0.1:{self.port}/{run}/{calls}/v1"

    def records(self, run: str) -> list[Record]:
        """(arrived, replied, body bytes) of each request of a turn, in order."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{self.port}/{run}/records", timeout=10) as reply:
            return [(arrived, replied, size) for arrived, replied, size in json.load(reply)]


@contextmanager
def serving() -> Iterator[ModelServer]:
    """A server in a process of its own, for as long as the block runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.model_server"],
        cwd=Path(__file__).resolve().parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    with process:
        yield ModelServer(int(process.stdout.readline()))
        process.stdin.close()


def reply(number: int, calls: int) -> bytes:
    """The HTTP response to request `number` (from 1): a stream of chat completion chunks."""
    if number <= calls:
        function = {"name": "bash", "arguments": json.dumps({"command": f"echo call-{number}"})}
        call = {"index": 0, "id": f"call_{number:06}", "type": "function", "function": function}
        deltas: list[Mapping[str, Any]] = [{"role": "assistant", "content": None}, {"tool_calls": [call]}]
    else:
        deltas = [{"role": "assistant", "content": ""}, {"content": "done"}]
    reason = "tool_calls" if number <= calls else "stop"
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    chunks.append(
        {"choices": [], "usage": {"prompt_tokens": 1000 + number, "completion_tokens": 20, "total_tokens": 0}}
    )
    common: dict[str, Any] = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
    lines = [b"data: " + json.dumps(common | chunk).encode() + b"\n\n" for chunk in chunks]
    body = b"".join(b"%x\r\n%s\r\n" % (len(line), line) for line in [*lines, b"data: [DONE]\n\n"]) + b"0\r\n\r\n"
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + body


def _plain(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class _Server:
    def __init__(self) -> None:
        self.records: dict[str, list[Record]] = defaultdict(list)
        self.lock = threading.Lock()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)

    def forever(self) -> None:
        while True:
            connection, _ = self.socket.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection: socket.socket) -> None:
        """Answer requests on one connection until the client closes it."""
        held = b""
        with connection:
            while (request := _request(connection, held)) is not None:
                path, size, held = request
                arrived = time.perf_counter()
                with self.lock:
                    self.answer(connection, path.strip("/").split("/"), arrived, size)

    def answer(self, connection: socket.socket, path: list[str], arrived: float, size: int) -> None:
        """Answer one request; called under the lock, so that a reply is on record before anyone asks for it."""
        match path:
            case [run, "records"]:
                connection.sendall(_plain("200 OK", json.dumps(self.records[run]).encode()))
            case [run, calls, "v1", "chat", "completions"]:
                connection.sendall(reply(len(self.records[run]) + 1, int(calls)))
                self.records[run].append((arrived, time.perf_counter(), size))
            case _:
                connection.sendall(_plain("404 Not Found", b'{"error":{"message":"no such path"}}'))


def _request(connection: socket.socket, held: bytes) -> tuple[str, int, bytes] | None:
    """(path, body bytes, what came after it) of the next request; None when the client closed."""
    while (end := held.find(b"\r\n\r\n")) < 0:
        if not (got := connection.recv(65536)):
            return None
        held += got
    first, *headers = held[:end].decode("latin-1").split("\r\n")
    size = next((int(h.split(":", 1)[1]) for h in headers if h.lower().startswith("content-length:")), 0)
    pieces, have = [held[end + 4 :]], len(held) - end - 4
    while have < size:
        if not (got := connection.recv(262144)):
            return None
        pieces.append(got)
        have += len(got)
    return first.split(" ")[1], size, b"".join(pieces)[size:]


if __name__ == "__main__":
    server = _Server()
    print(server.socket.getsockname()[1], flush=True)
    threading.Thread(target=server.forever, daemon=True).start()
    sys.stdin.read()
