"""What is known of a model, what a call costs, and a cache that can be lost or broken."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.message import Usage
from agentmem.model import pricelist
from agentmem.model.catalog import ModelFacts, Price, cost, facts_of, lookup

FULL = {
    "litellm_provider": "anthropic",
    "mode": "chat",
    "max_input_tokens": 200_000,
    "max_output_tokens": 64_000,
    "supports_function_calling": True,
    "input_cost_per_token": 3e-6,
    "output_cost_per_token": 15e-6,
    "cache_read_input_token_cost": 0.3e-6,
    "cache_creation_input_token_cost": 3.75e-6,
    "input_cost_per_token_above_200k_tokens": 6e-6,
    "output_cost_per_token_above_200k_tokens": 22.5e-6,
    "cache_read_input_token_cost_above_200k_tokens": 0.6e-6,
    "cache_creation_input_token_cost_above_1hr": 99.0,
    "input_cost_per_token_above_200k_tokens_priority": 99.0,
}


def test_an_entry_becomes_facts() -> None:
    assert facts_of({"m": FULL}, "anthropic/m") == ModelFacts(
        window=200_000,
        max_output=64_000,
        prices=(
            Price(0, 3e-6, 15e-6, 0.3e-6, 3.75e-6),
            Price(200_000, 6e-6, 22.5e-6, 0.6e-6, 3.75e-6),
        ),
        tools=True,
        known=True,
        mode="chat",
        provider="anthropic",
    )


@pytest.mark.parametrize(
    ("model", "window"),
    [("nobody/knows", 128_000), ("ollama/mine", 32_000), ("lm_studio/mine", 32_000), ("hosted_vllm/mine", 32_000)],
)
def test_an_unknown_model_gets_the_stated_window_and_says_so(model: str, window: int) -> None:
    assert facts_of({}, model) == ModelFacts(window=window, known=False)


def test_an_entry_without_a_window_is_not_known() -> None:
    facts = facts_of({"p/m": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}}, "p/m")
    assert facts == ModelFacts(128_000, prices=(Price(0, 1e-6, 2e-6, 1e-6, 1e-6),), known=False)


def test_max_tokens_stands_in_for_both_limits() -> None:
    facts = facts_of({"p/m": {"max_tokens": 8192.0}}, "p/m")
    assert facts == ModelFacts(8192, 8192)


@pytest.mark.parametrize("junk", ["many", -1, float("nan"), float("inf"), True, None, [], 0, 10**400])
def test_junk_in_the_list_counts_as_absent(junk: object) -> None:
    entry = {"max_input_tokens": junk, "max_output_tokens": junk, "supports_function_calling": "yes", "mode": 7}
    assert facts_of({"p/m": entry}, "p/m") == ModelFacts(128_000, known=False)


def test_prices_need_both_directions() -> None:
    assert facts_of({"p/m": {"max_tokens": 9, "input_cost_per_token": 1e-6}}, "p/m").prices is None


def test_xai_bills_the_higher_tier_from_its_threshold_on() -> None:
    entry = {
        "litellm_provider": "xai",
        "input_cost_per_token": 1e-6,
        "output_cost_per_token": 1e-6,
        "input_cost_per_token_above_128k_tokens": 2e-6,
    }
    facts = facts_of({"xai/m": entry}, "xai/m")
    assert cost(Usage(127_999), facts) == pytest.approx(0.127999)
    assert cost(Usage(128_000), facts) == pytest.approx(0.256)


def test_ranged_prices_hold_for_the_whole_prompt() -> None:
    tiers: list[Any] = [
        {"range": [256_000.0, 1e6], "input_cost_per_token": 3e-6, "output_cost_per_token": 4e-6},
        {"range": [0, 256_000.0], "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6},
        {"range": "bad", "input_cost_per_token": 9.0, "output_cost_per_token": 9.0},
        "no tier",
    ]
    facts = facts_of({"d/m": {"tiered_pricing": tiers, "input_cost_per_token": 7.0}}, "d/m")
    assert facts.prices == (Price(0, 1e-6, 2e-6, 1e-6, 1e-6), Price(256_000, 3e-6, 4e-6, 3e-6, 3e-6))
    assert cost(Usage(256_000, 1000), facts) == pytest.approx(0.258)
    assert cost(Usage(300_000, 1000), facts) == pytest.approx(0.904)


def test_fireworks_reads_its_cache_at_half_the_price() -> None:
    entry = {"litellm_provider": "fireworks_ai", "input_cost_per_token": 2e-6, "output_cost_per_token": 2e-6}
    assert facts_of({"fireworks_ai/m": entry}, "fireworks_ai/m").prices == (Price(0, 2e-6, 2e-6, 1e-6, 2e-6),)


def test_a_free_variant_costs_nothing() -> None:
    facts = facts_of({"m": FULL}, "openrouter/anthropic/m:free")
    assert cost(Usage(1000, 1000), facts) == 0.0


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        (Usage(), 0.0),
        (Usage(1_000_000 // 10, 1000), 0.3 + 0.015),
        # 100,000 tokens: 80,000 read from the cache, 10,000 written to it, 10,000 fresh; each is paid once.
        (Usage(100_000, 0, 80_000, 10_000), 0.024 + 0.0375 + 0.03),
        (Usage(200_000, 0), 0.6),
        (Usage(200_001, 1000, 200_000), 0.000006 + 0.0225 + 0.12),
    ],
)
def test_a_call_costs_what_its_tokens_cost(usage: Usage, usd: float) -> None:
    assert cost(usage, facts_of({"m": FULL}, "anthropic/m")) == pytest.approx(usd)


def test_an_unknown_price_is_no_price() -> None:
    assert cost(Usage(1, 1), ModelFacts(1000)) is None


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_cached_token_never_costs_more_than_a_fresh_one(fresh: int, cached: int, written: int, output: int) -> None:
    facts = ModelFacts(1, prices=(Price(0, 3.0, 15.0, 0.3, 3.0),))
    usd = cost(Usage(fresh + cached + written, output, cached, written), facts)
    assert usd is not None
    assert usd == pytest.approx(fresh * 3.0 + cached * 0.3 + written * 3.0 + output * 15.0)


def test_a_lookup_reads_the_installed_list_and_is_cached(tmp_path: Path) -> None:
    first = lookup("openai/gpt-4o", tmp_path / "home")
    cache = tmp_path / "home" / "cache" / "models.json"
    assert (first.window, first.max_output, first.tools, first.known) == (128_000, 16_384, True, True)
    assert first.prices == (Price(0, 2.5e-6, 1e-5, 1.25e-6, 2.5e-6),)
    assert list(json.loads(cache.read_text())["models"]) == ["openai/gpt-4o"]
    assert stat.S_IMODE(cache.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.parent.stat().st_mode) == 0o700
    before = cache.stat().st_mtime_ns
    assert lookup("openai/gpt-4o", tmp_path / "home") == first
    assert cache.stat().st_mtime_ns == before
    assert [path.name for path in cache.parent.iterdir()] == ["models.json"]


def test_lookups_gather_in_the_cache_and_it_stays_small(tmp_path: Path) -> None:
    lookup("openai/gpt-4o", tmp_path)
    lookup("nobody/knows", tmp_path)
    cache = tmp_path / "cache" / "models.json"
    kept = json.loads(cache.read_text())
    assert list(kept["models"]) == ["openai/gpt-4o", "nobody/knows"]
    assert lookup("nobody/knows", tmp_path) == ModelFacts(128_000, known=False)
    kept["models"] = {f"x/{number}": kept["models"]["nobody/knows"] for number in range(150)}
    cache.write_text(json.dumps(kept))
    lookup("openai/gpt-4o", tmp_path)
    names = list(json.loads(cache.read_text())["models"])
    assert (len(names), names[0], names[-1]) == (100, "x/51", "openai/gpt-4o")


def _doctored(change: dict[str, Any]) -> Any:
    def make(kept: dict[str, Any]) -> str:
        kept["models"]["openai/gpt-4o"] |= change
        return json.dumps(kept)

    return make


@pytest.mark.parametrize(
    "broken",
    [
        lambda kept: "",
        lambda kept: "{",
        lambda kept: "[1]",
        lambda kept: "[" * 100_000,
        lambda kept: json.dumps({**kept, "models": []}),
        lambda kept: json.dumps({**kept, "models": {"openai/gpt-4o": 7}}),
        lambda kept: json.dumps({**kept, "models": {"openai/gpt-4o": {"window": 1}}}),
        lambda kept: json.dumps({**kept, "source": [0, 0, 0]}).replace("128000", "1"),
        _doctored({"window": "128k"}),
        _doctored({"window": -5}),
        _doctored({"max_output": "x"}),
        _doctored({"known": 1}),
        _doctored({"tools": "yes"}),
        _doctored({"prices": [{"above": 0}]}),
        _doctored({"prices": [{"above": 0, "input": "1", "output": 1, "cached": 1, "written": 1}]}),
        _doctored({"prices": 3}),
        _doctored({"more": 3}),
    ],
)
def test_a_broken_or_old_cache_is_rebuilt(tmp_path: Path, broken: Any) -> None:
    facts = lookup("openai/gpt-4o", tmp_path)
    cache = tmp_path / "cache" / "models.json"
    whole = cache.read_text()
    cache.write_text(broken(json.loads(whole)))
    assert lookup("openai/gpt-4o", tmp_path) == facts
    assert json.loads(cache.read_text()) == json.loads(whole)


def test_without_a_place_for_the_cache_a_lookup_still_answers(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert lookup("openai/gpt-4o", tmp_path).window == 128_000


def test_the_installed_list_keeps_its_shape() -> None:
    path = pricelist.locate()
    assert path is not None
    entries = pricelist.read(path)
    for model in ("anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro", "xai/grok-4.3", "mistral/devstral-latest"):
        facts = facts_of(entries, model)
        assert facts.known, model
        assert facts.tools, model
        assert facts.prices, model
    assert [price.above for price in facts_of(entries, "gemini/gemini-2.5-pro").prices or ()] == [0, 200_000]
