"""Config file: the YAML of one file as dotted keys, each key once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_GROUPS: Mapping[Any, str] = {
    "permission": "mode: plan",
    "compaction": "trigger: 0.5, target: 0.35",
    "memory": "blocks: {Preferences: 2000}",
    "reset": "compactions: 4",
    "recall": "knowledge: [docs/]",
}


class ConfigError(Exception):
    """A config file that cannot be used; the message names file, place and cause."""


def dotted(file: Path, data: bytes) -> dict[str, Any]:
    """What a file holds, as dotted keys: ``permission: {mode: edits}`` becomes ``permission.mode``. Raises
    `ConfigError`, which names the `file`."""
    try:
        text = data.decode("utf-8-sig")
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


def _flat(file: Path, found: Mapping[Any, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in found.items():
        if key not in _GROUPS:
            flat[str(key)] = value
        elif isinstance(value, dict):
            flat.update({f"{key}.{inner}": inner_value for inner, inner_value in value.items()})
        else:
            wanted = f"`{key}` wants a mapping, e.g. {key}: {{{_GROUPS[key]}}}"
            raise ConfigError(f"{file}: {wanted}, got {short(value)}")
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


def short(value: Any) -> str:
    """A value for a message; aliases can make one that is endless when written out."""
    from reprlib import Repr

    form = Repr()
    form.maxlevel, form.maxstring = 2, 200
    return form.repr(value)
