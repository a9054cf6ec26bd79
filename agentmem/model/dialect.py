"""Dialect: in what a server that speaks chat completions differs from OpenAI's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal
from urllib.parse import urlsplit

from agentmem.model.callids import CHAT_IDS, MISTRAL_IDS, IdForm
from agentmem.model.endpoint import Endpoint

_REASONING_FAMILY = r"(?a:o\d|gpt-[5-9]|codex)(?![a-z])"
_MISTRAL_FAMILY = ("mistral", "ministral", "magistral", "devstral", "codestral", "pixtral", "mixtral")
_REASONING_BACK = frozenset({"deepseek", "moonshot", "moonshotai", "zai"})
_IDS: Mapping[str, IdForm] = {"chat": CHAT_IDS, "mistral": MISTRAL_IDS}
_LIMIT_KEYS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True, slots=True)
class Dialect:
    """`limit_key` names the limit on output. `reasoning_back`: assistant messages must bring their reasoning along.
    `bridge`: no user message may follow a tool result directly. `marks`: the server takes prompt-cache marks.
    """

    ids: IdForm = CHAT_IDS
    limit_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    ask_usage: bool = True
    reasoning_back: bool = False
    bridge: bool = False
    marks: bool = False

    def to_json(self) -> dict[str, Any]:
        """What differs from the usual dialect."""
        usual = Dialect()
        out = {one.name: getattr(self, one.name) for one in fields(self)}
        out["ids"] = next(name for name, form in _IDS.items() if form is self.ids)
        return {key: value for key, value in out.items() if value not in (getattr(usual, key), "chat")}

    @staticmethod
    def from_json(value: object) -> Dialect:
        """The dialect that `to_json` told of. Raises `ValueError` for one that is not known."""
        told: dict[str, Any] = dict(value) if isinstance(value, Mapping) else {"": value}
        known = {one.name: _values(one.name) for one in fields(Dialect)}
        for key, one in told.items():
            if not isinstance(one, (str, bool)) or one not in known.get(key, ()):
                raise ValueError(f"{key}: {one!r}" if key else repr(one))
        ids = _IDS[told.pop("ids", "chat")]
        return Dialect(ids=ids, **told)


def dialect_of(endpoint: Endpoint) -> Dialect:
    """The dialect of an endpoint, by its provider, the model's name and the address."""
    provider, name = endpoint.provider.lower(), endpoint.name.lower()
    own_name = name.rpartition("/")[2]
    mistral = provider == "mistral" or own_name.startswith(_MISTRAL_FAMILY)
    openai = urlsplit(endpoint.base_url).hostname == "api.openai.com"
    newer = openai or (provider in ("openai", "azure") and bool(re.match(_REASONING_FAMILY, own_name)))
    return Dialect(
        ids=MISTRAL_IDS if mistral else CHAT_IDS,
        limit_key="max_completion_tokens" if newer else "max_tokens",
        ask_usage=provider != "mistral",  # Mistral tells usage unasked and refuses fields it does not know.
        reasoning_back=provider in _REASONING_BACK,
        bridge=mistral,
        marks=provider == "openrouter" and name.startswith("anthropic/"),
    )


def _values(name: str) -> tuple[object, ...]:
    return tuple(_IDS) if name == "ids" else _LIMIT_KEYS if name == "limit_key" else (True, False)
