"""Plan: what a rewind would put back, what else has changed, and what stays as it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem.agent.timeline import Written
from agentmem.domain.checkpoint import State
from agentmem.domain.places import Places
from agentmem.domain.tool import Access
from agentmem.workspace.paths import inside
from agentmem.workspace.permission import memory_refusal
from agentmem.workspace.steering import steering

if TYPE_CHECKING:
    from agentmem.workspace.checkpoints.changes import Change
    from agentmem.workspace.checkpoints.vault import Vault


@dataclass(frozen=True, slots=True)
class Step:
    """One path that would be made to hold `wanted` instead of `now`. `why` it is not done unasked, "" when it is."""

    path: bytes
    now: State
    wanted: State
    made: int = 0
    why: str = ""

    @property
    def does(self) -> str:
        """What it does to the file: ``remove``, ``bring back``, ``mode`` or ``restore``."""
        if self.wanted.kind == "absent":
            return "remove"
        if self.now.kind == "absent":
            return "bring back"
        return "mode" if self.now.blob == self.wanted.blob and self.now.kind == self.wanted.kind else "restore"


@dataclass(frozen=True, slots=True)
class Plan:
    """`to` is the user message before which things are as they then were. `back` is put back; `asked` only when the
    person says so (others changed it too, or it lies where a mistake costs more); `stays` is told with the reason and
    never touched. `unknown` says why it is not known what else has changed, "" when it is."""

    to: str
    back: tuple[Step, ...] = ()
    asked: tuple[Step, ...] = ()
    stays: tuple[tuple[bytes, str], ...] = ()
    unknown: str = ""

    @property
    def empty(self) -> bool:
        """True when no file would or could be put back."""
        return not self.back and not self.asked


def plan_writes(to: str, vault: Vault, places: Places, written: Iterable[Written]) -> Plan:
    """What a rewind does to the files that tools wrote."""
    back: list[Step] = []
    asked: list[Step] = []
    stays: list[tuple[bytes, str]] = []
    for one in sorted(written, key=lambda one: one.path):
        now = vault.look(one.path)
        if now == one.first:
            continue
        barred = _barred(one.path, now, one.first, vault, places)
        if barred:
            stays.append((one.path, barred))
            continue
        why = "" if one.holds(now) else "changed since the agent wrote it"
        why = why or _guarded(one.path, vault, places)
        (asked if why else back).append(Step(one.path, now, one.first, one.made, why))
    return Plan(to, tuple(back), tuple(asked), tuple(stays))


def with_changes(
    plan: Plan, vault: Vault, places: Places, changed: Iterable[Change], known: Mapping[bytes, Written]
) -> Plan:
    """The plan and what has changed by other hands: commands, the person, other programs."""
    asked, stays = list(plan.asked), list(plan.stays)
    for change in changed:
        if change.path in known:
            continue
        if change.before is None:
            stays.append(
                (change.path, "new" if change.how == "new" else f"{change.how}; its earlier bytes were not kept")
            )
            continue
        now = vault.look(change.path)
        wanted = _with_mode(change.before, now)
        barred = _barred(change.path, now, wanted, vault, places)
        if barred:
            stays.append((change.path, f"{change.how}; {barred}"))
        elif now != wanted:
            asked.append(Step(change.path, now, wanted, 0, f"{change.how}, not by write or edit"))
    return replace(plan, asked=tuple(asked), stays=tuple(stays))


def _with_mode(wanted: State, now: State) -> State:
    """A tree knows of a file's mode only whether it can be executed; the rest stays as it is, and what is not known is
    never made wider: a file that was gone comes back for its owner alone."""
    if wanted.kind != "file":
        return wanted
    if now.kind != "file":
        return replace(wanted, mode=0o700 if wanted.mode & 0o100 else 0o600)
    readable = (now.mode & 0o444) >> 2
    mode = now.mode | readable if wanted.mode & 0o100 else now.mode & ~0o133
    return replace(wanted, mode=now.mode if bool(now.mode & 0o100) == bool(wanted.mode & 0o100) else mode)


def _barred(path: bytes, now: State, wanted: State, vault: Vault, places: Places) -> str:
    """Why this path is not put back whatever the person says, "" when it can be."""
    if now.kind == "other" or wanted.kind == "other":
        return f"it is {now.what}" if now.kind == "other" else f"it was {wanted.what}"
    full = os.fsdecode(vault.full(path))
    if memory_refusal(Access("write", full, full), places) is not None:
        return "it is the agent's memory"
    return ""


def _guarded(path: bytes, vault: Vault, places: Places) -> str:
    """Why this path needs the person's word though a tool wrote it last, "" when it does not."""
    full = Path(os.fsdecode(vault.full(path)))
    if not inside(full, places.root):
        return "it lies outside the workspace"
    return steering(full, places) or ""
