"""Naming: from a model's name, with or without its provider, to who serves it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agentmem.model import pricelist
from agentmem.model.catalog import lookup
from agentmem.model.provider import PROVIDERS, Provider, provider

_FORM = "A model is named provider/name, e.g. anthropic/claude-sonnet-5-5, openai/gpt-5.2 or ollama/qwen3"
_OPENAI_NAMES = r"(ft:)?(gpt-|chatgpt-|o\d|codex-)"


class ChoiceError(Exception):
    """No door could be chosen; `str(error)` says why and what the person can do."""


class NoModel(ChoiceError):
    """Nothing is wrong with what was asked, but there is no way to a model: no key, no server."""


@dataclass(frozen=True, slots=True)
class Named:
    """A model's provider (None: litellm finds it out) and its name there; `full` is litellm's naming.

    `told` is what was assumed on the way, in sentences.
    """

    provider: Provider | None
    name: str
    full: str
    told: tuple[str, ...] = ()


def resolve(model: str, home: Path, at_address: bool = False) -> Named:
    """Who serves a model of this name. `at_address` says that an address is given: there any name may be served.

    Raises `ChoiceError` that names the form, and where the name is known if it is.
    """
    prefix, slash, rest = model.partition("/")
    if not slash:
        return _bare(model, home, at_address)
    if not prefix or not rest:
        raise ChoiceError(f"{model} names no model. {_FORM}.")
    if (found := provider(prefix)) is not None:
        return Named(found, rest, f"{found.name}/{rest}")
    path = pricelist.locate()
    entries = pricelist.read(path) if path else {}
    if path is None or prefix in pricelist.providers(entries, path):
        return Named(None, rest, model)
    if at_address:
        return _compatible(model)
    raise ChoiceError(_unknown(model, entries))


def _bare(model: str, home: Path, at_address: bool) -> Named:
    """A name without a provider: by its pattern, then by the list of known models."""
    if re.match(_OPENAI_NAMES, model):
        return Named(PROVIDERS["openai"], model, f"openai/{model}")
    if model.startswith("claude-"):
        return Named(PROVIDERS["anthropic"], model, f"anthropic/{model}")
    owner = lookup(model, home).provider
    if at_address:
        return _compatible(model)
    if owner is None:
        path = pricelist.locate()
        raise ChoiceError(_unknown(model, pricelist.read(path) if path else {}))
    found = provider(owner)
    return Named(found, model, f"{found.name}/{model}" if found else model)


def _compatible(model: str) -> Named:
    told = f"{model} names no provider; the server at api_base is taken to be OpenAI-compatible."
    return Named(PROVIDERS["openai"], model, f"openai/{model}", (told,))


def _unknown(model: str, entries: Mapping[str, pricelist.Entry]) -> str:
    likely = pricelist.named(entries, model)[:4]
    hint = f" Did you mean {' or '.join(likely)}?" if likely else ""
    return (
        f"Nobody is known to serve a model named {model}.{hint} {_FORM}; for a server of your own add --api-base URL."
    )
