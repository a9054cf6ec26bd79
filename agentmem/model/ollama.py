"""Ollama: whether one answers on this machine, and which of its models to take."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentmem.domain.cancel import Cancel
from agentmem.model.door import ModelError
from agentmem.model.http import Client
from agentmem.model.timeouts import Timeouts

# It is on this machine: what does not answer at once is not there.
_TIMEOUTS = Timeouts(connect=0.5, first_byte=1.0, idle=1.0)
_PATIENCE = 2.0
_LOOKED_AT = 12


@dataclass(frozen=True, slots=True)
class Served:
    """A model that Ollama has. `tools` is None where Ollama does not say."""

    name: str
    tools: bool | None


def best_model(base_url: str, env: Mapping[str, str]) -> Served | None:
    """The model to take: the newest one that takes tools, else the newest one that talks; None when nobody answers or
    nothing is there. It takes two seconds at most.

    `base_url` is Ollama's own, without ``/v1``. `env` is read for proxies, which a local address goes past.
    """
    end = time.monotonic() + _PATIENCE
    try:
        client = Client(base_url, env, _TIMEOUTS)
    except ModelError:  # an OLLAMA_HOST that is no address
        return None
    try:
        names = _names(client)
        fallback: Served | None = None
        for name in names[:_LOOKED_AT]:
            can = _capabilities(client, name) if time.monotonic() < end else None
            if can is not None and "tools" in can:
                return Served(name, True)
            if fallback is None and (can is None or "completion" in can):
                fallback = Served(name, None if can is None else False)
        return fallback
    finally:
        client.close()


def _names(client: Client) -> list[str]:
    """The models in Ollama's order, the newest first."""
    listed = _ask(client, "/api/tags").get("models")
    names = [model.get("name") for model in listed if isinstance(model, dict)] if isinstance(listed, list) else []
    return [name for name in names if isinstance(name, str) and name]


def _capabilities(client: Client, name: str) -> list[Any] | None:
    found = _ask(client, "/api/show", json.dumps({"model": name}).encode()).get("capabilities")
    return found if isinstance(found, list) else None


def _ask(client: Client, path: str, body: bytes | None = None) -> Mapping[str, Any]:
    """The JSON object answered; an empty one for whatever goes wrong."""
    asked = client.get(path, {}, Cancel()) if body is None else client.post(path, {}, body, Cancel())
    try:
        with asked as answer:
            data = json.loads(answer.body(_TIMEOUTS.idle)) if answer.status == 200 else None
    except (ModelError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
