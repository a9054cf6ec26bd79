"""Skills: how to act, each a SKILL.md file in the open format of agentskills.io, as values.

---
name: commit
description: Commit work in git so that the history can be read later.
triggers: [commit this]
---
1. Look first: …
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Level = Literal["project", "user", "built-in"]
State = Literal["loaded", "warned", "refused"]


@dataclass(frozen=True, slots=True)
class Skill:
    """What the front matter of one file says. `id` is safe to type and to use as a file's name (letters, digits and
    hyphens, at most 64); `name` is what the file calls itself; `path` its place, absolute. `fields` are all other keys,
    their values text, None, lists and mappings. `warnings` say what was mended or ignored, one line each."""

    id: str
    name: str
    description: str
    path: str
    level: Level = "project"
    fields: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def texts(self, *keys: str) -> tuple[str, ...]:
        """The values of the first of these keys that says something: a list, or a text split at commas and line ends;
        its quotes and blanks aside."""
        for key in keys:
            value = self.fields.get(key)
            items = value.replace("\n", ",").split(",") if isinstance(value, str) else value
            items = items if isinstance(items, list) else []
            if found := tuple(text for one in items if isinstance(one, str) and (text := one.strip().strip("'\""))):
                return found
        return ()

    def says(self, *keys: str) -> bool | None:
        """The first of these keys that holds a yes or a no; None for neither."""
        for key in keys:
            value = self.fields.get(key)
            word = value.strip().lower() if isinstance(value, str) else ""
            if word in ("true", "yes", "on", "false", "no", "off"):
                return word in ("true", "yes", "on")
        return None

    @property
    def tools(self) -> tuple[str, ...]:
        """The patterns of `allowed-tools`, in whatever form they stand there; none for a form that is not
        understood."""
        value = next(
            (self.fields[key] for key in ("allowed-tools", "allowed_tools", "tools") if key in self.fields), ""
        )
        items = value if isinstance(value, list) else [value]
        return tuple(one for item in items if isinstance(item, str) for one in _patterns(item))

    @property
    def for_model(self) -> bool:
        """Whether rules and the model may choose it; else only the person does, by its slash name."""
        return not self.says("disable-model-invocation", "disable_model_invocation")

    @property
    def for_person(self) -> bool:
        """Whether it is a slash command."""
        return self.says("user-invocable", "user_invocable") is not False


def _patterns(text: str) -> list[str]:
    """The words of a text, parted by commas and blanks outside of round brackets; none where a bracket stands alone:
    what it would have narrowed must not become wider."""
    words, depth = [""], 0
    for sign in text.strip().strip("'\""):
        depth += (sign == "(") - (sign == ")")
        if depth < 0 or (sign == "(" and not words[-1]):
            return []
        if depth == 0 and (sign.isspace() or sign == ","):
            words.append("")
        else:
            words[-1] += sign
    return [word for word in words if word] if depth == 0 else []


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was found, or a link that was not followed: what it is, or why it is refused."""

    path: str
    level: Level
    skill: Skill | None = None
    reason: str | None = None

    @property
    def state(self) -> State:
        """Whether it can be used, and whether something about it should be known."""
        if self.skill is None or self.reason is not None:
            return "refused"
        return "warned" if self.skill.warnings else "loaded"


@dataclass(frozen=True, slots=True)
class Draft:
    """A skill that someone would have: the whole `text` of its file, and what it was learnt from, a line each. Who
    drafted it: the agent in a `session` at an `entry`, or a dream."""

    text: str
    evidence: tuple[str, ...] = ()
    by: Literal["agent", "dream"] = "agent"
    session: str | None = None
    entry: str | None = None


@dataclass(frozen=True, slots=True)
class AdmittedSkill:
    """A skill's file the gate lets in: what the store's write takes. Only the gate makes one. `text` None takes the
    file away; `before` is what must stand there now (None: no file)."""

    id: str
    path: str
    text: str | None
    before: str | None


@dataclass(frozen=True, slots=True)
class Disclosed:
    """A skill's body as the model gets it, and why: `rule` is always, trigger, path, slash, words or asked; `by` what
    it went by. `sha256` is of the file; `prefetched` is what its read-only calls gave, "" for none."""

    name: str
    path: str
    sha256: str
    body: str
    rule: str
    by: str = ""
    prefetched: str = ""
