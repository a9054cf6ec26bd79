"""Ignore: one .gitignore file as rules, with the meaning gitignore(5) gives them.

    *.log          any name ending so, at any depth
    !keep.log      but not this one
    /build/        the directory build beside this file
    docs/**/x      x below docs, at any depth

The rules are asked for each entry of a directory while a tree is walked from the top, and an ignored directory is not
entered; so a rule is only ever matched against the entry itself. As in git a character is a byte: `?` is half an `é`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.workspace.glob import BadGlob, PathGlob, name_regex

_MAGIC = frozenset("*?[\\")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line. A pattern without a slash is matched against the last name alone: `literal` when it has nothing
    special, else `name`; any other, as `path`, against the way from the file's own directory."""

    ignored: bool
    only_directories: bool
    literal: str | None = None
    name: Callable[[str], Any] | None = None
    path: PathGlob | None = None

    def matches(self, names: Sequence[str], directory: bool) -> bool:
        """Whether the rule speaks of this entry."""
        if self.only_directories and not directory:
            return False
        if self.path is not None:
            return self.path.matches(names)
        return names[-1] == self.literal or (self.name is not None and self.name(names[-1]) is not None)


class Ignore:
    """The rules of one file; the last one that matches an entry decides."""

    def __init__(self, data: bytes) -> None:
        rules: list[Rule] = []
        expressions: list[str] = []
        for line in data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"):
            rule = _rule(line.removesuffix("\r"), expressions)
            if rule is not None:
                rules.append(rule)
        self._rules = tuple(reversed(rules))
        self._paths = tuple(rule for rule in self._rules if rule.path is not None)
        # Most entries fit no rule: one look and one expression for all plain names say so at once.
        self._literals = frozenset(rule.literal for rule in rules if rule.literal is not None)
        self._any_name = re.compile("|".join(expressions), re.DOTALL).fullmatch if expressions else None

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, names: Sequence[str], directory: bool) -> bool | None:
        """True: ignored; False: kept by a rule with `!`; None: no rule speaks of it. `names` lead from the file's
        directory to the entry."""
        names = [name if name.isascii() else os.fsencode(name).decode("latin-1") for name in names]
        for rule in self._rules if self._names_some(names[-1]) else self._paths:
            if rule.matches(names, directory):
                return rule.ignored
        return None

    def _names_some(self, name: str) -> bool:
        return name in self._literals or (self._any_name is not None and self._any_name(name) is not None)


def _rule(line: str, expressions: list[str]) -> Rule | None:
    """The rule of a line, None for blank lines, comments and patterns that match nothing. The expression of a plain
    name is added to `expressions`."""
    glob = _without_trailing_blanks(line)
    if not glob or glob.startswith("#"):
        return None
    ignored = not glob.startswith("!")
    glob = glob if ignored else glob[1:]
    only_directories = glob.endswith("/")
    glob = glob.removesuffix("/")
    try:
        if "/" in glob:
            return Rule(ignored, only_directories, path=PathGlob(glob.removeprefix("/").split("/")))
        if _MAGIC.isdisjoint(glob):
            return Rule(ignored, only_directories, literal=glob)
        expression = name_regex(glob)
    except BadGlob:
        return None
    expressions.append(expression)
    return Rule(ignored, only_directories, name=re.compile(expression, re.DOTALL).fullmatch)


def _without_trailing_blanks(line: str) -> str:
    """The line without blanks at its end, unless a backslash stands before one."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if backslashes % 2 and len(bare) < len(line) else bare
