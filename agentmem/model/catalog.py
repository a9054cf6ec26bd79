"""Catalog: what is known of a model (window, output limit, prices), from litellm's data file and cached small."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.domain.message import Usage
from agentmem.model import pricelist

DEFAULT_WINDOW = 128_000
LOCAL_WINDOW = 32_000
_LOCAL = frozenset({"ollama", "ollama_chat", "llamafile", "lm_studio", "hosted_vllm", "vllm"})
_INPUT, _OUTPUT = "input_cost_per_token", "output_cost_per_token"
_CACHED, _WRITTEN = "cache_read_input_token_cost", "cache_creation_input_token_cost"
_CACHE_LAYOUT = 1
_CACHED_MODELS = 100

# litellm's own rule: Fireworks reads its cache at half the price where the list names none.
_CACHE_SHARE = {"fireworks_ai": 0.5}
# xAI bills the higher tier from the named number of tokens on, the others only above it.
_INCLUSIVE = frozenset({"xai"})


@dataclass(frozen=True, slots=True)
class Price:
    """USD a token, for prompts of more than `above` tokens: fresh `input`, `output`, tokens read from (`cached`) and
    `written` to the provider's cache."""

    above: int
    input: float
    output: float
    cached: float
    written: float


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model. `window` and `max_output` are in tokens; `known` is False when the window is only the
    stated default. `prices` are sorted by `above`, the first one 0; None when unknown. `tools` is None when unknown.

    `mode` is the list's word for what the model does (chat, responses, embedding, …), `provider` its owner there.
    """

    window: int
    max_output: int | None = None
    prices: tuple[Price, ...] | None = None
    tools: bool | None = None
    known: bool = True
    mode: str | None = None
    provider: str | None = None


def lookup(model: str, home: Path) -> ModelFacts:
    """The facts of a model in litellm's naming. Never raises: without a list, or in it, an unknown model gets the
    default window and `known=False`.

    What was looked up is kept in `home/cache/models.json` until litellm's file changes; a broken cache is rebuilt.
    """
    source = pricelist.locate()
    if source is None:
        return _unknown(model)
    try:
        stat = source.stat()
    except OSError:
        return _unknown(model)
    stamp = [_CACHE_LAYOUT, stat.st_size, stat.st_mtime_ns]
    cache = home / "cache" / "models.json"
    kept = _read_cache(cache, stamp)
    if (facts := _facts_from_json(kept.get(model))) is not None:
        return facts
    from agentmem.model import peek  # the cache spares most runs this

    facts = facts_of(peek.entries_about(source, model), model)
    _write_cache(cache, stamp, {**kept, model: asdict(facts)})
    return facts


def facts_of(entries: Mapping[str, pricelist.Entry], model: str) -> ModelFacts:
    """The facts of a model by the list given."""
    entry = pricelist.find(entries, model)
    if entry is None:
        return _unknown(model)
    window = _whole(entry.get("max_input_tokens")) or _whole(entry.get("max_tokens"))
    tools = entry.get("supports_function_calling")
    mode, provider = entry.get("mode"), entry.get("litellm_provider")
    return ModelFacts(
        window=window or _default_window(model),
        max_output=_whole(entry.get("max_output_tokens")) or _whole(entry.get("max_tokens")),
        prices=(Price(0, 0, 0, 0, 0),) if model.endswith(":free") else _prices(entry),
        tools=tools if isinstance(tools, bool) else None,
        known=window is not None,
        mode=mode if isinstance(mode, str) else None,
        provider=provider if isinstance(provider, str) else None,
    )


def cost(usage: Usage, facts: ModelFacts) -> float | None:
    """What a call cost in USD, each token counted once; None when the prices are unknown."""
    if not facts.prices:
        return None
    price = next((tier for tier in reversed(facts.prices) if usage.input > tier.above), facts.prices[0])
    fresh = max(0, usage.input - usage.cached - usage.written)
    return (
        fresh * price.input + usage.cached * price.cached + usage.written * price.written + usage.output * price.output
    )


def _unknown(model: str) -> ModelFacts:
    return ModelFacts(window=_default_window(model), known=False)


def _default_window(model: str) -> int:
    return LOCAL_WINDOW if model.partition("/")[0] in _LOCAL else DEFAULT_WINDOW


def _prices(entry: pricelist.Entry) -> tuple[Price, ...] | None:
    owner = str(entry.get("litellm_provider"))
    tiers = entry.get("tiered_pricing")
    rates = _rates(entry)
    found = [_price(0, rates, owner)]
    if isinstance(tiers, list) and tiers:
        found = [_price(_start(tier), _rates(tier), owner) for tier in tiers if isinstance(tier, dict)]
    else:
        for above, suffix in sorted(_thresholds(entry)):
            rates |= _rates(entry, suffix)
            found.append(_price(above - (owner in _INCLUSIVE), rates, owner))
    return tuple(sorted((price for price in found if price), key=lambda price: price.above)) or None


def _rates(entry: pricelist.Entry, suffix: str = "") -> dict[str, float]:
    """The prices named under the four keys with this suffix."""
    named = {key: _number(entry.get(key + suffix)) for key in (_INPUT, _OUTPUT, _CACHED, _WRITTEN)}
    return {key: rate for key, rate in named.items() if rate is not None}


def _price(above: int | None, rates: Mapping[str, float], owner: str) -> Price | None:
    """One tier; tokens of the cache cost what fresh input costs where the list names no price for them."""
    if above is None or _INPUT not in rates or _OUTPUT not in rates:
        return None
    fresh = rates[_INPUT]
    cached = rates.get(_CACHED, fresh * _CACHE_SHARE.get(owner, 1.0))
    return Price(above, fresh, rates[_OUTPUT], cached, rates.get(_WRITTEN, fresh))


def _thresholds(entry: pricelist.Entry) -> set[tuple[int, str]]:
    """The prompt sizes above which other prices hold, and how keys spell them: ``…_token_above_200k_tokens``."""
    found = set()
    for key in entry:
        head, _, tail = key.partition("_above_")
        number = tail.removesuffix("_tokens")
        if head in (_INPUT, _OUTPUT) and number != tail and number.removesuffix("k").isdecimal():
            thousands = 1000 if number.endswith("k") else 1
            found.add((int(number.removesuffix("k")) * thousands, f"_above_{tail}"))
    return found


def _start(tier: pricelist.Entry) -> int | None:
    """Where a tier given as ``{"range":[0,256000],"input_cost_per_token":…}`` starts."""
    span = tier.get("range")
    start = _number(span[0]) if isinstance(span, list) and span else None
    return None if start is None else int(start)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        return None
    return float(value)


def _whole(value: object) -> int | None:
    number = _number(value)
    return int(number) if number else None


def _read_cache(path: Path, stamp: list[int]) -> dict[str, Any]:
    try:
        data = json.loads(regular.read(path, 4 << 20))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict) or data.get("source") != stamp:
        return {}
    models = data.get("models")
    return models if isinstance(models, dict) else {}


def _write_cache(path: Path, stamp: list[int], models: dict[str, Any]) -> None:
    """Put the cache in place whole. Where it cannot be written, the next start reads the list again."""
    newest = dict(list(models.items())[-_CACHED_MODELS:])
    data = json.dumps({"source": stamp, "models": newest}).encode()
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.write_bytes(data)
        draft.chmod(0o600)
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _facts_from_json(value: object) -> ModelFacts | None:
    """Read one cached model strictly: anything unexpected counts as not cached."""
    if not isinstance(value, dict):
        return None
    try:
        fields = dict(value)
        given = fields.pop("prices")
        prices = None if given is None else tuple(Price(**price) for price in given)
        facts = ModelFacts(**fields, prices=prices)
    except (TypeError, ValueError, KeyError):
        return None
    numbers = [number for price in prices or () for number in asdict(price).values()]
    sound = (
        isinstance(facts.known, bool)
        and (_whole(facts.window), facts.max_output and _whole(facts.max_output)) == (facts.window, facts.max_output)
        and (facts.tools is None or isinstance(facts.tools, bool))
        and all(word is None or isinstance(word, str) for word in (facts.mode, facts.provider))
        and all(_number(number) is not None for number in numbers)
    )
    return facts if sound else None
