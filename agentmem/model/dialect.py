"""Dialect: in what a server that speaks chat completions differs from OpenAI's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from agentmem.model.callids import CHAT_IDS, MISTRAL_IDS, IdForm
from agentmem.model.endpoint import Endpoint

_REASONING_FAMILY = r"(?a:o\d|gpt-[5-9]|codex)(?![a-z])"
_MISTRAL_FAMILY = ("mistral", "ministral", "magistral", "devstral", "codestral", "pixtral", "mixtral")
_REASONING_BACK = frozenset({"deepseek", "moonshot", "moonshotai", "zai"})


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
