"""The table of providers, and the address that is asked."""

from __future__ import annotations

import pytest

from agentmem.model.provider import PROVIDERS, address, provider


@pytest.mark.parametrize(
    ("name", "given", "env", "expected"),
    [
        ("openai", None, {}, "https://api.openai.com/v1"),
        ("openai", None, {"OPENAI_BASE_URL": "http://box:1/v1/"}, "http://box:1/v1"),
        ("openai", None, {"OPENAI_BASE_URL": " ", "OPENAI_API_BASE": "http://old/v1"}, "http://old/v1"),
        ("openai", "http://flag/v1", {"OPENAI_BASE_URL": "http://env/v1"}, "http://flag/v1"),
        ("openai", "http://flag/v1/chat/completions", {}, "http://flag/v1"),
        ("openai", "http://flag", {}, "http://flag"),
        ("anthropic", None, {}, "https://api.anthropic.com"),
        ("anthropic", None, {"ANTHROPIC_BASE_URL": "http://box"}, "http://box"),
        ("anthropic", "http://box/v1", {}, "http://box"),
        ("anthropic", "http://box/v1/messages/", {}, "http://box"),
        ("anthropic", "http://box/proxy/anthropic", {}, "http://box/proxy/anthropic"),
        ("ollama", None, {}, "http://127.0.0.1:11434/v1"),
        ("ollama", "http://box:11434", {}, "http://box:11434/v1"),
        ("ollama", "http://box:11434/", {}, "http://box:11434/v1"),
        ("ollama", "http://box:11434/v1", {}, "http://box:11434/v1"),
        ("ollama", None, {"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434/v1"),
        ("ollama", None, {"OLLAMA_HOST": ":8080"}, "http://127.0.0.1:8080/v1"),
        ("ollama", None, {"OLLAMA_HOST": "box"}, "http://box:11434/v1"),
        ("ollama", None, {"OLLAMA_HOST": "[::]:9"}, "http://127.0.0.1:9/v1"),
        ("ollama", None, {"OLLAMA_HOST": "[::1]:9"}, "http://[::1]:9/v1"),
        ("ollama", None, {"OLLAMA_HOST": "https://box.example"}, "https://box.example/v1"),
        ("ollama", None, {"OLLAMA_HOST": "box:port"}, "http://box:port/v1"),
        ("ollama", None, {"OLLAMA_HOST": "[::1"}, "http://[::1/v1"),
        ("ollama", "http://[::1", {}, "http://[::1/v1"),
        ("ollama", "box:11434", {}, "box:11434/v1"),
        ("ollama", None, {"OLLAMA_API_BASE": "notaurl"}, "notaurl/v1"),
        ("hosted_vllm", None, {"HOSTED_VLLM_API_BASE": "http://gpu:8000"}, "http://gpu:8000/v1"),
        ("lm_studio", None, {}, "http://127.0.0.1:1234/v1"),
        ("gemini", None, {}, ""),
    ],
)
def test_the_address_is_the_one_given_then_the_environments_then_the_providers(
    name: str, given: str | None, env: dict[str, str], expected: str
) -> None:
    assert address(PROVIDERS[name], given, env) == expected


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("openai", "openai"),
        ("vllm", "hosted_vllm"),
        ("ollama_chat", "ollama"),
        ("llamacpp", "llamafile"),
        ("lmstudio", "lm_studio"),
        ("openai_like", "openai"),
        ("azure", None),
        ("", None),
    ],
)
def test_other_names_for_the_same_servers_are_known(name: str, known: str | None) -> None:
    found = provider(name)
    assert (found and found.name) == known


@pytest.mark.parametrize(
    ("name", "model", "served"),
    [
        ("fireworks_ai", "glm-5p3", "accounts/fireworks/models/glm-5p3"),
        ("fireworks_ai", "accounts/me/models/mine", "accounts/me/models/mine"),
        ("openrouter", "auto", "openrouter/auto"),
        ("openrouter", "anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4.5"),
        ("groq", "openai/gpt-oss-20b", "openai/gpt-oss-20b"),
        ("openai", "gpt-5.2", "gpt-5.2"),
    ],
)
def test_a_server_may_know_its_models_by_longer_names(name: str, model: str, served: str) -> None:
    assert PROVIDERS[name].served(model) == served


def test_every_remote_provider_has_a_key_variable_and_a_default() -> None:
    for one in PROVIDERS.values():
        assert one.keys, one.name
        assert one.local != bool(one.defaults), one.name
        assert one.base_url.startswith("http://127.0.0.1:" if one.local else "https://") or one.protocol == "litellm"
