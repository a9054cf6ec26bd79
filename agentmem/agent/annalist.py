"""Annalist: what a person asks of durable memory while they talk: list, log, diff, blame, restore, check."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from agentmem.memory.memory import MemoryBusy, NothingThere, NoVersion, Unusable, annals, checkup
from agentmem.objects import Damaged

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent

USAGE = "/memory [list | log | diff | blame MEMORY.md:LINE | restore COMMIT | check]"
_MOST = 20


def asked(agent: Agent, words: str) -> list[str]:
    """The answer in lines. What cannot be is told in them."""
    if agent.warden is None:
        return ["nobody looks after the memory here"]
    verb, _, rest = words.strip().partition(" ")
    run = _VERBS.get(verb or "list")
    if run is None:
        return [f"there is no {verb}; {USAGE}"]
    warden = agent.warden()
    warden.between(agent.session.id)
    found = annals.Annals(warden.desk, agent.env, warden.trusted())
    try:
        return run(found, rest.strip())
    except (Damaged, MemoryBusy, NoVersion, NothingThere, OSError, Unusable) as error:
        return [str(error)]


def _list(found: annals.Annals, rest: str) -> list[str]:
    names = {level.scope: str(level.memory) for level in found.desk.levels} | {"project": "MEMORY.md"}
    marks = {"person": "", "project": "  [the project's word]", "waiting": "  [waits for you]"}
    rows = [
        f"{names[one.scope]}:{one.line}  {one.belief.text}  ^{one.belief.fact}"
        f"{'  [holds a secret: not remembered]' if one.secret else marks[one.word]}"
        for one in found.held()
    ]
    return rows or ["nothing is remembered yet"]


def _log(found: annals.Annals, rest: str) -> list[str]:
    most = int(rest) if rest.isascii() and rest.isdigit() else _MOST
    rows = []
    for one in found.log("project", most):
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.at))
        rows.append(f"{one.id[:12]}  {at}  {one.message.splitlines()[0]}")
    return rows or ["nothing was written yet"]


def _diff(found: annals.Annals, rest: str) -> list[str]:
    old, _, new = rest.partition(" ")
    return list(found.diff("project", old or None, new.strip() or None)) or ["no difference"]


def _blame(found: annals.Annals, rest: str) -> list[str]:
    if not rest:
        return [f"which line? {USAGE}"]
    return list(found.blame(rest if ":" in rest or not rest.isdigit() else f"MEMORY.md:{rest}").lines())


def _restore(found: annals.Annals, rest: str) -> list[str]:
    if not rest:
        return [f"which commit? {USAGE}"]
    carried, commit = found.restore("project", rest)
    if carried is None:
        return ["it is so already"]
    return [f"restored from {commit[:12]}:", *carried.diff.split("\n")]


def _check(found: annals.Annals, rest: str) -> list[str]:
    rows = [f"{one.kind} {one.where}: {one.what} -> {one.mend}" for one in checkup.check(found.desk)]
    return rows or ["all well"]


_VERBS: Mapping[str, Callable[[annals.Annals, str], list[str]]] = {
    "list": _list,
    "log": _log,
    "diff": _diff,
    "blame": _blame,
    "restore": _restore,
    "check": _check,
}
