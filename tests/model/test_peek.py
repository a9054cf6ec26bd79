"""One model's entries are picked out of litellm's list, and say the same as all of it does."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.model import pricelist
from agentmem.model.peek import entries_about

RULES = {"rules": [{"pattern": "claude-[a-z]+-7", "model_info": {"max_input_tokens": 7}}]}
LIST: dict[str, Any] = {
    "openai/bench": {"litellm_provider": "openai", "max_input_tokens": 1},
    "Mixed/Case-Model": {"litellm_provider": "mixed", "max_input_tokens": 2},
    "pointer": {"alias_of": "openai/bench"},
    "pointer-to-pointer": {"alias_of": "pointer"},
    "rich": {"litellm_provider": "openai", "nested": {"inner": {"max_input_tokens": 3}}, "said": "openai/bench"},
    "long": {"litellm_provider": "openai", "max_input_tokens": 4, "note": "x" * 20_000},
    "fallback_generalizations": RULES,
    "last": {"litellm_provider": "openai", "max_input_tokens": 5},
}


def stored(tmp_path: Path, entries: Mapping[str, Any], indent: int | None = 4) -> Path:
    path = tmp_path / "list.json"
    path.write_text(json.dumps(entries, indent=indent), encoding="utf-8")
    return path


@pytest.mark.parametrize("indent", [4, 1, 0, None])
@pytest.mark.parametrize(
    ("model", "limit"),
    [
        ("openai/bench", 1),
        ("openai/BENCH", 1),
        ("mixed/case-model", 2),
        ("pointer-to-pointer", 1),
        ("long", 4),
        ("openai/last", 5),
        ("openai/last-2026-01-01", 5),
        ("anthropic/claude-new-7", 7),
        ("openai/nobody", None),
        ("inner", None),
        ("", None),
    ],
)
def test_the_picked_entries_answer_as_all_do(tmp_path: Path, model: str, limit: int | None, indent: int | None) -> None:
    path = stored(tmp_path, LIST, indent)
    found = pricelist.find(entries_about(path, model), model)
    assert found == pricelist.find(LIST, model)
    assert (found and found["max_input_tokens"]) == limit


def test_only_what_the_model_needs_is_picked(tmp_path: Path) -> None:
    path = stored(tmp_path, LIST)
    assert list(entries_about(path, "openai/nobody")) == ["fallback_generalizations"]
    assert list(entries_about(path, "openai/pointer")) == ["openai/bench", "pointer", "fallback_generalizations"]
    assert entries_about(path, "openai/bench")["openai/bench"] == LIST["openai/bench"]


def test_a_name_on_the_border_of_two_pieces_is_found(tmp_path: Path) -> None:
    start = len('{"": "", ')
    for border in range(64 * 1024 - 30, 64 * 1024 + 4):
        padded = {"": "x" * (border - start), "openai/bench": {"max_input_tokens": 1}}
        path = stored(tmp_path, padded, None)
        assert list(entries_about(path, "openai/bench")) == ["openai/bench"]


@pytest.mark.parametrize(
    ("model", "entries"),
    [
        ("openai/odd\nname", {"openai/odd\nname": {"max_input_tokens": 1}}),
        ("openai/é", {"openai/é": {"max_input_tokens": 1}}),
        ("nick", {"named": {"max_input_tokens": 1, "aliases": ["nick"]}}),
        ("openai/bench", {"{": {"note": "{{{"}, "openai/bench": {"max_input_tokens": 1}}),
        ("inner", {"outer": {"inner": {"max_input_tokens": 2}}, "inner": {"max_input_tokens": 1}}),
    ],
    ids=["escaped", "not ASCII", "an alias", "braces in texts", "a key of an entry"],
)
def test_what_cannot_be_picked_is_read_whole(tmp_path: Path, model: str, entries: Mapping[str, Any]) -> None:
    found = pricelist.find(entries_about(stored(tmp_path, entries), model), model)
    assert found is not None
    assert found["max_input_tokens"] == 1


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'"bench": {', b'{"bench": {"a": ', b"[" * 200_000])
def test_a_file_that_cannot_be_read_gives_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "list.json"
    if content is not None:
        path.write_bytes(content)
    assert pricelist.find(entries_about(path, "bench"), "bench") is None


NAMES = st.text(string.ascii_letters + "-/:.", min_size=1, max_size=6)
VALUES = st.fixed_dictionaries(
    {"max_input_tokens": st.integers(1, 9)},
    optional={"alias_of": NAMES, "litellm_provider": NAMES, "extra": st.dictionaries(NAMES, st.just({}), max_size=2)},
)


@given(st.dictionaries(NAMES, VALUES, max_size=8), NAMES, st.sampled_from([None, 0, 4]), st.data())
def test_any_list_answers_alike(
    tmp_path_factory: pytest.TempPathFactory,
    entries: dict[str, Any],
    other: str,
    indent: int | None,
    data: st.DataObject,
) -> None:
    model = data.draw(st.sampled_from([*entries, *(f"openai/{name}" for name in entries), other]))
    path = stored(tmp_path_factory.getbasetemp(), entries, indent)
    assert pricelist.find(entries_about(path, model), model) == pricelist.find(entries, model)


def test_the_installed_list_answers_alike() -> None:
    path = pricelist.locate()
    assert path is not None
    entries = pricelist.read(path)
    pointers = [name for name, entry in entries.items() if "alias_of" in entry]
    names = [*list(entries)[::120], *pointers[::10], "openai/gpt-5.2", "anthropic/claude-sonnet-4-5-20250929"]
    names += ["openrouter/anthropic/claude-sonnet-4.5", "ollama/qwen3:8b", "openai/bench", "OPENAI/GPT-4O"]
    for name in names:
        assert pricelist.find(entries_about(path, name), name) == pricelist.find(entries, name), name
