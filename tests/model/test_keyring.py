"""Keys by provider, and names that no provider bears."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmem.model.choice import Wanted, choose
from agentmem.model.keyring import key_of, strangers
from agentmem.model.provider import PROVIDERS


def test_a_key_is_found_under_every_name_of_its_provider() -> None:
    together = PROVIDERS["together_ai"]
    assert key_of(together, {"together_ai": " own ", "together": "other"}) == "own"
    assert key_of(together, {"together_ai": " ", "together": "other"}) == "other"
    assert key_of(together, {"openai": "k"}) is None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("opnai", "config.yaml: `keys` has 'opnai', which is no provider; did you mean openai?"),
        ("Anthropic", "config.yaml: `keys` has 'Anthropic', which is no provider; did you mean anthropic?"),
        ("zzzzqqqq", "config.yaml: `keys` has 'zzzzqqqq', which is no provider."),
        ("../llms", "config.yaml: `keys` has '../llms', which is no provider."),
    ],
)
def test_a_name_that_no_provider_bears_is_told(name: str, told: str) -> None:
    assert strangers([name, "openai"]) == (told,)


def test_providers_of_litellm_are_known() -> None:
    assert strangers(["openai", "together", "azure", "bedrock", "vertex_ai"]) == ()


def test_the_choice_tells_it(tmp_path: Path) -> None:
    choice = choose(Wanted("ollama/qwen3", keys={"opnai": "secret"}, window=9), {}, tmp_path)
    choice.door.close()
    assert choice.told == ("config.yaml: `keys` has 'opnai', which is no provider; did you mean openai?",)
