"""Actions: what was really done in a span, read off its calls and results and never off what anyone says of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Text
from agentmem.memory.read.checks import CheckKind, Outcome, check_of, outcome
from agentmem.memory.read.deeds import Deed, deeds
from agentmem.memory.read.kinds import errors
from agentmem.memory.read.sentences import binding
from agentmem.memory.read.touched import touched

_COMMIT = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ([^\n]{1,300})$", re.MULTILINE)
_FINISHED = frozenset({"done", "completed", "complete", "cancelled", "finished"})
_TEXTS = ("content", "text", "title", "task", "step", "description")


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that a successful call wrote: `path` as it was named, `tool` what wrote it last (``write``, ``edit``,
    ``bash``), `times` how often, `entry` the last result that says so."""

    path: str
    tool: str
    times: int
    entry: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ended: `exit` is its code, None where it is not known; `check` is what it checks, if it is a
    check, and `outcome` how that ended (of any other command: how it itself ended). `error` names the failure in a line
    of its output, "" for none."""

    command: str
    exit: int | None
    outcome: Outcome
    check: CheckKind | None
    error: str
    entry: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that a command made, as git told it."""

    hash: str
    subject: str
    entry: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A message of the person, verbatim; `answered` when the agent ended its turn with an answer."""

    text: str
    answered: bool
    entry: str


@dataclass(frozen=True, slots=True)
class Actions:
    """The structured actions of a span, each in the order in which it last happened.

    `limits` are the sentences of the person that bind (never, always, only, must, do not…), verbatim; `todos` the open
    points of the last list and `done` its finished ones; `unfinished` are calls without a result, as ``tool target``;
    `failing` the checks whose last run failed.
    """

    asked: tuple[Asked, ...]
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
    messages = tuple(entry.message() for entry in entries)
    return of_deeds(entries, messages, deeds(entries, messages))


def of_deeds(entries: Sequence[Entry], messages: Sequence[Message | None], done: Sequence[Deed]) -> Actions:
    """The same, of entries whose messages and deeds were read before."""
    asked = tuple(_asked(entries, messages))
    ran = tuple(_ran(deed) for deed in done if deed.verb == "run" and deed.result is not None and deed.command)
    todos, finished = _todos(done)
    return Actions(
        asked,
        _binding(asked),
        _changed(done),
        ran,
        tuple(commit for deed in done if deed.ok for commit in _commits(deed)),
        todos,
        finished,
        tuple(f"{deed.call.name} {deed.path or deed.command}".strip() for deed in done if deed.result is None),
        failing(ran),
    )


def limits(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The limits among their actions, alone."""
    return _binding(_asked(entries, tuple(entry.message() for entry in entries)))


def _binding(asked: Iterable[Asked]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(limit for one in asked for limit in binding(one.text)))


def _asked(entries: Sequence[Entry], messages: Sequence[Message | None]) -> Iterator[Asked]:
    waiting: tuple[str, str] | None = None
    for entry, message in zip(entries, messages, strict=True):
        if message is None or entry.body.get("notice") is True:
            continue
        if message.role == "user":
            said = [
                part.text for part in message.parts if isinstance(part, Text) and part.origin not in ("harness", "file")
            ]
            if text := "\n\n".join(said).strip():
                if waiting is not None:
                    yield Asked(waiting[0], False, waiting[1])
                waiting = text, entry.id
        elif message.role == "assistant" and waiting is not None and not message.calls and message.text.strip():
            yield Asked(waiting[0], True, waiting[1])
            waiting = None
    if waiting is not None:
        yield Asked(waiting[0], False, waiting[1])


def _changed(done: Sequence[Deed]) -> tuple[Changed, ...]:
    found: dict[str, Changed] = {}
    for deed in done:
        if not deed.ok:
            continue
        paths = (deed.path,) if deed.verb in ("write", "edit") else touched(deed.command) if deed.verb == "run" else ()
        for path in paths:
            if path:
                before = found.pop(path, None)
                tool = "bash" if deed.verb == "run" else deed.verb
                found[path] = Changed(path, tool, 1 + (before.times if before else 0), deed.entry)
    return tuple(found.values())


def _ran(deed: Deed) -> Ran:
    failed = deed.result is None or deed.result.error
    check = check_of(deed.command)
    if check is not None:
        ended = outcome(deed.command, deed.exit, failed, deed.output)
    else:
        ended = "passed" if deed.ok else "failed"
    error = "" if ended != "failed" else next(errors(deed.output), "")
    return Ran(deed.command, deed.exit, ended, check, error, deed.entry)


def failing(ran: Sequence[Ran]) -> tuple[Ran, ...]:
    """The last run of each check, where that is known to have failed."""
    last: dict[str, Ran] = {}
    for one in ran:
        if one.check is not None:
            key = _core(one.command)
            last.pop(key, None)
            last[key] = one
    return tuple(one for one in last.values() if one.outcome == "failed")


def _core(command: str) -> str:
    """A check without what only shortens its output (``2>&1 | tail -5``)."""
    return re.sub(r"\s*(?:2>&1)?\s*(?:\|[^|].*)?$", "", command.split("\n")[0]).strip()


def _commits(deed: Deed) -> Iterator[Commit]:
    if deed.verb == "run" and "commit" in deed.command:
        for found in _COMMIT.finditer(deed.output[:20_000]):
            yield Commit(found[1], found[2].strip(), deed.entry)


def _todos(done: Sequence[Deed]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The open and the finished points of the last list that was written."""
    for deed in reversed(done):
        if deed.verb == "todo" and deed.ok:
            listed = next((value for value in deed.call.arguments.values() if isinstance(value, list)), None)
            if listed is not None:
                points = [point for item in listed if (point := _point(item)) is not None]
                return tuple(text for text, ended in points if not ended), tuple(
                    text for text, ended in points if ended
                )
    return (), ()


def _point(item: Any) -> tuple[str, bool] | None:
    if isinstance(item, str):
        return (item.strip(), False) if item.strip() else None
    if not isinstance(item, Mapping):
        return None
    text = next((value.strip() for key in _TEXTS if isinstance(value := item.get(key), str) and value.strip()), None)
    state = item.get("status", item.get("state", ""))
    ended = item.get("done") is True or (isinstance(state, str) and state.lower() in _FINISHED)
    return None if text is None else (text, ended)
