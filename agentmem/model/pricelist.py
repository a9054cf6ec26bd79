"""litellm's data file of models (windows, prices, providers), read as plain JSON without importing litellm.

The file maps a key to an entry, e.g. ``"gpt-4o": {"litellm_provider":"openai","max_input_tokens":128000,
"input_cost_per_token":2.5e-06,…}``. Keys are bare for some providers and ``provider/name`` for the others; an entry may
be a pointer (``{"alias_of": KEY}``) or bear further names (``"aliases": […]``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

Entry = Mapping[str, Any]

_FILE = "model_prices_and_context_window_backup.json"
_PROVIDERS_FILE = "provider_endpoints_support_backup.json"
RULES = "fallback_generalizations"
_NO_MODELS = frozenset({"sample_spec", RULES})

# What is asked of a rule. The others, a dozen long patterns, are not worth compiling.
_ASKED = frozenset({"max_input_tokens", "max_tokens", "max_output_tokens", "supports_function_calling", "mode"})

# What comes after a model's name and leaves it the same model: a date, "latest", a tag.
_SUFFIX = r"(-\d{4}-\d{2}-\d{2}|[-@]\d{8}|[-:@]latest|:[\w.-]+)$"

# The makers as OpenRouter spells them, where that is not how litellm does.
_MAKERS = {
    "google": "gemini",
    "x-ai": "xai",
    "mistralai": "mistral",
    "moonshotai": "moonshot",
    "z-ai": "zai",
    "minimax": "minimax",
}
_SAME_MODELS = {"ollama_chat": "ollama"}
_FAMILIES = ("vertex_ai", "fireworks_ai", "bedrock")


def locate() -> Path | None:
    """Where the installed litellm keeps the file; None without litellm. Finding a package does not run it."""
    spec = PathFinder.find_spec("litellm")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (path := Path(folder) / _FILE).is_file():
            return path
    return None


def read(path: Path) -> Mapping[str, Entry]:
    """All entries, pointers included. A file that cannot be read or is no JSON object gives none."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return {key: entry for key, entry in data.items() if isinstance(entry, dict)} if isinstance(data, dict) else {}


def find(entries: Mapping[str, Entry], model: str) -> Entry | None:
    """The entry for a model in litellm's naming, as litellm resolves it; None when it is not listed.

    Exact names come first, then names in another case, then the name without a date or tag, then what litellm's own
    rules for families say (those have no prices).
    """
    for name in spellings(model):
        if (entry := _listed(entries, name)) is not None:
            return entry
    lower = {key.lower(): entry for key, entry in entries.items()}
    for name in spellings(model.lower()):
        if (entry := _listed(lower, name)) is not None:
            return entry
    return _by_alias(entries, model) or _by_rules(entries, model)


def named(entries: Mapping[str, Entry], name: str) -> tuple[str, ...]:
    """The listed models that end in ``/name``, in the file's order: what someone who left the provider out may mean."""
    ending = "/" + name.lower()
    return tuple(key for key in entries if key.lower().endswith(ending))


def providers(entries: Mapping[str, Entry], path: Path) -> frozenset[str]:
    """Every provider name that litellm's data files know."""
    found = {key.split("/", 1)[0] for key in entries if "/" in key}
    owners = (entry.get("litellm_provider") for key, entry in entries.items() if key not in _NO_MODELS)
    found |= {owner for owner in owners if isinstance(owner, str)}
    support = read(path.with_name(_PROVIDERS_FILE)).get("providers", {})
    openai_like = read(path.parent / "llms" / "openai_like" / "providers.json")
    return frozenset(found | set(support) | set(openai_like))


def spellings(model: str) -> Iterator[str]:
    """The names to look for, best first; each is ``provider/name`` or a bare name."""
    seen: set[str] = set()
    for full in _dated(model):
        for name in (full, *_through_router(full)):
            if name not in seen:
                seen.add(name)
                yield name


def _dated(model: str) -> Iterator[str]:
    yield model
    while (shorter := re.sub(_SUFFIX, "", model)) != model:
        model = shorter
        yield model


def _through_router(model: str) -> Iterator[str]:
    provider, _, name = model.partition("/")
    if provider in _SAME_MODELS:
        yield f"{_SAME_MODELS[provider]}/{name}"
    if provider == "openrouter" and "/" in name:
        maker, _, own = name.partition("/")
        for spelled in dict.fromkeys((own, own.replace(".", "-"))):
            yield f"{_MAKERS.get(maker, maker)}/{spelled}"


def _listed(entries: Mapping[str, Entry], name: str) -> Entry | None:
    """The entry under this very name, or under the bare name if it is that provider's."""
    if (entry := _follow(entries, name)) is not None:
        return entry
    _, slash, bare = name.partition("/")
    if slash and (entry := _follow(entries, bare)) is not None and _fits(entry, name):
        return entry
    return None


def _follow(entries: Mapping[str, Entry], key: str) -> Entry | None:
    for _ in range(4):
        entry = None if key in _NO_MODELS else entries.get(key)
        target = entry.get("alias_of") if entry else None
        if not isinstance(target, str):
            return entry
        key = target
    return None


def _fits(entry: Entry, name: str) -> bool:
    """True when the entry is of the provider that a ``provider/name`` names; a bare name fits every entry."""
    provider, slash, _ = name.partition("/")
    owner = entry.get("litellm_provider")
    if not slash or not isinstance(owner, str) or owner == provider:
        return True
    return any(provider.startswith(family) and owner.startswith(family) for family in _FAMILIES)


def _by_alias(entries: Mapping[str, Entry], model: str) -> Entry | None:
    bare = model.partition("/")[2]
    for entry in entries.values():
        aliases = entry.get("aliases")
        if isinstance(aliases, list) and (model in aliases or (bare in aliases and _fits(entry, model))):
            return entry
    return None


def _by_rules(entries: Mapping[str, Entry], model: str) -> Entry | None:
    rules = entries.get(RULES, {}).get("rules")
    gathered: dict[str, Any] = {}
    for rule in rules if isinstance(rules, list) else ():
        info = rule.get("model_info") if isinstance(rule, dict) else None
        if (
            isinstance(info, dict)
            and "litellm_provider" not in info
            and not _ASKED.isdisjoint(info)
            and _matches(rule.get("pattern"), model)
        ):
            gathered |= info
    return gathered or None


def _matches(pattern: object, model: str) -> bool:
    try:
        return isinstance(pattern, str) and re.search(pattern, model, re.IGNORECASE) is not None
    except re.error:
        return False
