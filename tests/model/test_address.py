"""What a person wrote as the address of a model's server."""

from __future__ import annotations

import pytest

from agentmem.model.address import Address
from agentmem.model.door import ModelError


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
