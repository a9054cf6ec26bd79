"""Identifiers: the names in a span that must survive byte for byte, found by rules in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message
from agentmem.memory.read.deeds import Deed, deeds
from agentmem.memory.read.kinds import Memo, named
from agentmem.memory.read.sentences import decided
from agentmem.memory.read.voices import Said, Voice, voices

Kind = Literal["decision", "path", "command", "error", "hash", "number", "url", "host"]
KINDS: tuple[Kind, ...] = ("decision", "path", "command", "error", "hash", "number", "url", "host")

COMMAND_MOST = 300
"""Characters; a longer command is a script: what it names counts, it itself does not."""

_SPAN = re.compile(r"`([^`\n]{2,300})`")
_PROMPTED = re.compile(r"^[ \t]*\$ ([^\n]{2,300})$", re.MULTILINE)
_PROGRAM = re.compile(r"(?:(?:[A-Z_][A-Z0-9_]*=\S* |sudo |env |time )*)([\w./+-]{1,60})(?: |$)")
_PROGRAMS_WORDS = (
    "git npm npx pnpm yarn bun node deno python python3 pip pip3 uv uvx poetry pipx pytest tox nox ruff mypy "
    "black make just cmake ninja cargo rustc go docker docker-compose podman kubectl helm terraform ansible mix "
    "elixir iex bundle rake rails gem ruby php composer java javac mvn gradle dotnet swift tsc eslint prettier "
    "jest vitest ls cat grep rg find sed awk curl wget ssh scp rsync tar unzip chmod chown mkdir rm cp mv touch "
    "psql mysql sqlite3 redis-cli gh glab brew apt apt-get systemctl journalctl bash sh zsh source export cd "
    "alembic flask django-admin uvicorn gunicorn celery aws gcloud az agentmem"
)
_PROGRAMS = frozenset(_PROGRAMS_WORDS.split())
_WEIGHT: Mapping[Voice, float] = {
    "user": 2.0,
    "agent": 3.0,
    "wrote": 3.0,
    "ran": 3.0,
    "tried": 4.0,
    "thought": 1.0,
    "output": 0.5,
    "told": 0.5,
}
_HALVES = 30  # steps, until a place counts half
_STAYS = 0.1
_SPOKEN: frozenset[Voice] = frozenset({"user", "agent", "wrote", "ran"})


_Name = tuple[Kind | Literal["name"], str]


@dataclass(slots=True)
class _Tally:
    """What is counted of one name while the span is read."""

    count: int = 0
    last: int = -1
    weight: float = 0.0
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class Identifier:
    """One name: `text` as it stands in the span; `count` of the entries it stands in; `last` is the place (from 0) in
    the span of the last of them. `weight` says how likely it is to be needed again: the sum over its places of who
    named it there, less the longer ago."""

    kind: Kind | Literal["name"]
    text: str
    count: int
    last: int
    weight: float


@dataclass(frozen=True, slots=True)
class Salient:
    """What a span names. `found` are its salient identifiers by kind, in the order in which they first stand there;
    `rest` are the others, names in code among them. `length` counts the entries; `source` are all texts of the span;
    `messages` those of its entries (None for an entry that is none), and `done` its calls with their results.
    `memo` is what was read of their texts."""

    found: Mapping[Kind, tuple[Identifier, ...]]
    rest: tuple[Identifier, ...]
    length: int
    source: str = field(repr=False)
    messages: tuple[Message | None, ...] = field(repr=False)
    done: tuple[Deed, ...] = field(repr=False)
    memo: Memo = field(repr=False, compare=False)

    @property
    def every(self) -> tuple[Identifier, ...]:
        """The salient ones of all kinds."""
        return tuple(one for kind in KINDS for one in self.found.get(kind, ()))


def salient(entries: Sequence[Entry]) -> Salient:
    """What in these entries must survive: in user words, in assistant prose, in successful writes and commands, or
    named in two entries. Decisions are sentences of the person and of the agent alone."""
    messages = tuple(entry.message() for entry in entries)
    done = deeds(entries, messages)
    texts = list(voices(entries, messages, done))
    programs = _PROGRAMS | {
        word for deed in done if deed.verb == "run" and deed.ok and (word := _program(deed.command))
    }
    fades = _fading(messages)
    tallies: dict[_Name, _Tally] = {}
    memo = Memo()
    for said in texts:
        place, weight, spoken = said.place, _WEIGHT[said.voice] * fades[said.place], said.voice in _SPOKEN
        for name in _names(said, memo, programs):
            tally = tallies.get(name)
            if tally is None:
                tally = tallies[name] = _Tally()
            tally.count += tally.last != place
            tally.last = place
            tally.weight += weight
            tally.spoken |= spoken
    found: dict[Kind, list[Identifier]] = {kind: [] for kind in KINDS}
    rest: list[Identifier] = []
    for (kind, text), tally in tallies.items():
        one = Identifier(kind, text, tally.count, tally.last, tally.weight)
        if kind != "name" and (tally.spoken or tally.count > 1):
            found[kind].append(one)
        else:
            rest.append(one)
    source = "\n".join(said.text for said in texts)
    return Salient(
        {kind: tuple(ones) for kind, ones in found.items()}, tuple(rest), len(entries), source, messages, done, memo
    )


def commands(text: str, programs: Iterable[str] = _PROGRAMS) -> list[str]:
    """The commands that a text in Markdown names: between backticks, or after a prompt sign, with a program before
    them that is known."""
    known = programs if isinstance(programs, frozenset) else frozenset(programs)
    spans = [*_SPAN.findall(text), *_PROMPTED.findall(text)] if "`" in text or "$ " in text else []
    return [one for span in spans if " " in (one := span.strip().removeprefix("$ ")) and _program(one) in known]


def _names(said: Said, memo: Memo, programs: frozenset[str]) -> Iterable[_Name]:
    names: list[_Name] = list(named(said.text, memo))
    if said.voice in ("user", "agent"):
        names += [("command", one) for one in commands(said.text, programs)]
        names += [("decision", one) for one in decided(said.text, person=said.voice == "user")]
    elif len(said.text) <= COMMAND_MOST and "\n" not in said.text and _is_command(said, programs):
        names.append(("command", said.text))
    return dict.fromkeys(names)


def _is_command(said: Said, programs: frozenset[str]) -> bool:
    return said.voice == "ran" or (said.voice == "tried" and _program(said.text) in programs)


def _fading(messages: Sequence[Message | None]) -> list[float]:
    """What a place in the span counts: half as much for each so many steps that came after it; a tenth never fades."""
    out: list[float] = []
    steps = 0
    for message in reversed(messages):
        out.append(0.5 ** (steps / _HALVES) + _STAYS)
        steps += message is not None and message.role == "assistant"
    return out[::-1]


def _program(command: str) -> str:
    found = _PROGRAM.match(command)
    return found[1] if found else ""


def stands(one: str, text: str, *, whole: bool = True) -> bool:
    """Whether a name stands in a text byte for byte and is no piece of a longer one. Without `whole` it may be the end
    or the directory of a longer path, or a part of a dotted name."""
    at = text.find(one) if one else -1
    while at >= 0:
        end = at + len(one)
        goes_on_left = at > 0 and _word(one[0]) and _joins(text[at - 1], text[max(0, at - 2) : at - 1], one, whole)
        goes_on_right = _word(one[-1]) and _continues(text[end : end + 2], one, whole)
        if not (goes_on_left or goes_on_right):
            return True
        at = text.find(one, at + 1)
    return False


def _joins(sign: str, before: str, one: str, whole: bool) -> bool:
    """Whether the sign before a name makes it a piece of something longer."""
    if _word(sign) or (sign == "-" and (whole or _word(before))):
        return True
    if one[0].isdigit() and sign in ".," and before.isdigit():
        return True
    return whole and sign in "/.@~#$" and not (sign == "." and not _word(before))


def _continues(after: str, one: str, whole: bool) -> bool:
    """Whether what follows a name makes it a piece of something longer."""
    sign, next_ = after[:1], after[1:]
    if _word(sign):
        return True
    if sign == "/" and (whole or "://" in one):
        return True
    return sign in ("-", ".") and _word(next_) and (whole or sign == "-" or "/" in one)


def _word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
