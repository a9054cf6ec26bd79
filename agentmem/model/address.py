"""Address: where a model's server listens, read off what a person wrote."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from agentmem.model.door import ModelError

_HOST = re.compile(r"[A-Za-z0-9_.-]*")
_IN_PATHS = "/%:@!$&'()*+,;=~"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens; `path` is what stands before the protocol's own path, without a final slash."""

    scheme: str
    host: str
    port: int
    path: str = ""

    @staticmethod
    def parse(url: str) -> Address:
        """Read ``http(s)://host[:port][/path]``. Raises `ModelError` (bad_request) for anything else."""
        try:
            parts = urlsplit(_unbroken(url.strip()))
            host, port = parts.hostname or "", parts.port
            _check_host(host)
        except ValueError:
            parts, host, port = urlsplit(""), "", None
        if parts.scheme not in ("http", "https") or not host or port == 0:
            raise ModelError(
                "bad_request",
                "The model's address (api_base) must look like https://host/v1 or http://localhost:11434/v1.",
            )
        return Address(
            parts.scheme,
            host,
            port or (443 if parts.scheme == "https" else 80),
            quote(parts.path.rstrip("/"), _IN_PATHS),
        )

    @property
    def authority(self) -> str:
        """The Host header: host, and port where it is not the scheme's own."""
        host = wire_name(self.host).decode("ascii")
        host = f"[{host}]" if ":" in host else host
        return host if self.port == (443 if self.scheme == "https" else 80) else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """The address as people know it, without user, password and path."""
        return f"{self.scheme}://{self.authority}"


def _unbroken(url: str) -> str:
    """The address, if it holds no blank and nothing that does not print; parsing would leave some of them out."""
    if not url.isprintable() or any(map(str.isspace, url)) or "\\" in url:
        raise ValueError("an address has no blanks")
    return url


def _check_host(host: str) -> None:
    """Raises `ValueError` for what can be no host: neither a name nor an address."""
    if ":" in host:
        try:
            socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
        except OSError:
            raise ValueError("no IPv6 address") from None
    elif not _HOST.fullmatch(wire_name(host).decode("ascii")):
        raise ValueError("no host's name")


def wire_name(host: str) -> bytes:
    """The host's name as name servers know it. Raises `UnicodeError` for one that none can have."""
    if not host.isascii():
        return host.encode("idna")
    # What the codec would say of such a name, but for the time it takes to load its tables.
    *labels, last = host.split(".")
    if not all(0 < len(label) < 64 for label in labels) or len(last) > 63:
        raise UnicodeError("a part of the host's name is empty or too long")
    return host.encode("ascii")
