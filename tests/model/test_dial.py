"""Dialling against real sockets: time limits, names, proxies and TLS."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from posting import QUICK, post
from serving import Play, Server

from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.model.address import Address
from agentmem.model.dial import Dialer
from agentmem.model.door import ModelError
from agentmem.model.http import Client


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
