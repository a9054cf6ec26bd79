"""Importing: other tools' logs become sessions of this project; and what came of each file, for people and programs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agentmem import __version__
from agentmem.app.home import places_of
from agentmem.domain.clock import Clock
from agentmem.domain.imported import Intake
from agentmem.domain.visible import visible
from agentmem.memory.memory import import_log

FORMATS = ("auto", "claude-code", "pi", "codex")
_SUFFIX = ".jsonl"
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to import; `named` is True when the person named it, and not only a directory around it."""

    path: Path
    named: bool


def wanted(paths: Sequence[str]) -> Iterator[Wanted]:
    """The files named, each with the logs of its sub-agents, and those below the directories named; each once."""
    seen: set[str] = set()
    for path in map(Path, paths):
        inner = path.with_suffix("") / "subagents"
        found = [] if path.is_dir() else [Wanted(path, True)]
        for folder in (path if path.is_dir() else inner,):
            found += [Wanted(one, False) for one in _logs(folder)]
        for one in found:
            real = os.path.realpath(one.path)
            if real not in seen:
                seen.add(real)
                yield one


def import_all(paths: Sequence[str], form: str, env: Mapping[str, str]) -> Iterator[tuple[Wanted, Intake]]:
    """Import file after file; gives what came of each. Raises `LogWriteError` where one could not be written."""
    places, clock = places_of(env), Clock()
    for one in wanted(paths):
        yield one, import_log(one.path, places, clock, __version__, None if form == "auto" else form)


def failed(done: Sequence[tuple[Wanted, Intake]]) -> bool:
    """True when a file that the person named did not come in, or nothing did."""
    came = [intake.state != "refused" for _, intake in done]
    return not any(came) or any(one.named and intake.state == "refused" for one, intake in done)


def to_json(intake: Intake) -> dict[str, Any]:
    """What came of a file; `skipped` and `mended` are lines with the reason."""
    out = {key: value or None if key == "reason" else value for key, value in asdict(intake).items()}
    for key in ("skipped", "mended"):
        out[key] = [{"line": line, "reason": reason} for line, reason in getattr(intake, key)]
    return out


def told(intake: Intake) -> str:
    """What came of a file, in a few lines for a person."""
    name = visible(intake.file)
    if intake.state == "refused":
        return f"{name}\n  not imported: {visible(intake.reason)}"
    if intake.state == "known":
        return f"{name}\n  imported already as {intake.session}; nothing was written"
    rows = [
        f"{intake.session}  {intake.tool} {visible(intake.version)}",
        f"read      {_count(intake.lines, 'line')}, {_count(intake.records, 'record')}: {_by(intake.read)}",
        f"written   {_by(intake.messages)}; {_count(intake.calls, 'call')}, {_count(intake.results, 'result')}, "
        f"{intake.stand_ins} stood in for; {_count(intake.compactions, 'compaction')}; {intake.meta} kept, never sent",
    ]
    if intake.sub_sessions:
        rows.append(f"with      {_count(len(intake.sub_sessions), 'sub-session')}: {', '.join(intake.sub_sessions)}")
    if intake.passed:
        rows.append(f"left out  {_by(intake.passed)} (they repeat or accompany others)")
    rows += [f"skipped   {row}" for row in _grouped(intake.skipped)]
    rows += [f"mended    {row}" for row in _grouped(intake.mended)]
    return "\n  ".join((name, *rows))


def _logs(folder: Path) -> list[Path]:
    """The logs below a directory, those of a session before its sub-agents'."""
    found = [Path(at) / name for at, _, names in os.walk(folder) for name in names if name.endswith(_SUFFIX)]
    return sorted((path for path in found if path.is_file()), key=lambda path: (path.parent.name == "subagents", path))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _by(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {visible(name)}" for name, count in counts.items()) or "nothing"


def _grouped(found: Sequence[tuple[int, str]]) -> Iterator[str]:
    for reason, count in Counter(reason for _, reason in found).items():
        at = [line for line, why in found if why == reason]
        more = f" and {count - _NAMED} more" if count > _NAMED else ""
        yield f"line{'s' if count > 1 else ''} {', '.join(map(str, at[:_NAMED]))}{more}: {reason}"
