from __future__ import annotations

import pytest

from agentmem.model.door import ModelError
from agentmem.model.proxy import Proxy, is_local, proxy_for

ENV = {"HTTPS_PROXY": "http://secure.test:3128", "http_proxy": "plain.test", "ALL_PROXY": "http://all.test:8080/"}


def test_by_scheme() -> None:
    assert proxy_for("https", "api.test", 443, ENV) == Proxy("secure.test", 3128)
    assert proxy_for("http", "api.test", 80, ENV) == Proxy("plain.test", 80)
    assert proxy_for("https", "api.test", 443, {"all_proxy": "http://all.test:8080"}) == Proxy("all.test", 8080)
    assert proxy_for("https", "api.test", 443, {"HTTPS_PROXY": " "}) is None
    assert proxy_for("https", "api.test", 443, {}) is None


def test_user_and_password() -> None:
    proxy = proxy_for("https", "api.test", 443, {"HTTPS_PROXY": "http://me:p%40ss@[::1]:3128"})
    assert proxy == Proxy("::1", 3128, "Basic bWU6cEBzcw==")
    assert "bWU6" not in repr(proxy)


@pytest.mark.parametrize("named", ["socks5://127.0.0.1:1080", "https://proxy.test:443", "http://"])
def test_other_kinds_are_refused(named: str) -> None:
    with pytest.raises(ModelError, match=r"NO_PROXY=api\.test") as caught:
        proxy_for("https", "api.test", 443, {"HTTPS_PROXY": named})
    assert caught.value.failure == "network"


@pytest.mark.parametrize(
    ("rule", "host", "port", "direct"),
    [
        ("*", "api.test", 443, True),
        ("api.test", "api.test", 443, True),
        ("API.test.", "api.TEST", 443, True),
        ("test", "api.test", 443, True),
        (".api.test", "api.test", 443, True),
        ("*.test", "api.test", 443, True),
        ("pi.test", "api.test", 443, False),
        ("other.test, api.test", "api.test", 443, True),
        ("other.test api.test", "api.test", 443, True),
        ("api.test:443", "api.test", 443, True),
        ("api.test:8443", "api.test", 443, False),
        ("10.0.0.0/8", "10.1.2.3", 443, True),
        ("10.0.0.0/8", "11.1.2.3", 443, False),
        ("10.0.0.0/8", "api.test", 443, False),
        ("fd00::/8", "fd00::5", 443, True),
        ("[fd00::5]:443", "fd00::5", 443, True),
        ("[fd00::5]:80", "fd00::5", 443, False),
        ("fd00::5", "fd00::5", 443, True),
        ("", "api.test", 443, False),
        (",", "api.test", 443, False),
    ],
)
def test_no_proxy(rule: str, host: str, port: int, direct: bool) -> None:
    assert (proxy_for("https", host, port, {**ENV, "NO_PROXY": rule}) is None) is direct


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.8.9.1", "::1"])
def test_this_machine_is_never_proxied(host: str) -> None:
    assert is_local(host)
    assert proxy_for("http", host, 11434, ENV) is None


@pytest.mark.parametrize("host", ["api.test", "127.test", "127.0.0.1.evil.test", "10.0.0.1"])
def test_others_are(host: str) -> None:
    assert not is_local(host)
