"""Proxy: which proxy the environment names for an address, if any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from agentmem.model.door import ModelError


@dataclass(frozen=True, slots=True)
class Proxy:
    """An http proxy; `authorization` is the value of its Proxy-Authorization header."""

    host: str
    port: int
    authorization: str | None = field(default=None, repr=False)


def proxy_for(scheme: str, host: str, port: int, env: Mapping[str, str]) -> Proxy | None:
    """The proxy for an address: HTTPS_PROXY or HTTP_PROXY by scheme, else ALL_PROXY, in either case of letters.

    None where there is none, where NO_PROXY covers the host, and for this machine itself: a model served here is never
    reached through a proxy elsewhere. Raises `ModelError` (network) for a proxy this program cannot speak to.
    """
    named = _first(env, f"{scheme}_proxy", "all_proxy")
    if named is None or is_local(host) or _covered(host, port, _first(env, "no_proxy") or ""):
        return None
    parts = urlsplit(named if "://" in named else f"http://{named}")
    if parts.scheme != "http" or not parts.hostname:
        raise ModelError(
            "network",
            f"The environment's proxy ({parts.scheme}://{parts.hostname or ''}) is no http:// one, and only those are "
            f"supported. Set {scheme.upper()}_PROXY to an http:// one, or NO_PROXY={host}.",
        )
    return Proxy(parts.hostname, _port(parts.netloc, 80), _authorization(parts.username, parts.password))


def is_local(host: str) -> bool:
    """True for a name or address of this machine's loopback."""
    name = host.lower().rstrip(".")
    return name in ("localhost", "::1") or name.endswith(".localhost") or (name.startswith("127.") and _is_dotted(name))


def _is_dotted(name: str) -> bool:
    pieces = name.split(".")
    return len(pieces) == 4 and all(piece.isdecimal() for piece in pieces)


def _port(netloc: str, default: int) -> int:
    last = netloc.rpartition("@")[2].rpartition(":")[2]
    return int(last) if last.isdecimal() and 0 < int(last) < 65536 else default


def _first(env: Mapping[str, str], *names: str) -> str | None:
    for name in names:
        if found := (env.get(name) or env.get(name.upper()) or "").strip():
            return found
    return None


def _authorization(user: str | None, password: str | None) -> str | None:
    if user is None:
        return None
    from base64 import b64encode

    pair = f"{unquote(user)}:{unquote(password or '')}"
    return "Basic " + b64encode(pair.encode()).decode("ascii")


def _covered(host: str, port: int, no_proxy: str) -> bool:
    name = host.lower().rstrip(".")
    return any(_matches(name, port, rule) for rule in no_proxy.lower().replace(",", " ").split())


def _matches(name: str, port: int, rule: str) -> bool:
    if rule == "*":
        return True
    if "/" in rule:
        return _in_network(name, rule)
    if rule.startswith("["):
        rule, _, rest = rule[1:].partition("]")
        rule_port = rest.lstrip(":")
    else:
        head, _, tail = rule.rpartition(":")
        rule, rule_port = (head, tail) if head and ":" not in head and tail.isdecimal() else (rule, "")
    if rule_port and rule_port != str(port):
        return False
    bare = rule.removeprefix("*").strip(".")
    return bool(bare) and (name == bare or name.endswith("." + bare))


def _in_network(name: str, rule: str) -> bool:
    from ipaddress import ip_address, ip_network

    try:
        return ip_address(name) in ip_network(rule, strict=False)
    except ValueError:
        return False
