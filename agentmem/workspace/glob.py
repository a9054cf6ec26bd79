"""Glob: path patterns as .gitignore and people write them, matched in a time that hostile patterns cannot blow up.

In a name `*` is any characters, `?` one, `[a-z]` and `[!a-z]` one of a set, a backslash takes the next character as it
is; `**` as a whole name is any number of directories. Names may hold undecodable bytes (surrogateescape).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

NameMatch = Callable[[str], object]

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}

_MOST_ALTERNATIVES = 200


class BadGlob(Exception):
    """A pattern that means nothing; the message says why."""


def name_regex(glob: str) -> str:
    """A regular expression for one name (no slash), to be used with `fullmatch` and DOTALL. Raises `BadGlob`.

    Each run between two stars matches where it first fits and is never tried again: what follows a star has a fixed
    length, so an earlier place is as good as a later one, and the time stays linear in the name for each star.
    """
    runs: list[list[str]] = [[]]
    at = 0
    while at < len(glob):
        letter = glob[at]
        if letter == "*":
            if runs[-1] or len(runs) == 1:
                runs.append([])
            at += 1
        elif letter == "[":
            part, at = _set(glob, at)
            runs[-1].append(part)
        elif letter == "\\":
            if at + 1 == len(glob):
                raise BadGlob("it ends in a backslash")
            runs[-1].append(re.escape(glob[at + 1]))
            at += 2
        else:
            runs[-1].append("." if letter == "?" else re.escape(letter))
            at += 1
    first, *rest = ("".join(run) for run in runs)
    if not rest:
        return first
    *middle, last = rest
    return first + "".join(f"(?>.*?{run})" for run in middle) + ".*" + last


def _set(glob: str, start: int) -> tuple[str, int]:
    """The bracket expression at `start` as a regular expression, and where it ends."""
    at = start + 1
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    parts: list[str] = []
    first = True
    while True:
        if at >= len(glob):
            raise BadGlob("a [ is not closed")
        if glob[at] == "]" and not first:
            break
        first = False
        if glob.startswith("[:", at) and (end := glob.find(":]", at + 2)) >= 0:
            if glob[at + 2 : end] not in _CLASSES:
                raise BadGlob(f"[:{glob[at + 2 : end]}:] is no class")
            parts.append(_CLASSES[glob[at + 2 : end]])
            at = end + 2
            continue
        low, at = _member(glob, at)
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(glob, at + 1)
            if low > high:
                continue
            parts.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            parts.append(re.escape(low))
    body = "".join(parts)
    if not body:
        return ("." if negated else "(?!)"), at + 1
    return f"[{'^' if negated else ''}{body}]", at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    """One character of a bracket expression and where the next begins."""
    if glob[at] == "\\" and at + 1 < len(glob):
        return glob[at + 1], at + 2
    return glob[at], at + 1


class PathGlob:
    """A pattern of names between slashes, matched against the names of a path. Raises `BadGlob`."""

    def __init__(self, names: Sequence[str]) -> None:
        self._parts: list[NameMatch | None] = []
        for index, name in enumerate(names):
            if name != "**":
                self._parts.append(re.compile(name_regex(name), re.DOTALL).fullmatch)
            elif index == len(names) - 1:
                self._parts += [None, bool]
            elif not self._parts or self._parts[-1] is not None:
                self._parts.append(None)

    def matches(self, names: Sequence[str]) -> bool:
        """Whether the whole path fits. Only the last `**` is ever tried again, so the time is at most the product of
        both lengths."""
        at = part = 0
        again: tuple[int, int] | None = None
        while at < len(names):
            if part < len(self._parts) and self._parts[part] is None:
                again = (part + 1, at)
                part += 1
            elif part < len(self._parts) and self._fits(part, names[at]):
                part, at = part + 1, at + 1
            elif again is not None:
                again = (again[0], again[1] + 1)
                part, at = again
            else:
                return False
        return all(rest is None for rest in self._parts[part:])

    def _fits(self, part: int, name: str) -> bool:
        match = self._parts[part]
        return match is not None and bool(match(name))


class Wanted:
    """What a model asks for by a glob: `*.py` at any depth, `src/**/test_*` from the top, `{a,b}` either, `x/` only
    directories. Raises `BadGlob`."""

    def __init__(self, glob: str) -> None:
        self.only_directories = glob.endswith("/")
        glob = glob.rstrip("/") if self.only_directories else glob
        anchored = glob.startswith(("/", "./"))
        glob = glob.removeprefix(".").lstrip("/") if anchored else glob
        self._globs = []
        for one in _alternatives(glob):
            names = [name for name in one.split("/") if name not in ("", ".")]
            if ".." in names:
                raise BadGlob("it goes up with `..`; name the directory as path")
            if names:
                self._globs.append(PathGlob(names if anchored or "/" in one else ["**", *names]))
        if not self._globs:
            raise BadGlob("it names nothing")

    def matches(self, names: Sequence[str], directory: bool = False) -> bool:
        """Whether the path, given as its names, is asked for."""
        return (directory or not self.only_directories) and any(glob.matches(names) for glob in self._globs)


def _alternatives(glob: str) -> list[str]:
    """The globs that braces stand for: `a{b,c}` is `ab` and `ac`. Braces unclosed or without a comma are themselves."""
    done: list[str] = []
    waiting = [(glob, 0)]
    while waiting:
        one, start = waiting.pop()
        span = _braces(one, start)
        if span is None:
            done.append(one)
        else:
            begin, end, commas = span
            edges = [begin, *commas, end]
            inner = [one[low + 1 : high] for low, high in pairwise(edges)]
            waiting += [(one[:begin] + text + one[end + 1 :], begin) for text in reversed(inner)]
        if len(done) + len(waiting) > _MOST_ALTERNATIVES:
            raise BadGlob(f"its braces stand for more than {_MOST_ALTERNATIVES} patterns")
    return done


def _braces(glob: str, start: int) -> tuple[int, int, list[int]] | None:
    """Where the first pair of braces with a comma begins and ends from `start` on, and its own commas."""
    open_at: list[tuple[int, list[int]]] = []
    found: tuple[int, int, list[int]] | None = None
    escaped = False
    for at, letter in enumerate(glob):
        if at < start or escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == "{":
            open_at.append((at, []))
        elif letter == "," and open_at:
            open_at[-1][1].append(at)
        elif letter == "}" and open_at:
            begin, commas = open_at.pop()
            if commas and (found is None or begin < found[0]):
                found = (begin, at, commas)
    return found
