"""Config keys: what may stand in a config file, the form of each value, and what a project may not decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from agentmem.domain.mode import MODES, Mode

NOT_FROM_A_PROJECT: Mapping[str, str] = {
    "api_base": "it decides who is sent your code and your key",
    "keys": "a key in a repository is everybody's",
    "door": "it decides how your key is used",
    "permission.allow": "it decides what runs without your yes",
    "checkpoint_days": "it decides what of your files can be brought back",
    "checkpoint_megabytes": "it decides what of your files can be brought back",
}


def _string(value: Any) -> str:
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise ValueError("a text")


def _positive(value: Any) -> int:
    if _whole(value):
        return int(value)
    raise ValueError("a whole number above 0")


def _count(value: Any) -> int:
    if value == 0 or _whole(value):
        return int(value)
    raise ValueError("a whole number, 0 for never")


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise ValueError("a list of model names, e.g. [openai/small]")


def _amount(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15:
        return float(value)
    raise ValueError("an amount in USD, e.g. 2.50")


def _share(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0.05 <= value <= 0.95:
        return float(value)
    raise ValueError("a share of the window from 0.05 to 0.95")


def _mode(value: Any) -> Mode:
    if value in MODES:
        return cast(Mode, value)
    raise ValueError("one of " + ", ".join(MODES))


def _texts(value: Any) -> Mapping[str, str]:
    if isinstance(value, dict) and all(isinstance(one, str) for pair in value.items() for one in pair):
        return dict(value)
    raise ValueError("a mapping of provider names to keys")


def _caps(value: Any) -> Mapping[str, int]:
    if isinstance(value, dict) and all(isinstance(name, str) and _whole(most) for name, most in value.items()):
        return dict(value)
    raise ValueError("a mapping of headings to characters, e.g. {Preferences: 2000}")


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _form(value: Any) -> str:
    if value in ("structured", "plain"):
        return str(value)
    raise ValueError("structured or plain")


def _folders(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value):
        return tuple(value)
    raise ValueError("a list of folders, e.g. [docs/]")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _door(value: Any) -> str:
    if value in ("auto", "litellm"):
        return str(value)
    raise ValueError("auto or litellm")


# Key in a file -> the field of `Config`, and what reads its value.
KEYS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "model": ("model", _string),
    "api_base": ("api_base", _string),
    "door": ("door", _door),
    "permission.mode": ("mode", _mode),
    "window": ("window", _positive),
    "max_turns": ("max_turns", _positive),
    "max_cost": ("max_cost", _amount),
    "checkpoint_days": ("checkpoint_days", _positive),
    "checkpoint_megabytes": ("checkpoint_megabytes", _positive),
    "compaction.trigger": ("trigger", _share),
    "compaction.target": ("target", _share),
    "compaction.warn": ("warn", _share),
    "reset.compactions": ("resets", _count),
    "reset.models": ("reset_models", _names),
    "keys": ("keys", _texts),
    "memory.blocks": ("blocks", _caps),
    "recall.auto": ("recalls", _flag),
    "recall.form": ("recall_form", _form),
    "recall.knowledge": ("knowledge", _folders),
}
