"""What the person and the project set, and what a project may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmem.config import Config, load_config
from agentmem.configfile import ConfigError
from agentmem.domain.bounds import Bounds


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "w" / ".agent").mkdir(parents=True)
    return tmp_path / "w" / ".agent"


def test_without_files_the_defaults_hold(home: Path, own: Path) -> None:
    assert load_config(home, own) == Config()
    assert Config().mode == "ask" and Config().max_turns == 200


def test_the_project_goes_over_the_person_where_it_may(home: Path, own: Path) -> None:
    (home / "config.yaml").write_text("model: openai/gpt-5\nmax_cost: 2\npermission: {mode: edits}\n")
    (own / "config.yaml").write_text("model: ollama/qwen3\npermission: {mode: plan}\n")
    config = load_config(home, own)
    assert (config.model, config.max_cost, config.mode) == ("ollama/qwen3", 2.0, "plan")
    assert config.sources == {
        "model": str(own / "config.yaml"),
        "max_cost": str(home / "config.yaml"),
        "permission.mode": str(own / "config.yaml"),
    }
    assert config.notices == ()


@pytest.mark.parametrize(
    "line",
    [
        "api_base: http://evil.test/v1",
        "keys: {openai: sk-1}",
        "door: litellm",
        "model: scripted:evil.jsonl",
        "permission: {mode: full}",
        "permission: {allow: ['bash(*)']}",
    ],
)
def test_a_project_never_widens_trust(home: Path, own: Path, line: str) -> None:
    (own / "config.yaml").write_text(line + "\n")
    config = load_config(home, own)
    assert (config.api_base, config.keys, config.door, config.mode, config.model) == (None, {}, None, "ask", None)
    assert len(config.notices) == 1 and "is ignored here" in config.notices[0]


def test_an_unknown_key_is_told_with_its_nearest(home: Path, own: Path) -> None:
    (home / "config.yaml").write_text("modle: openai/gpt-5\n")
    assert load_config(home, own).notices == (f"{home}/config.yaml: `modle` is no known key; did you mean `model`?",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max_turns: 0\n", "`max_turns` wants a whole number above 0, got 0"),
        ("max_turns: true\n", "`max_turns` wants a whole number above 0, got True"),
        ("max_cost: lots\n", "`max_cost` wants an amount in USD, e.g. 2.50, got 'lots'"),
        ("model: 3\n", "`model` wants a text, got 3"),
        ("permission: {mode: yolo}\n", "`permission.mode` wants one of plan, ask, edits, auto, full, got 'yolo'"),
        ("permission: {mode: [plan]}\n", "`permission.mode` wants one of "),
        ("model:\n", "`model` wants a text, got None"),
        ("compaction: {trigger: 2}\n", "`compaction.trigger` wants a share of the window from 0.05 to 0.95, got 2"),
        ("compaction: {target: 0.6}\n", "`compaction.target` (0.6) must be less than `compaction.trigger` (0.5)"),
        ("max_cost: .nan\n", "`max_cost` wants an amount in USD, e.g. 2.50, got nan"),
        ("max_cost: .inf\n", "`max_cost` wants an amount in USD, e.g. 2.50, got inf"),
        (f"max_cost: 1{'0' * 400}\n", "`max_cost` wants an amount in USD, e.g. 2.50, got 1"),
        ("window: 1.0e+9\n", "`window` wants a whole number above 0, got 1000000000.0"),
        ("window: 1e9\n", "`window` wants a whole number above 0, got '1e9'"),
        ("door: chat\n", "`door` wants auto or litellm, got 'chat'"),
        ("keys: sk-secret\n", "`keys` wants a mapping of provider names to keys, got something else"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_the_file(home: Path, own: Path, text: str, told: str) -> None:
    (home / "config.yaml").write_text(text)
    with pytest.raises(ConfigError) as failure:
        load_config(home, own)
    assert str(home / "config.yaml") in str(failure.value)
    assert told in str(failure.value)


def test_an_empty_file_with_bom_sets_nothing(home: Path, own: Path) -> None:
    (home / "config.yaml").write_bytes(b"\xef\xbb\xbf# only a comment\n")
    assert load_config(home, own) == Config()


def test_sections_of_memory_may_have_caps(home: Path, own: Path) -> None:
    (home / "config.yaml").write_text("memory: {blocks: {Preferences: 2000}}\n")
    config = load_config(home, own)
    assert (config.blocks, config.values()["memory.blocks"]) == ({"Preferences": 2000}, {"Preferences": 2000})


@pytest.mark.parametrize(
    "text", ["memory: 3\n", "memory: {blocks: 3}\n", "memory: {blocks: {A: 0}}\n", "memory: {blocks: {A: x}}\n"]
)
def test_a_cap_is_a_number_of_characters(home: Path, own: Path, text: str) -> None:
    (home / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match="wants a mapping"):
        load_config(home, own)


def test_keys_are_shown_by_name_alone(home: Path, own: Path) -> None:
    (home / "config.yaml").write_text("keys: {openai: sk-1, groq: gsk-2}\nwindow: 9000\ndoor: auto\n")
    config = load_config(home, own)
    assert config.keys == {"openai": "sk-1", "groq": "gsk-2"}
    assert config.values()["keys"] == ["groq", "openai"]
    assert "sk-1" not in repr(config)


def test_how_long_checkpoints_are_kept_is_the_persons(home: Path, own: Path) -> None:
    assert load_config(home, own).bounds == Bounds(30, 2_000_000_000)
    (home / "config.yaml").write_text("checkpoint_days: 7\ncheckpoint_megabytes: 500\n")
    (own / "config.yaml").write_text("checkpoint_days: 1\ncheckpoint_megabytes: 1\n")
    config = load_config(home, own)
    assert config.bounds == Bounds(7, 500_000_000)
    assert [notice.split("`")[1] for notice in config.notices] == ["checkpoint_days", "checkpoint_megabytes"]


def test_the_shares_of_the_window_are_set(home: Path, own: Path) -> None:
    (home / "config.yaml").write_text("compaction: {trigger: 0.8, target: 0.4, warn: 0.9}\n")
    config = load_config(home, own)
    assert (config.trigger, config.target, config.warn) == (0.8, 0.4, 0.9)
