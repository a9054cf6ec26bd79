"""Config: what the person and the project set, merged into one frozen value that says where each part came from.

Two files of the same shape are read, the person's first (``$AGENTMEM_HOME/config.yaml``), then the project's
(``.agent/config.yaml``). A project may narrow what the agent does, never widen it: see `agentmem.configkeys`.

    model: anthropic/claude-sonnet-4-5
    permission: {mode: edits}
    max_turns: 100
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentmem import regular
from agentmem.domain.mode import MODES, Mode

if TYPE_CHECKING:
    from agentmem.domain.bounds import Bounds

CONFIG_FILE = "config.yaml"
_MOST = 256 * 1024


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
            config = _merge(config, values, file, project=project)
    return config


def _read(file: Path) -> dict[str, Any]:
    """One file as dotted keys; most projects have none, so what reads them is imported for those that do."""
    try:
        data = regular.read(file, _MOST)
    except FileNotFoundError:
        return {}
    except OSError as error:
        from agentmem.configfile import ConfigError

        raise ConfigError(f"{file}: cannot be read: {error.strerror or error}") from error
    from agentmem.configfile import dotted

    return dotted(file, data)


def _merge(config: Config, values: Mapping[str, Any], file: Path, *, project: bool) -> Config:
    from agentmem.configfile import ConfigError, short
    from agentmem.configkeys import KEYS, NOT_FROM_A_PROJECT

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
            got = "something else" if key == "keys" else short(value)
            raise ConfigError(f"{file}: `{key}` wants {error}, got {got}") from None
        if project and key == "model" and wanted.startswith("scripted:"):
            notices.append(f"{file}: `model: {wanted}` is ignored here: a script in a repository is no model.")
            continue
        if project and key == "permission.mode" and MODES.index(wanted) > MODES.index(config.mode):
            notices.append(f"{file}: `permission.mode: {wanted}` is ignored here: a project may only narrow it.")
            continue
        changes[field_name] = wanted
        sources[key] = str(file)
    return _sound(replace(config, **changes, sources=sources, notices=tuple(notices)), file)


def _sound(config: Config, file: Path) -> Config:
    """The same, once its values go together; `file` was read last."""
    if config.target >= config.trigger:
        from agentmem.configfile import ConfigError

        raise ConfigError(
            f"{file}: `compaction.target` ({config.target}) must be less than `compaction.trigger` ({config.trigger})"
        )
    return config


def _nearest(key: str) -> str:
    from difflib import get_close_matches

    from agentmem.configkeys import KEYS

    near = get_close_matches(key, KEYS, 1)
    return f"; did you mean `{near[0]}`?" if near else ""
