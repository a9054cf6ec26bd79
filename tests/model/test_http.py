"""HTTP, dialling and TLS against real sockets."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from serving import Play, Server

from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.model.dial import Address, Dialer
from agentmem.model.door import ModelError
from agentmem.model.http import Client
from agentmem.model.timeouts import Timeouts

QUICK = Timeouts(connect=2.0, first_byte=5.0, idle=5.0)


def post(url: str, env: Mapping[str, str] | None = None, body: bytes = b"{}", **headers: str) -> tuple[int, bytes]:
    client = Client(url, env or {}, QUICK)
    try:
        with client.post("/ask", headers, body, Cancel()) as answer:
            return answer.status, answer.body(QUICK.idle)
    finally:
        client.close()


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.mark.parametrize(
    ("url", "address", "authority"),
    [
        ("https://api.test/v1/", Address("https", "api.test", 443, "/v1"), "api.test"),
        ("http://localhost:11434", Address("http", "localhost", 11434, ""), "localhost:11434"),
        ("https://me:secret@api.test:8443/x", Address("https", "api.test", 8443, "/x"), "api.test:8443"),
        ("http://[::1]:80/v1", Address("http", "::1", 80, "/v1"), "[::1]"),
        ("https://bücher.test", Address("https", "bücher.test", 443, ""), "xn--bcher-kva.test"),
        (" http://h/a%20b/é ", Address("http", "h", 80, "/a%20b/%C3%A9"), "h"),
    ],
)
def test_addresses(url: str, address: Address, authority: str) -> None:
    found = Address.parse(url)
    assert (found, found.authority) == (address, authority)
    assert found.origin == f"{address.scheme}://{authority}"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:1234",
        "ftp://x",
        "http://",
        "http://x:99999",
        "http://[x",
        "http://[::1",
        "http://[::zz]/v1",
        "http://x:0",
        "http://x:-1",
        "http://exa mple/v1",
        "http://x/v 1",
        "http://x/v1\r\nHost: y",
        "http://x\t.test",
        "http://x/\u00a0y",
        "http://x\\y/v1",
        "http://a,b/v1",
        "http://x/\0",
        "http://bü..cher",
        f"http://{'a' * 64}.test",
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(ModelError, match="api_base") as caught:
        Address.parse(url)
    assert caught.value.failure == "bad_request"


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


def test_a_full_backlog_is_given_up_in_time() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        fillers = []
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
            fillers.append(filler)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        started = time.monotonic()
        with pytest.raises(ModelError, match=r"within 0\.2 s"):
            Dialer(Address.parse(url), {}, 0.2).dial(Cancel())
        assert time.monotonic() - started < 4
        cancel = Cancel()
        timer = threading.Timer(0.1, cancel.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            Dialer(Address.parse(url), {}, 5).dial(cancel)
        assert time.monotonic() - started < 4.5
        timer.join()
        for filler in fillers:
            filler.close()


def test_an_unknown_name() -> None:
    with pytest.raises(ModelError, match=r"nowhere\.invalid") as caught:
        post("http://nowhere.invalid/v1")
    assert (caught.value.failure, caught.value.retryable) == ("network", True)


def test_names_of_this_machine(server: Server) -> None:
    server.play(Play((b"ok",)))
    assert post(f"http://localhost:{server.port}") == (200, b"ok")


def test_plain_http_through_a_proxy(server: Server) -> None:
    env = {"HTTP_PROXY": f"http://me:pw@127.0.0.1:{server.port}"}
    server.play(Play((b"ok",)))
    assert post("http://model.test:8000/v1", env) == (200, b"ok")
    seen = server.seen[0]
    assert (seen.path, seen.headers["host"]) == ("http://model.test:8000/v1/ask", "model.test:8000")
    assert seen.headers["proxy-authorization"] == "Basic bWU6cHc="


def test_a_proxy_that_is_gone() -> None:
    with Server() as gone:
        port = gone.port
    with pytest.raises(ModelError, match=f"the proxy 127.0.0.1:{port}: refused"):
        post("https://model.test/v1", {"HTTPS_PROXY": f"http://me:pw@127.0.0.1:{port}"})


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "407 Proxy Authentication Required"),
        (b"garbage\r\n\r\n", "opened no tunnel"),
        (b"", "opened no tunnel"),
    ],
)
def test_a_proxy_that_opens_no_tunnel(server: Server, answer: bytes, words: str) -> None:
    server.play(Play((answer,), framing="raw"))
    with pytest.raises(ModelError, match=words) as caught:
        post("https://model.test/v1", {"HTTPS_PROXY": f"http://127.0.0.1:{server.port}"})
    assert caught.value.failure == "network"


# -- TLS ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of its own authority for model.test and 127.0.0.1, its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    names = "subjectAltName=DNS:model.test,IP:127.0.0.1"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
    ]
    command += ["2", "-subj", "/CN=model.test", "-addext", names, "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both


@pytest.fixture
def secure(certificate: Path) -> Iterator[Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Server(tls=context) as server:
        yield server


def test_tls_with_a_named_certificate(secure: Server, certificate: Path) -> None:
    client = Client(secure.url, {"SSL_CERT_FILE": str(certificate)}, QUICK)
    for _ in range(3):
        secure.play(Play((b"a", b"b")))
        with client.post("/", {}, b"{}", Cancel()) as answer:
            assert answer.body(2) == b"ab"
    assert secure.connections == 1
    client.close()


def test_tls_with_a_certificate_folder(secure: Server, certificate: Path, tmp_path: Path) -> None:
    shutil.copy(certificate, tmp_path / "one.pem")
    subprocess.run(["openssl", "rehash", str(tmp_path)], check=True, capture_output=True)
    secure.play(Play((b"ok",)))
    assert post(secure.url, {"SSL_CERT_DIR": str(tmp_path)}) == (200, b"ok")


def test_a_certificate_that_is_not_known(secure: Server) -> None:
    with pytest.raises(ModelError, match="SSL_CERT_FILE") as caught:
        post(secure.url)
    assert (caught.value.failure, caught.value.retryable) == ("network", False)


def test_a_certificate_for_another_name(secure: Server, certificate: Path) -> None:
    with pytest.raises(ModelError, match="was not accepted"):
        post(f"https://localhost:{secure.port}", {"SSL_CERT_FILE": str(certificate)})


def test_a_certificate_file_that_is_gone(secure: Server, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"SSL_CERT_FILE=.*gone\.pem cannot be read") as caught:
        post(secure.url, {"SSL_CERT_FILE": str(tmp_path / "gone.pem")})
    assert not caught.value.retryable


def test_tls_where_none_is_spoken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as plain:

        def answer() -> None:
            line, _ = plain.accept()
            with line:
                line.recv(65536)
                line.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(ModelError, match="No secure connection") as caught:
            post(f"https://127.0.0.1:{plain.getsockname()[1]}")
        thread.join()
    assert caught.value.failure == "network"


def test_a_handshake_that_never_ends_can_be_broken_off() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}"
        started = time.monotonic()
        with pytest.raises(ModelError, match=r"within 0\.2 s"):
            Dialer(Address.parse(url), {}, 0.2).dial(Cancel())
        cancel = Cancel()
        timer = threading.Timer(0.1, cancel.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            Dialer(Address.parse(url), {}, 5).dial(cancel)
        timer.join()
        assert time.monotonic() - started < 4.5


def test_tls_through_a_tunnel(secure: Server, certificate: Path) -> None:
    with Server(tunnels=secure.port) as proxy:
        env = {"HTTPS_PROXY": f"http://me:pw@127.0.0.1:{proxy.port}", "SSL_CERT_FILE": str(certificate)}
        secure.play(Play((b"ok",)))
        assert post("https://model.test/v1", env, X_Key="secret") == (200, b"ok")
        asked = proxy.seen[0]
    assert (asked.method, asked.path) == ("CONNECT", "model.test:443")
    assert asked.headers["proxy-authorization"] == "Basic bWU6cHc="
    assert b"secret" not in asked.raw
    assert "proxy-authorization" not in secure.seen[0].headers


def test_cancel_breaks_a_blocked_tls_read(secure: Server, certificate: Path) -> None:
    secure.play(Play((b"a",), ending="hang"))
    client, cancel = Client(secure.url, {"SSL_CERT_FILE": str(certificate)}, QUICK), Cancel()
    timer = threading.Timer(0.1, cancel.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled), client.post("/", {}, b"{}", cancel) as answer:
        answer.body(5)
    assert time.monotonic() - started < 5
    timer.join()
