"""Quick: the plain command lines of a run, read ahead of Typer, whose loading would cost a third of a start.

Only what is spelt in full and surely right is read here. Everything else (help, a subcommand, a wrong value, a cluster
of short options) is left to `agentmem.cli`, so that there is one place for errors and help.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from agentmem.domain.mode import MODES

OUTPUTS = ("text", "json", "stream-json")


@dataclass(frozen=True, slots=True)
class Line:
    """What a plain command line says; the fields are the options of `agentmem` itself, None or False is "not said".

    An empty `resume` lets the person choose the session; `fork` goes on in a fork of the one that is resumed.
    `whole` keeps its history linear, with `no_model` no model writes summaries."""

    prompt: str | None = None
    last: bool = False
    resume: str | None = None
    model: str | None = None
    api_base: str | None = None
    permission: str | None = None
    output: str = "text"
    max_turns: int | None = None
    max_cost: float | None = None
    fork: bool = False
    whole: bool = False
    no_model: bool = False


def _among(allowed: Sequence[str]) -> Callable[[str], str]:
    def read(word: str) -> str:
        if word not in allowed:
            raise ValueError
        return word

    return read


def _count(word: str) -> int:
    number = int(word)
    if number < 1:
        raise ValueError
    return number


def _amount(word: str) -> float:
    number = float(word)
    if not 0 <= number < inf:  # nan is no amount either
        raise ValueError
    return number


_READ: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "-p": ("prompt", str),
    "--print": ("prompt", str),
    "-r": ("resume", str),
    "--resume": ("resume", str),
    "--model": ("model", str),
    "--api-base": ("api_base", str),
    "--permission": ("permission", _among(MODES)),
    "--output": ("output", _among(OUTPUTS)),
    "--max-turns": ("max_turns", _count),
    "--max-cost": ("max_cost", _amount),
}
_FLAGS = {
    "-c": "last",
    "--continue": "last",
    "--fork": "fork",
    "--no-compaction": "whole",
    "--no-model": "no_model",
}
_ALONE = frozenset({"-r", "--resume"})  # may stand without a value


def plain_line(argv: Sequence[str]) -> Line | None:
    """The command line as a `Line`, None when Typer must read it."""
    said: dict[str, Any] = {}
    words = list(argv)[::-1]
    while words:
        word = words.pop()
        if word in _FLAGS:
            said[_FLAGS[word]] = True
            continue
        name, read = _READ.get(word, (None, None))
        if word in _ALONE and (not words or words[-1] in _READ or words[-1] in _FLAGS):
            said["resume"] = ""
            continue
        value = words.pop() if words else None
        # A value that looks like an option may be a forgotten value: Typer's rules decide.
        if name is None or read is None or value is None or value.startswith("-"):
            return None
        try:
            said[name] = read(value)
        except ValueError:
            return None
    line = Line(**said)
    resumes = line.last + (line.resume is not None)
    fits = (line.prompt is not None or line.output == "text") and resumes <= 1 and resumes >= line.fork
    return line if fits else None
