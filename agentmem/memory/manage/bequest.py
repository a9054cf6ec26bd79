"""Bequest: the beliefs that only a work tree held which is gone: they are offered, and come back on a word of yours."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agentmem import regular
from agentmem.domain.belief import Belief, fold
from agentmem.domain.desk import Desk
from agentmem.memory.read import believed
from agentmem.memory.read.blame import history_of
from agentmem.memory.stores import folder
from agentmem.memory.stores.bullets import keyed, parse
from agentmem.memory.write import marking
from agentmem.memory.write.gate import refusing

_MOST = 1 << 20  # bytes of the list of those that were offered


def left_behind(desk: Desk) -> Iterator[tuple[str, int]]:
    """The work trees that are gone and the beliefs that only they hold: each one's branch, and how many."""
    level = desk.level("project")
    own = history_of(level, desk, {})
    gone = [branch for branch, root in own.roots().items() if branch != own.branch and not os.path.isdir(root)]
    if not gone:
        return
    here = {one.text for one in parse(_text(believed.bytes_of(level.memory) or b"", desk))}
    told = fold(believed.records(level.ledger))
    heads = own.branches()
    for branch in gone:
        data = own.at(heads[branch], "MEMORY.md") if branch in heads else None
        held = marking.marked(data or b"", "project", desk.places)
        facts, secret = keyed(parse(held.text())), refusing.refused(held)
        missed = (one for fact, one in facts.items() if fact not in secret and _missed(told.get(fact)))
        count = sum(one.text not in here for one in missed)
        if count:
            yield branch, count


def offer(desk: Desk) -> list[str]:
    """What the beliefs of work trees that are gone are offered with, each work tree once. Raises `OSError`, `Damaged`,
    `MemoryBusy`."""
    path = history_of(desk.level("project"), desk, {}).path / "offered"
    told = set(regular.read(path, _MOST).decode().split("\n")) if path.exists() else set()
    new = [(branch, count) for branch, count in left_behind(desk) if branch not in told]
    if new:
        folder.write_private(path, "".join(f"{one}\n" for one in sorted(told | {one for one, _ in new})).encode())
    return [
        f"{beliefs(count)} of the work tree {branch}, which is gone, "
        f"can be had here: agentmem memory restore {branch} --missing"
        for branch, count in new
    ]


def _text(data: bytes, desk: Desk) -> str:
    """The text of a project's MEMORY.md with marks, which stand in no belief."""
    return marking.marked(data, "project", desk.places).text()


def beliefs(count: int) -> str:
    """So many, in words."""
    return "1 belief" if count == 1 else f"{count} beliefs"


def _missed(belief: Belief | None) -> bool:
    """Whether a belief that does not stand here was not let go here either."""
    return belief is None or belief.open
