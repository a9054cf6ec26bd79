"""Actions: what was really done in a span, read off its calls and results and never off what anyone says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agentmem.domain.entry import Entry

CheckKind = Literal["test", "lint", "build"]


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that a successful call wrote: `path` as it was named, `tool` what wrote it (``write``, ``edit``,
    ``bash``), `times` how often, `entry` the last result that says so."""

    path: str
    tool: str
    times: int
    entry: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ended: `exit` is its code, None where only `failed` is known; `check` is what it checks, if it is
    a check; `error` is the line of its output that names the failure, "" for none."""

    command: str
    exit: int | None
    failed: bool
    check: CheckKind | None
    error: str
    entry: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that a command made: as git told it."""

    hash: str
    subject: str
    entry: str


@dataclass(frozen=True, slots=True)
class Actions:
    """The structured actions of a span, each in the order in which it (last) happened.

    `asked` are the person's messages, verbatim; `limits` those sentences of theirs that bind (never, always, only, must,
    do not…); `todos` are the open points of the last list; `done` its finished ones; `unfinished` are calls without a
    result; `failing` are the checks whose last run failed.
    """

    asked: tuple[str, ...]
    limits: tuple[str, ...]
    changed: tuple[Changed, ...]
    ran: tuple[Ran, ...]
    commits: tuple[Commit, ...]
    todos: tuple[str, ...]
    done: tuple[str, ...]
    unfinished: tuple[str, ...]
    failing: tuple[Ran, ...]


def actions(entries: Sequence[Entry]) -> Actions:
    """Read the structured actions of some entries, root first; never more than they hold."""
    raise NotImplementedError
