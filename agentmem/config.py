"""Config: what the person and the project set, merged into one frozen value that says where each part came from.

Two files of the same shape are read, the person's first (``$AGENTMEM_HOME/config.yaml``), then the project's
(``.agent/config.yaml``). A project may narrow what the agent does, never widen it: see `NOT_FROM_A_PROJECT`.

    model: anthropic/claude-sonnet-4-5
    permission: {mode: edits}
    max_turns: 100
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from agentmem import regular
from agentmem.domain.mode import MODES, Mode

if TYPE_CHECKING:
    from agentmem.domain.bounds import Bounds

CONFIG_FILE = "config.yaml"
_MOST = 256 * 1024
NOT_FROM_A_PROJECT: Mapping[str, str] = {
    "api_base": "it decides who is sent your code and your key",
    "keys": "a key in a repository is everybody's",
    "door": "it decides how your key is used",
    "permission.allow": "it decides what runs without your yes",
    "checkpoint_days": "it decides what of your files can be brought back",
    "checkpoint_megabytes": "it decides what of your files can be brought back",
}


class ConfigError(Exception):
    """A config file that cannot be used; the message names file, place and cause."""


@dataclass(frozen=True, slots=True)
class Config:
    """What is set. `sources` names the file of each key that is; `notices` says what was ignored and why.

    `max_turns` counts steps (model calls) of one turn, `max_cost` is in USD, `window` in tokens; `trigger`, `target`
    and `warn` are shares of the window at which it is compacted, to which, and at which the model is told; `keys` maps
    a provider's name to the person's key, `blocks` a section of MEMORY.md to the characters it may hold; `recalls` has
    memories come unasked, in `recall_form`, and `knowledge` names folders that are searched too. After `resets`
    compactions a session is reset (0: never), with one of `reset_models` after the first. Checkpoints are kept
    `checkpoint_days`, and no more than so many megabytes.
    """

    model: str | None = None
    api_base: str | None = None
    door: str | None = None
    mode: Mode = "ask"
    window: int | None = None
    max_turns: int = 200
    max_cost: float | None = None
    checkpoint_days: int = 30
    checkpoint_megabytes: int = 2_000
    trigger: float = 0.5
    target: float = 0.35
    warn: float = 0.7
    resets: int = 0
    reset_models: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    blocks: Mapping[str, int] = field(default_factory=dict)
    recalls: bool = True
    recall_form: str = "structured"
    knowledge: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    @property
    def bounds(self) -> Bounds:
        """How long checkpoints are kept, and how large they may grow."""
        from agentmem.domain.bounds import Bounds  # no start has a use for it

        return Bounds(self.checkpoint_days, self.checkpoint_megabytes * 1_000_000)

    def values(self) -> dict[str, Any]:
        """The effective values by the names they have in a file; of `keys` only which providers have one."""
        return {
            "model": self.model,
            "api_base": self.api_base,
            "door": self.door,
            "permission.mode": self.mode,
            "window": self.window,
            "max_turns": self.max_turns,
            "max_cost": self.max_cost,
            "checkpoint_days": self.checkpoint_days,
            "checkpoint_megabytes": self.checkpoint_megabytes,
            "compaction.trigger": self.trigger,
            "compaction.target": self.target,
            "compaction.warn": self.warn,
            "reset.compactions": self.resets,
            "reset.models": list(self.reset_models),
            "keys": sorted(self.keys),
            "memory.blocks": dict(self.blocks),
            "recall.auto": self.recalls,
            "recall.form": self.recall_form,
            "recall.knowledge": list(self.knowledge),
        }


def load_config(home: Path, own: Path) -> Config:
    """Read the person's config in `home` and the project's in `own` (its ``.agent/``).

    Raises ConfigError when a file is no YAML mapping, or a value has the wrong form. Unknown keys are told, not fatal.
    """
    config = Config()
    for file, project in ((home / CONFIG_FILE, False), (own / CONFIG_FILE, True)):
        if values := _read(file):
            config = _merge(config, values, file, project)
            if config.target >= config.trigger:
                raise ConfigError(
                    f"{file}: `compaction.target` ({config.target}) must be less than `compaction.trigger` "
                    f"({config.trigger})"
                )
    return config


def _read(file: Path) -> dict[str, Any]:
    """One file as dotted keys: ``permission: {mode: edits}`` becomes ``permission.mode``."""
    try:
        text = regular.read(file, _MOST).decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from error
    import yaml

    try:
        found = yaml.load(text, _loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{file}{place}: no valid YAML: {getattr(error, 'problem', None) or error}") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:  # a value its tag cannot take
        raise ConfigError(f"{file}: no valid YAML: {error}") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ConfigError(f"{file}: wants `key: value` lines, e.g. `model: openai/gpt-5`")
    return _flat(file, found)


_GROUPS: Mapping[Any, str] = {
    "permission": "mode: plan",
    "compaction": "trigger: 0.5, target: 0.35",
    "memory": "blocks: {Preferences: 2000}",
    "reset": "compactions: 4",
    "recall": "knowledge: [docs/]",
}


def _flat(file: Path, found: Mapping[Any, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in found.items():
        if key not in _GROUPS:
            flat[str(key)] = value
        elif isinstance(value, dict):
            flat.update({f"{key}.{inner}": inner_value for inner, inner_value in value.items()})
        else:
            wanted = f"`{key}` wants a mapping, e.g. {key}: {{{_GROUPS[key]}}}"
            raise ConfigError(f"{file}: {wanted}, got {_short(value)}")
    return flat


def _loader() -> Any:
    """YAML's safe loader that takes a key once: the last one would win unsaid. Merged mappings may grow without end."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]  # which of the two bases, C's or Python's, is known at run time
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[str] = set()
            for key, _ in getattr(node, "value", ()):
                said = key.value if isinstance(key.value, str) else None
                if key.tag == "tag:yaml.org,2002:merge":
                    raise yaml.constructor.ConstructorError(None, None, "`<<` is not taken here", key.start_mark)
                if said in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"`{said}` is there twice", key.start_mark)
                if said is not None:
                    seen.add(said)
            return super().construct_mapping(node, deep)

    return Loader


