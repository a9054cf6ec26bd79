"""litellm's list is found and read without litellm, and names are resolved as litellm does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentmem.model import pricelist

LIST: dict[str, dict[str, Any]] = {
    "sample_spec": {"litellm_provider": "one of"},
    "gpt-4o": {"litellm_provider": "openai", "n": 1},
    "claude-sonnet-4-5": {"litellm_provider": "anthropic", "n": 2, "aliases": ["claude-sonnet-newest"]},
    "claude-newest": {"alias_of": "claude-sonnet-4-5"},
    "claude-lost": {"alias_of": "gone"},
    "loop-a": {"alias_of": "loop-b"},
    "loop-b": {"alias_of": "loop-a"},
    "ollama/llama3": {"litellm_provider": "ollama", "n": 3},
    "groq/openai/gpt-oss-20b": {"litellm_provider": "groq", "n": 4},
    "gemini/gemini-2.5-pro": {"litellm_provider": "gemini", "n": 5},
    "gemini-2.5-pro": {"litellm_provider": "vertex_ai-language-models", "n": 6},
    "anthropic.claude-3": {"litellm_provider": "bedrock_converse", "n": 7},
    "xai/grok-4": {"litellm_provider": "xai", "n": 8},
    "fallback_generalizations": {
        "rules": [
            {"pattern": "^claude-x", "model_info": {"litellm_provider": "anthropic"}},
            {"pattern": r"claude-[a-z]+-\d+", "model_info": {"max_input_tokens": 200000, "n": 9}},
            {"pattern": "claude-fable", "model_info": {"mode": "chat", "n": 10}},
            {"pattern": "claude-", "model_info": {"supports_something": True, "n": 13}},
            {"pattern": "(", "model_info": {"n": 11}},
            {"pattern": 7, "model_info": {"n": 12}},
            "no rule",
        ]
    },
}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-4o", 1),
        ("openai/gpt-4o", 1),
        ("OpenAI/GPT-4o", 1),
        ("azure/GPT-4o", None),
        ("openai/GPT-4o", 1),
        ("openai/gpt-4o-2024-08-06", 1),
        ("openai/gpt-4o-latest", 1),
        ("azure/gpt-4o", None),  # another provider's model of this name says nothing of this one's
        ("anthropic/claude-sonnet-4-5", 2),
        ("anthropic/claude-sonnet-4-5-20250929", 2),
        ("anthropic/claude-sonnet-4-5@20250929", 2),
        ("anthropic/claude-newest", 2),
        ("claude-newest", 2),
        ("anthropic/claude-sonnet-newest", 2),
        ("claude-sonnet-newest", 2),
        ("claude-lost", None),
        ("loop-a", None),
        ("ollama/llama3", 3),
        ("ollama/llama3:8b", 3),
        ("ollama/llama3:8b-instruct-q4_K_M", 3),
        ("ollama_chat/llama3:latest", 3),
        ("groq/openai/gpt-oss-20b", 4),
        ("gemini/gemini-2.5-pro", 5),
        ("vertex_ai/gemini-2.5-pro", 6),
        ("bedrock/anthropic.claude-3", 7),
        ("openrouter/anthropic/claude-sonnet-4.5", 2),
        ("openrouter/anthropic/claude-sonnet-4.5:thinking", 2),
        ("openrouter/google/gemini-2.5-pro", 5),
        ("openrouter/x-ai/grok-4", 8),
        ("openrouter/openai/gpt-4o", 1),
        ("openrouter/auto", None),
        ("anthropic/claude-new-7", 9),
        ("bedrock/eu.anthropic.claude-fable-6", 10),
        ("sample_spec", None),
        ("fallback_generalizations", None),
        ("", None),
        ("/", None),
        ("nobody/knows", None),
    ],
)
def test_a_name_is_resolved(model: str, expected: int | None) -> None:
    entry = pricelist.find(LIST, model)
    assert (entry and entry["n"]) == expected


def test_a_name_without_its_provider_finds_the_places_that_have_it() -> None:
    assert pricelist.named(LIST, "GPT-oss-20b") == ("groq/openai/gpt-oss-20b",)
    assert pricelist.named(LIST, "nope") == ()


def test_providers_come_from_all_of_litellms_files(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    (tmp_path / "provider_endpoints_support_backup.json").write_text('{"providers":{"azure":{}}}')
    (tmp_path / "llms" / "openai_like").mkdir(parents=True)
    (tmp_path / "llms" / "openai_like" / "providers.json").write_text('{"poe":{}}')
    found = pricelist.providers(LIST, path)
    assert {"openai", "anthropic", "groq", "azure", "poe", "vertex_ai-language-models"} <= found
    assert not {"one of", "sample_spec", "None"} & found


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff", b"[" * 200_000])
def test_a_list_that_cannot_be_read_is_empty(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "list.json"
    if content is not None:
        path.write_bytes(content)
    assert pricelist.read(path) == {}


def test_entries_that_are_no_objects_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps({"a": {}, "b": 1, "c": None}))
    assert pricelist.read(path) == {"a": {}}


def test_the_installed_list_is_found_and_read_without_running_litellm() -> None:
    code = (
        "import sys\n"
        "from agentmem.model import pricelist\n"
        "path = pricelist.locate()\n"
        "entries = pricelist.read(path)\n"
        "assert len(entries) > 1000, len(entries)\n"
        "assert pricelist.find(entries, 'openai/gpt-4o')['max_input_tokens'] == 128000\n"
        "assert {'openai', 'anthropic', 'azure', 'bedrock', 'vertex_ai'} <= pricelist.providers(entries, path)\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'litellm', 'httpx', 'openai', 'pydantic'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_without_litellm_there_is_no_list(tmp_path: Path) -> None:
    code = "import sys\nsys.path[:] = [sys.argv[1], *(p for p in sys.path if 'site-packages' not in p)]\n"
    code += "from agentmem.model import pricelist\nprint(pricelist.locate())\n"
    root = str(Path(pricelist.__file__).parents[2])
    done = subprocess.run([sys.executable, "-S", "-c", code, root], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("None\n", "")
    package = tmp_path / "litellm"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('was run')")
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n" + code, root],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("None\n", "")
