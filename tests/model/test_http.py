"""HTTP against real sockets."""

from __future__ import annotations

import threading
import time

import pytest
from posting import QUICK, post
from serving import Play, Server

from agentmem.domain.cancel import Cancel
from agentmem.model.door import ModelError
from agentmem.model.http import Client


def test_the_request_byte_for_byte(server: Server) -> None:
    server.play(Play((b"ok",), framing="length"))
    assert post(server.url + "/base/", None, b'{"a":1}', **{"X-One": " 1 "}) == (200, b"ok")
    head, body = server.seen[0].raw.split(b"\r\n\r\n")
    assert body == b'{"a":1}'
    assert head.decode().split("\r\n") == [
        "POST /base/ask HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        "User-Agent: agentmem/0.1.0",
        "Accept: text/event-stream, application/json",
        "Accept-Encoding: identity",
        "Content-Type: application/json",
        "X-One: 1",
        "Content-Length: 7",
    ]


def test_headers_of_one_name_are_sent_once(server: Server) -> None:
    server.play(Play((b"ok",), framing="length"))
    post(server.url, None, b"{}", **{"Authorization": "old", "authorization": "new", "user-agent": "mine"})
    names = [line.split(b":")[0].lower() for line in server.seen[0].raw.split(b"\r\n")[1:-2]]
    assert len(names) == len(set(names))
    assert (server.seen[0].headers["authorization"], server.seen[0].headers["user-agent"]) == ("new", "mine")


def test_what_to_do_about_a_server_here_that_does_not_listen() -> None:
    with Server() as gone:
        url = gone.url
    client = Client(url, {}, QUICK, "Start it with `ollama serve`.")
    with pytest.raises(ModelError, match=r"nothing listens there\. Start it with `ollama serve`\."):
        client.post("/", {}, b"{}", Cancel()).__enter__()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X", "a\r\nEvil: 1"),
        ("X", "a\nb"),
        ("X", "\x00"),
        ("X", "k\u2026y"),
        ("X\r\nY", "1"),
        ("X:", "1"),
        ("", "1"),
        ("é", "1"),
    ],
)
def test_headers_that_are_none(server: Server, name: str, value: str) -> None:
    with pytest.raises(ModelError) as caught:
        post(server.url, None, b"{}", **{name: value})
    assert caught.value.failure == "bad_request"
    assert value not in str(caught.value) or value == "1"
    assert server.connections == 0


def test_a_body_that_ends_too_soon(server: Server) -> None:
    for play in (
        Play((b"abc",), headers={"Content-Length": "9"}, framing="close"),
        Play((b"abc",), ending="cut"),
        Play((b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",), framing="raw"),
        Play((b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc",), framing="raw"),
        Play((b"abc",), ending="reset"),
    ):
        server.play(play)
        with pytest.raises(ModelError) as caught:
            post(server.url)
        assert caught.value.failure == "dropped"


@pytest.mark.parametrize(
    "junk", [b"SSH-2.0-x\r\n\r\n", b"HTTP/9\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x15\x03\x03\x00\x02\x02"]
)
def test_what_is_no_http(server: Server, junk: bytes) -> None:
    server.play(Play((junk,), framing="raw"))
    with pytest.raises(ModelError, match="not HTTP") as caught:
        post(server.url)
    assert caught.value.failure == "dropped"


def test_a_chunk_header_that_breaks_off(server: Server) -> None:
    server.play(Play((b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",), framing="raw", ending="reset"))
    with pytest.raises(ModelError) as caught:
        post(server.url)
    assert caught.value.failure == "dropped"


def test_an_answer_before_the_body_was_read(server: Server) -> None:
    server.play(Play((b"too large",), 413, framing="length", reads=False))
    try:
        assert post(server.url, None, b"x" * 20_000_000) == (413, b"too large")
    except ModelError as error:
        # The system may throw the answer away with the connection; then the connection is what is told of.
        assert error.failure == "dropped"


def test_interim_answers_are_passed_over(server: Server) -> None:
    server.play(Play((b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",), framing="raw"))
    assert post(server.url) == (200, b"ok")


def test_an_endless_tail_is_not_waited_for(server: Server) -> None:
    server.play(Play((b"ok", 3, b"more"), ending="hang"), Play((b"ok",)))
    client = Client(server.url, {}, QUICK)
    started = time.monotonic()
    for _ in range(2):
        with client.post("/", {}, b"{}", Cancel()) as answer:
            assert answer.read(1) == b"ok"
    assert time.monotonic() - started < 2.9
    assert [seen.connection for seen in server.seen] == [0, 1]
    client.close()


def test_two_threads_share_a_client(server: Server) -> None:
    client, results = Client(server.url, {}, QUICK), []
    server.play(*(Play((0.05, b"ok")) for _ in range(8)))

    def ask() -> None:
        with client.post("/", {}, b"{}", Cancel()) as answer:
            results.append(answer.body(2))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [b"ok"] * 8
    client.close()
    client.close()