def _short(value: Any) -> str:
    """A value for a message; aliases can make one that is endless when written out."""
    from reprlib import Repr

    short = Repr()
    short.maxlevel, short.maxstring = 2, 200
    return short.repr(value)


def _merge(config: Config, values: Mapping[str, Any], file: Path, project: bool) -> Config:
    notices = list(config.notices)
    sources = dict(config.sources)
    changes: dict[str, Any] = {}
    for key, value in values.items():
        if project and key in NOT_FROM_A_PROJECT:
            notices.append(f"{file}: `{key}` is ignored here: {NOT_FROM_A_PROJECT[key]}. Set it in your own config.")
            continue
        known = KEYS.get(key)
        if known is None:
            notices.append(f"{file}: `{key}` is no known key{_nearest(key)}")
            continue
        field_name, read = known
        try:
            wanted = read(value)
        except ValueError as error:
            got = "something else" if key == "keys" else _short(value)
            raise ConfigError(f"{file}: `{key}` wants {error}, got {got}") from None
        if project and key == "model" and wanted.startswith("scripted:"):
            notices.append(f"{file}: `model: {wanted}` is ignored here: a script in a repository is no model.")
            continue
        if project and key == "permission.mode" and MODES.index(wanted) > MODES.index(config.mode):
            notices.append(f"{file}: `permission.mode: {wanted}` is ignored here: a project may only narrow it.")
            continue
        changes[field_name] = wanted
        sources[key] = str(file)
    return replace(config, **changes, sources=sources, notices=tuple(notices))


def _nearest(key: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, KEYS, 1)
    return f"; did you mean `{near[0]}`?" if near else ""


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
