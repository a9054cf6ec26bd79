"""Endpoint: where a direct door finds its model, and what it needs to be let in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one address.

    `model` is litellm's naming (``provider/name``), `name` what the server itself calls it. `base_url` is what the
    protocol's path is appended to (``https://api.openai.com/v1``, ``https://api.anthropic.com``). `max_output` is the
    most tokens the model can give in one reply, None when unknown. `env` is read for proxies (HTTPS_PROXY, HTTP_PROXY,
    ALL_PROXY, NO_PROXY) and certificates (SSL_CERT_FILE, SSL_CERT_DIR) alone. Key and headers never show in a repr.
    """

    model: str
    provider: str
    name: str
    base_url: str
    key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_output: int | None = None
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
