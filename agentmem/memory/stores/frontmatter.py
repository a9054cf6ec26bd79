"""Front matter: the keys at the head of a Markdown file, read as people write them, not only as YAML has it.

What YAML refuses is read anew key by key, a bad value as the plain text that it was meant to be. Values are text, None,
lists and mappings; a number, a date, a yes stays the text it was written as. A key that is there twice counts once, the
first time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_MOST_NODES = 20_000
_DEEPEST = 60
_NAMED = 10  # lines that a warning names

_DELIMITER = re.compile(r"---[ \t]*")
_GLUED = re.compile(r"---[ \t]*#")
_KEY = re.compile(r"([^\s#:'\"\-\[\]{},&*!|>%@`][^:\n]*|'[^'\n]*'|\"[^\"\n]*\"):(?:[ \t]+(.*)|[ \t]*)$")
# Lines that mean the same to YAML and to the eye; nine in ten files hold no others, and YAML takes its time to load.
_ODD = r"\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
_SIMPLE = re.compile(
    rf"([A-Za-z][A-Za-z0-9_-]*): +(?:([A-Za-z0-9(](?:[^{_ODD}]*[^{_ODD}\x20:])?)"
    rf"|\"([^{_ODD}\"\\]*)\"|'([^{_ODD}']*)') *"
)


class NoFrontMatter(Exception):
    """There is none that can be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Parted:
    """A file in two: the lines `head` between the delimiters, the first of them line number `first` of the file, and
    the `body`. `told` are (line, what was mended)."""

    head: tuple[str, ...]
    first: int
    body: str
    told: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Front:
    """The keys in their order, and what was mended or ignored as (line, what)."""

    fields: dict[str, Any]
    told: tuple[tuple[int, str], ...] = ()


def part(text: str) -> Parted:
    """Part a file whose line ends are ``\\n``. Only the first closing delimiter counts: rules in the body are its own.
    Raises `NoFrontMatter`."""
    start = 0 if text.startswith("---") else len(text) - len(text.lstrip())
    start = text.rfind("\n", 0, start) + 1
    blank = text.count("\n", 0, start)
    end = _end_of_line(text, start)
    if not _DELIMITER.fullmatch(text, start, end):
        empty = not text.strip()
        raise NoFrontMatter("the file is empty" if empty else "it has no front matter: its first line must be ---")
    told = [(1, "blank lines before the front matter")] if blank else []
    at = end
    while (at := text.find("\n---", at)) >= 0:
        last = _end_of_line(text, at + 1)
        glued = _GLUED.match(text, at + 1)
        if glued or _DELIMITER.fullmatch(text, at + 1, last):
            head = text[end + 1 : at].split("\n") if at > end else []
            body = text[last + 1 :]
            if glued:
                told.append((blank + len(head) + 2, "text is glued to the closing ---"))
                body = text[at + 4 :].lstrip(" \t")
            return Parted(tuple(head), blank + 2, body, tuple(told))
        at += 1
    raise NoFrontMatter("its front matter is not closed: a line --- must end it")


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def read(parted: Parted) -> Front:
    """The keys of the head. Raises `NoFrontMatter` when it holds none."""
    simple = _simple(parted.head)
    if simple is not None:
        return Front(simple)
    import yaml

    text = "\n".join(parted.head) + "\n"
    try:
        found = _Reading(text, parted).mapping()
    except yaml.YAMLError as error:
        return _by_key(parted, _line_of(error, parted), _cause(error))
    return found


def _simple(head: tuple[str, ...]) -> dict[str, Any] | None:
    """The keys of a head that holds nothing but plain lines; None when YAML must read it."""
    fields: dict[str, Any] = {}
    for line in head:
        match = _SIMPLE.fullmatch(line)
        if match is None:
            return None
        key, value, double, single = match.groups()
        if key in fields or (value is not None and (": " in value or " #" in value or value.lower() == "null")):
            return None
        fields[key] = value if value is not None else single if double is None else double
    return fields or None


