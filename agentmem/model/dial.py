"""Dial: from an address to a connected socket: name lookup, connect, proxy tunnel, TLS, within one time limit."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from agentmem.domain.cancel import Cancel
from agentmem.model.address import Address, wire_name
from agentmem.model.door import ModelError

if TYPE_CHECKING:
    import ssl

    from agentmem.model.proxy import Proxy

_SLICE = 0.05


class _Limit:
    """What is left of one time limit."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        return max(self._end - time.monotonic(), 0.0)


class Dialer:
    """Connects to one address, by the environment's proxy and certificates."""

    def __init__(self, address: Address, env: Mapping[str, str], seconds: float, hint: str | None = None) -> None:
        self._hint = hint or "Is the model's server running, and is api_base right?"
        self._address = address
        self._env = env
        self._seconds = seconds
        self._tls: ssl.SSLContext | None = None

    @property
    def proxy(self) -> Proxy | None:
        """The proxy that stands between, None without one."""
        if not any(name.lower().endswith("_proxy") for name in self._env):
            return None
        from agentmem.model.proxy import proxy_for

        return proxy_for(self._address.scheme, self._address.host, self._address.port, self._env)

    def dial(self, cancel: Cancel) -> socket.socket:
        """A connected socket, TLS done. Raises `ModelError` (network) and `Cancelled`."""
        limit, proxy, address = _Limit(self._seconds), self.proxy, self._address
        where = f"the proxy {proxy.host}:{proxy.port}" if proxy else address.origin
        try:
            line = _connect(*((proxy.host, proxy.port) if proxy else (address.host, address.port)), limit, cancel)
        except TimeoutError:
            raise self._failed(f"No connection to {where} within {self._seconds:g} s.") from None
        except ConnectionRefusedError:
            raise self._failed(f"No connection to {where}: refused, nothing listens there.") from None
        except socket.gaierror as error:
            raise self._failed(f"No connection to {where}: the name was not found ({error.strerror}).") from None
        except (OSError, UnicodeError) as error:
            raise self._failed(f"No connection to {where}: {error}.") from None
        try:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if address.scheme == "https":
                if proxy:
                    with cancel.calling(lambda: shut(line)):
                        self._tunnel(line, proxy, limit)
                line = self._secured(line)
                self._shake_hands(line, limit, cancel)
            return line
        except BaseException:
            line.close()
            cancel.check()
            raise

    def _failed(self, what: str) -> ModelError:
        from agentmem.model.proxy import is_local

        if is_local(self._address.host):
            return ModelError("network", f"{what} {self._hint}")
        return ModelError("network", f"{what} Check the network, the proxy settings and api_base.")

    def _tunnel(self, line: socket.socket, proxy: Proxy, limit: _Limit) -> None:
        from http.client import HTTPException, HTTPResponse

        host = f"[{self._address.host}]" if ":" in self._address.host else self._address.host
        target = f"{host}:{self._address.port}"
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"
        if proxy.authorization:
            head += f"Proxy-Authorization: {proxy.authorization}\r\n"
        try:
            line.settimeout(limit.left() or _SLICE)
            line.sendall(head.encode("latin-1", "replace") + b"\r\n")
            with closing(HTTPResponse(line, method="CONNECT")) as response:
                response.begin()
                status, reason = response.status, response.reason
        except (OSError, HTTPException) as error:
            raise self._failed(
                f"The proxy {proxy.host}:{proxy.port} opened no tunnel to {target} ({_say(error)})."
            ) from None
        if status != 200:
            raise self._failed(f"The proxy {proxy.host}:{proxy.port} refused a tunnel to {target}: {status} {reason}.")

    def _secured(self, line: socket.socket) -> ssl.SSLSocket:
        if self._tls is None:
            self._tls = _context(self._env)
        host = self._address.host
        return self._tls.wrap_socket(line, server_hostname=host, do_handshake_on_connect=False)

    def _shake_hands(self, line: socket.socket, limit: _Limit, cancel: Cancel) -> None:
        import ssl

        assert isinstance(line, ssl.SSLSocket)
        origin = self._address.origin
        try:
            line.settimeout(limit.left() or _SLICE)
            with cancel.calling(lambda: shut(line)):
                line.do_handshake()
        except ssl.SSLCertVerificationError as error:
            raise ModelError(
                "network",
                f"The certificate of {origin} was not accepted: {error.verify_message}. Behind a company proxy set "
                "SSL_CERT_FILE to a file that holds its certificate.",
                final=True,
            ) from None
        except TimeoutError:
            raise self._failed(f"No secure connection to {origin} within {self._seconds:g} s.") from None
        except OSError as error:
            raise self._failed(f"No secure connection to {origin}: {_say(error)}.") from None


def shut(line: socket.socket) -> None:
    """Break whatever blocks on the socket, from any thread; the socket stays to be closed."""
    with suppress(OSError):
        # The plain socket's own: TLS would first drop state that the blocked thread still uses.
        socket.socket.shutdown(line, socket.SHUT_RDWR)


def _say(error: Exception) -> str:
    return str(getattr(error, "reason", None) or getattr(error, "strerror", None) or error) or type(error).__name__


def _context(env: Mapping[str, str]) -> ssl.SSLContext:
    import ssl

    file, folder = env.get("SSL_CERT_FILE") or None, env.get("SSL_CERT_DIR") or None
    try:
        context = ssl.create_default_context(cafile=file, capath=folder)
    except OSError as error:
        raise ModelError(
            "network", f"The certificates of SSL_CERT_FILE={file} cannot be read: {_say(error)}.", final=True
        ) from None
    context.set_alpn_protocols(["http/1.1"])
    return context


def _connect(host: str, port: int, limit: _Limit, cancel: Cancel) -> socket.socket:
    found = _lookup(host, port, limit, cancel)
    failure: OSError = socket.gaierror(socket.EAI_NONAME, "it has no address")
    for index, (family, kind, protocol, _, where) in enumerate(found):
        line = socket.socket(family, kind, protocol)
        try:
            # Each address has its share: one that never answers must not eat the time of the next.
            _connect_one(line, where, limit.left() / (len(found) - index), cancel)
            return line
        except OSError as error:
            line.close()
            failure = error
        except BaseException:
            line.close()
            raise
    raise failure


def _connect_one(line: socket.socket, where: Any, seconds: float, cancel: Cancel) -> None:
    line.setblocking(False)
    end = time.monotonic() + seconds
    try:
        line.connect(where)
    except BlockingIOError:
        poll = select.poll()
        poll.register(line, select.POLLOUT)
        # In slices, since what wakes a half-open connection differs between systems.
        while not poll.poll(_SLICE * 1000):
            cancel.check()
            if time.monotonic() >= end:
                raise TimeoutError from None
        if code := line.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            import os

            raise OSError(code, os.strerror(code)) from None
    cancel.check()


def _lookup(host: str, port: int, limit: _Limit, cancel: Cancel) -> list[Any]:
    try:
        return socket.getaddrinfo(wire_name(host), port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        pass
    # A lookup cannot be broken off, so it runs aside and is left behind when the time is up.
    done, found, failed = threading.Event(), list[Any](), list[Exception]()

    def look() -> None:
        try:
            found.extend(socket.getaddrinfo(wire_name(host), port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            failed.append(error)
        done.set()

    threading.Thread(target=look, name="lookup", daemon=True).start()
    with cancel.calling(done.set):
        if not done.wait(limit.left()):
            raise TimeoutError
    cancel.check()
    if failed:
        raise failed[0]
    return found
