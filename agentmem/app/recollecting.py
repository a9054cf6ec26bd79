"""Recollecting: durable memory for a person at the command line: list, log, diff, blame, restore, check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentmem.app.consent import require_person
from agentmem.app.remembering import desk_of, take_over
from agentmem.domain.claim import Scope
from agentmem.memory.memory import annals, checkup, daymerge
from agentmem.workspace.trust import trusted

_DRIVEN_MOST = 1 << 26


def open_annals(env: Mapping[str, str]) -> annals.Annals:
    """Durable memory here, with what was edited by hand taken over first. Raises `ConfigError`, `NoDirectory`."""
    desk = desk_of(env)
    return annals.Annals(desk, env, trusted(desk.places.home, desk.places.root))


def listed(env: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every line that states a belief, as objects. Raises `OSError`."""
    take_over(env)
    found = open_annals(env)
    paths = {level.scope: str(level.memory) for level in found.desk.levels} | {"project": "MEMORY.md"}
    return [
        {
            "path": paths[one.scope],
            "line": one.line,
            "fact": one.belief.fact,
            "text": one.belief.text,
            "category": one.belief.category,
            "principal": one.belief.principal if one.word != "project" else "project",
            "word": one.word,
            "section": one.section,
            "secret": one.secret,
        }
        for one in found.held()
    ]


def table(rows: list[dict[str, Any]]) -> str:
    """The list for a person."""
    if not rows:
        return 'nothing is remembered yet; try: agentmem remember "tests run on PostgreSQL 15"'
    marks = {"person": "", "project": "  [the project's word]", "waiting": "  [waits for you: agentmem review]"}
    secret = "  [holds a secret: not remembered]"
    return "\n".join(
        f"{row['path']}:{row['line']}  {row['text']}  ^{row['fact']}{secret if row['secret'] else marks[row['word']]}"
        for row in rows
    )


def restored(called: str, scope: Scope, missing: bool, env: Mapping[str, str]) -> dict[str, Any]:
    """Bring MEMORY.md back as a commit has it, or what another work tree knows and this one does not. Raises
    `NotThePerson`, `NoVersion`, `MemoryBusy`, `OSError`."""
    require_person(env, "bring an earlier memory back")
    take_over(env)
    found = open_annals(env)
    if missing:
        diff, count = found.missing(called)
        return {"from": called, "changed": count > 0, "diff": diff}
    carried, commit = found.restore(scope, called)
    return {"from": commit, "changed": carried is not None, "diff": carried.diff if carried else ""}


def checked(mend: bool, env: Mapping[str, str]) -> tuple[list[checkup.Found], list[checkup.Found]]:
    """What was mended (when asked for), and what is there to tell. Raises `OSError`, `MemoryBusy`, `NotThePerson`."""
    if mend:
        require_person(env, "mend the memory")
    take_over(env)
    desk = desk_of(env)
    mended = checkup.mend(desk) if mend else []
    return mended, checkup.check(desk)


def report(mended: list[checkup.Found], found: list[checkup.Found]) -> Iterator[str]:
    """The same for a person."""
    for one in mended:
        yield f"mended: {one.where}: {one.what}"
    for one in found:
        yield f"{one.kind:<9} {one.where}: {one.what}\n          -> {one.mend}"
    if not found:
        yield "all well"


def merge_day(base: Path, ours: Path, theirs: Path) -> None:
    """What git calls to merge a day file: the result takes our version's place. Raises `OSError`."""
    from agentmem import regular

    read = [regular.read(path, _DRIVEN_MOST) for path in (base, ours, theirs)]
    ours.write_bytes(daymerge.merge(*read))
