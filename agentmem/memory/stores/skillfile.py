"""A skill's file: SKILL.md as it is met in the wild, to a `Skill` and its body, or to the reason why it is none."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

from agentmem import regular
from agentmem.domain.skill import Level, Skill
from agentmem.domain.visible import without_hidden
from agentmem.memory.stores import frontmatter
from agentmem.memory.stores.frontmatter import NoFrontMatter

NAME = "SKILL.md"
MOST = 256 * 1024  # bytes of a file
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
"""Characters; both as agentskills.io has it."""

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# What these may hold; anything else in them is ignored, with a warning.
_TEXT = frozenset({"license", "compatibility", "version", "model", "argument-hint"})
_TEXTS = frozenset({"allowed-tools", "allowed_tools", "triggers", "paths", "globs", "keywords", "tags", "golden"})


class NoSkill(Exception):
    """The file is no skill; the message says why."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole file: its skill, its body without blank lines around it, and its bytes."""

    skill: Skill
    body: str
    data: bytes


def read_skill(path: str, level: Level, folder: str | None = None) -> Sheet:
    """Read a file; `folder` is what its folder is called. Raises `NoSkill`."""
    try:
        data = regular.read(path, MOST)
    except OSError as error:
        raise NoSkill(error.strerror or str(error)) from error
    return parse(data, path, level, folder)


def parse(data: bytes, path: str, level: Level = "project", folder: str | None = None) -> Sheet:
    """Make a skill of a file's bytes. Raises `NoSkill`."""
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NoSkill("it holds a NUL byte")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NoSkill(f"it is not UTF-8 (byte {error.start})") from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        parted = frontmatter.part(text)
        front = frontmatter.read(parted)
    except NoFrontMatter as error:
        raise NoSkill(str(error)) from None
    where = os.path.basename(os.path.dirname(path)) if folder is None else folder
    warnings = [f"{path}:{line}: {what}" for line, what in (*parted.told, *front.told)]
    fields = dict(front.fields)
    description = _description(fields.pop("description", None))
    if len(description) > LONGEST_DESCRIPTION:
        warnings.append(f"{path}: its description has {len(description):,} characters, {LONGEST_DESCRIPTION:,} at most")
    name = _name(fields.pop("name", None), where, path, warnings)
    own = _own(name, where)
    if own != name:
        warnings.append(f"{path}: {_short(name)} is no name for a skill: it is called {own}")
    if os.path.basename(path) != NAME:
        warnings.append(f"{path}: the file should be called {NAME}")
    for key in [key for key, value in fields.items() if not _fits(key, value)]:
        warnings.append(f"{path}: `{key}` holds {_kind(fields.pop(key))}: ignored")
    return Sheet(Skill(own, name, description, path, level, fields, tuple(warnings)), parted.body.strip("\n"), data)


def safe_name(name: str) -> str:
    """A name as an id: small letters, digits and hyphens, at most 64; "" where nothing of it is left."""
    if _ID.fullmatch(name) and len(name) <= LONGEST_NAME:
        return name
    import unicodedata

    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter)).casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_NAME].rstrip("-")


def _description(value: Any) -> str:
    if isinstance(value, list | dict):
        raise NoSkill(f"its description is {_kind(value)}, no text")
    if value is None or not without_hidden(value).strip():
        raise NoSkill("it has no description: a line `description: …` says what it does and when to use it")
    return str(value).strip()


def _name(value: Any, folder: str, path: str, warnings: list[str]) -> str:
    if not isinstance(value, str) or not value.strip():
        warnings.append(f"{path}: it has no name: its folder's counts")
        return folder
    name = " ".join(value.split())
    if name != folder:
        warnings.append(f"{path}: it is called {_short(name)} and lies in the folder {folder!r}")
    return name


def _short(name: str) -> str:
    return repr(name if len(name) <= 2 * LONGEST_NAME else f"{name[: 2 * LONGEST_NAME]}…")


def _own(name: str, folder: str) -> str:
    """The id; a name without a Latin letter or digit goes by its folder, or else by its hash."""
    if (own := safe_name(name)) or (own := safe_name(folder)):
        return own
    from hashlib import sha256

    return f"skill-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _fits(key: str, value: Any) -> bool:
    if key in _TEXT:
        return isinstance(value, str)
    if key in _TEXTS:
        return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))
    return key != "metadata" or isinstance(value, dict)


def _kind(value: Any) -> str:
    kinds = {list: "a list", dict: "a mapping", str: "a text", type(None): "nothing"}
    return kinds[type(value)]
