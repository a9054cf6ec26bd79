"""A model's name says who serves it, or the form is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmem.model.naming import ChoiceError, resolve


@pytest.mark.parametrize(
    ("model", "owner", "name", "full"),
    [
        ("openai/gpt-4o", "openai", "gpt-4o", "openai/gpt-4o"),
        ("anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("openrouter/anthropic/claude-sonnet-4.5", "openrouter", "anthropic/claude-sonnet-4.5", None),
        ("ollama_chat/qwen3:8b", "ollama", "qwen3:8b", "ollama/qwen3:8b"),
        ("vllm/Qwen/Qwen3-8B", "hosted_vllm", "Qwen/Qwen3-8B", "hosted_vllm/Qwen/Qwen3-8B"),
        ("gpt-4o", "openai", "gpt-4o", "openai/gpt-4o"),
        ("gpt-99-from-the-future", "openai", "gpt-99-from-the-future", "openai/gpt-99-from-the-future"),
        ("o3", "openai", "o3", "openai/o3"),
        ("chatgpt-4o-latest", "openai", "chatgpt-4o-latest", "openai/chatgpt-4o-latest"),
        ("ft:gpt-4o-mini:me::x", "openai", "ft:gpt-4o-mini:me::x", "openai/ft:gpt-4o-mini:me::x"),
        ("claude-99", "anthropic", "claude-99", "anthropic/claude-99"),
        ("deepseek-chat", "deepseek", "deepseek-chat", "deepseek/deepseek-chat"),
        ("azure/my-deployment", None, "my-deployment", None),
        ("bedrock/anthropic.claude-v2", None, "anthropic.claude-v2", None),
        ("vertex_ai/gemini-2.5-pro", None, "gemini-2.5-pro", None),
        ("gemini-2.5-pro", None, "gemini-2.5-pro", None),
    ],
)
def test_a_name_is_resolved(tmp_path: Path, model: str, owner: str | None, name: str, full: str | None) -> None:
    found = resolve(model, tmp_path)
    assert (found.provider and found.provider.name, found.name, found.full) == (owner, name, full or model)
    assert found.told == ()


@pytest.mark.parametrize("model", ["qwen3-coder", "meta-llama/Llama-3.1-8B-Instruct"])
def test_at_an_address_any_name_is_served(tmp_path: Path, model: str) -> None:
    found = resolve(model, tmp_path, at_address=True)
    assert (found.provider and found.provider.name, found.name, found.full) == ("openai", model, f"openai/{model}")
    assert found.told == (f"{model} names no provider; the server at api_base is taken to be OpenAI-compatible.",)


def test_at_an_address_a_providers_name_stands(tmp_path: Path) -> None:
    assert resolve("claude-sonnet-4-5", tmp_path, at_address=True).full == "anthropic/claude-sonnet-4-5"
    assert resolve("azure/mine", tmp_path, at_address=True).full == "azure/mine"


@pytest.mark.parametrize("model", ["nonsense", "nobody/nonsense"])
def test_an_unknown_name_tells_the_form(tmp_path: Path, model: str) -> None:
    with pytest.raises(ChoiceError) as caught:
        resolve(model, tmp_path)
    assert str(caught.value) == (
        f"Nobody is known to serve a model named {model}. A model is named provider/name, e.g. "
        "anthropic/claude-sonnet-5-5, openai/gpt-5.2 or ollama/qwen3; for a server of your own add --api-base URL."
    )


def test_an_unknown_name_that_is_known_elsewhere_says_where(tmp_path: Path) -> None:
    with pytest.raises(ChoiceError, match=r"Did you mean ([\w.-]+/)+devstral-latest( or |\?)"):
        resolve("devstral-latest", tmp_path)


@pytest.mark.parametrize("model", ["openai/", "/gpt-4o", "/"])
def test_half_a_name_is_none(tmp_path: Path, model: str) -> None:
    with pytest.raises(ChoiceError, match=rf"^{model} names no model\. A model is named provider/name"):
        resolve(model, tmp_path)