class _Reading:
    """One text that YAML can read, as plain values with what was lost put back."""

    def __init__(self, text: str, parted: Parted) -> None:
        self._lines = text.split("\n")
        self._first = parted.first
        self._text = text
        self._left = _MOST_NODES

    def mapping(self) -> Front:
        """Raises `yaml.YAMLError`, `NoFrontMatter`."""
        import yaml

        try:
            node: Any = yaml.compose(self._text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except (RecursionError, ValueError) as error:
            raise NoFrontMatter(f"its front matter is nested too deep: {type(error).__name__}") from None
        if node is None:
            return Front({})
        if not isinstance(node, yaml.MappingNode):
            raise NoFrontMatter("its front matter holds no keys: `key: value` lines are wanted")
        fields: dict[str, Any] = {}
        told: list[tuple[int, str]] = []
        for key, value in node.value:
            name = key.value if isinstance(key.value, str) else ""
            line = key.start_mark.line
            if name in fields:
                told.append((line + self._first, f"`{name}` is there twice: the first one counts"))
                continue
            raw = self._lost(key, value)
            if raw is not None:
                told.append((line + self._first, f"YAML would cut `{name}`: the whole line counts"))
            fields[name] = self._value(value, _DEEPEST) if raw is None else raw
        return Front(fields, tuple(told))

    def _lost(self, key: Any, value: Any) -> str | None:
        """The whole line of a plain value of which YAML took a part for a comment, a mark or a tag; None for others."""
        mark = key.end_mark
        line = self._lines[mark.line]
        raw: str = line[mark.column :].lstrip(" \t").removeprefix(":").strip()
        if value.start_mark.line != mark.line or not isinstance(value.value, str):
            return None
        if raw[:1] in ("&", "!"):
            return raw
        if key.value not in _PROSE or value.style or value.end_mark.line != mark.line:
            return None
        rest = line[value.end_mark.column :].strip()
        return raw if rest.startswith("#") else None

    def _value(self, node: Any, deep: int) -> Any:
        """A node as text, None, list or mapping. Aliases can make a text endless: so nodes are counted."""
        self._left -= 1
        if self._left < 0 or deep < 0:
            raise NoFrontMatter("its front matter is nested too deep, or too large")
        if isinstance(node.value, str):
            return None if node.tag.endswith(":null") else node.value
        if node.id == "sequence":
            return [self._value(one, deep - 1) for one in node.value]
        return {str(self._value(key, deep - 1)): self._value(value, deep - 1) for key, value in node.value}


_PROSE = frozenset({"description", "argument-hint", "when_to_use"})


def _by_key(parted: Parted, line: int, cause: str) -> Front:
    """Read each key for itself; what YAML refuses is text."""
    import yaml

    fields: dict[str, Any] = {}
    told: list[tuple[int, str]] = []
    bad: list[int] = []
    for at, key, rows in _blocks(parted.head):
        if key in fields:
            told.append((at + parted.first, f"`{key}` is there twice: the first one counts"))
            continue
        alone = Parted(tuple(rows), parted.first + at, "")
        try:
            found = _Reading("\n".join(rows) + "\n", alone).mapping()
            told += found.told
        except (yaml.YAMLError, NoFrontMatter):
            bad.append(at + parted.first)
            found = Front({key: _as_text(rows)})
        fields |= {name: value for name, value in found.fields.items() if name not in fields}
    if not fields:
        raise NoFrontMatter(f"its front matter has no keys that can be read: line {line}: {cause}")
    line = bad[0] if bad else line
    more = ", …" if len(bad) > _NAMED else ""
    also = f" (and in line {', '.join(map(str, bad[1:_NAMED]))}{more})" if bad[1:] else ""
    return Front(fields, ((line, f"no valid YAML: {cause}{also}: read as plain text"), *told))


def _blocks(head: tuple[str, ...]) -> Iterator[tuple[int, str, list[str]]]:
    """The keys at the left margin, each with its number among the lines and the lines that belong to it."""
    start, key, rows = 0, "", list[str]()
    for number, line in enumerate(head):
        match = _KEY.match(line)
        if match and not line.startswith("- "):
            if key:
                yield start, key, rows
            start, key, rows = number, match[1].strip().strip("'\""), [line]
        elif line.strip() and line[0] == "\t" and (inner := _KEY.match(line.strip())):
            if key:
                yield start, key, rows
            start, key, rows = number, inner[1].strip().strip("'\""), [line.strip()]
        elif key and not line.startswith("#"):
            rows.append(line)
    if key:
        yield start, key, rows


def _as_text(rows: list[str]) -> str:
    """The value of a key as it was written: on one line, and without the quotes around all of it."""
    first = rows[0].partition(":")[2]
    text = " ".join(one for row in (first, *rows[1:]) if (one := row.strip()))
    head = text.split(" ", 1)[0]
    if head in ("|", ">", "|-", ">-", "|+", ">+"):
        text = text[len(head) :].strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]:
        text = text[1:-1]
    return text


def _line_of(error: Any, parted: Parted) -> int:
    mark = getattr(error, "problem_mark", None)
    return parted.first + (mark.line if mark else 0)


def _cause(error: Any) -> str:
    return str(getattr(error, "problem", None) or error).split("\n")[0]
