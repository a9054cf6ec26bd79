"""Plan: what a rewind would put back, what it cannot, what else has changed, and what stays as it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
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

Told = tuple[bytes, str]
"""A path and what is said of it."""


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
        return "mode" if _same_bytes(self.now, self.wanted) else "restore"


@dataclass(frozen=True, slots=True)
class Plan:
    """`to` is the user message before which things are as they then were. `back` is put back; `asked` only when the
    person says so (others changed it too, or it lies where a mistake costs more); `cannot` was written by a tool and
    cannot be put back; `stays` is told with the reason and never touched. `unknown` says why it is not known what else
    has changed, "" when it is."""

    to: str
    back: tuple[Step, ...] = ()
    asked: tuple[Step, ...] = ()
    cannot: tuple[Told, ...] = ()
    stays: tuple[Told, ...] = ()
    unknown: str = ""

    @property
    def paths(self) -> frozenset[bytes]:
        """Every path it speaks of."""
        told = [path for path, _ in (*self.cannot, *self.stays)]
        return frozenset([*(step.path for step in (*self.back, *self.asked)), *told])


def plan_writes(to: str, vault: Vault, places: Places, written: Iterable[Written]) -> Plan:
    """What a rewind does to the files that tools wrote."""
    steps: list[Step] = []
    stays: list[Told] = []
    for one in sorted(written, key=lambda one: one.path):
        now = vault.look(one.path)
        if now == one.first:
            continue
        if _is_memory(one.path, vault, places):
            stays.append((one.path, "it is the agent's memory"))
            continue
        why = _changed_since(one, now) or _guarded(one.path, vault, places)
        steps.append(Step(one.path, now, one.first, one.made, why))
    able, cannot = _tried(steps, vault)
    back, asked = [step for step in able if not step.why], [step for step in able if step.why]
    return Plan(to, tuple(back), tuple(asked), tuple(cannot), tuple(stays))


def with_changes(
    plan: Plan, vault: Vault, places: Places, changed: Iterable[Change], known: Mapping[bytes, Written]
) -> Plan:
    """The plan and what has changed by other hands: commands, the person, other programs."""
    steps: list[Step] = []
    stays: list[Told] = []
    for change in changed:
        if change.path in known:
            continue
        if change.before is None:
            if not _is_memory(change.path, vault, places):  # a session's own episode is no news
                stays.append((change.path, _not_kept(change)))
            continue
        now = vault.look(change.path)
        wanted = _with_mode(change.before, now)
        if _is_memory(change.path, vault, places):
            stays.append((change.path, f"{change.how}; it is the agent's memory"))
        elif now != wanted:
            how = "mode changed" if _same_bytes(now, wanted) else change.how
            steps.append(Step(change.path, now, wanted, 0, f"{how}, not by write or edit"))
    able, cannot = _tried(steps, vault)
    stays += [(path, f"cannot be put back: {why}") for path, why in cannot]
    return replace(plan, asked=(*plan.asked, *able), stays=(*plan.stays, *stays))


def with_strangers(plan: Plan, vault: Vault, places: Places, root: str, written: Iterable[Written]) -> Plan:
    """The plan and what the session wrote in another work tree, `root`: the same names here are other files. Where it
    is gone they may be what the person looks for: on their word alone."""
    gone = not os.path.isdir(root)
    steps: list[Step] = []
    stays: list[Told] = []
    for one in sorted(written, key=lambda one: one.path):
        path = one.path if gone else os.path.join(os.fsencode(root), one.path)
        now = vault.look(path)
        if now == one.first or path in plan.paths or _is_memory(path, vault, places):
            continue
        if gone:
            why = f"not this file: the one written lay in {root}, which is gone"
            steps.append(Step(path, now, one.first, one.made, why))
        else:
            stays.append((path, "it lies in another work tree; rewind the session there"))
    able, cannot = _tried(steps, vault)
    stays += [(path, f"cannot be put back: {why}") for path, why in cannot]
    return replace(plan, asked=(*plan.asked, *able), stays=(*plan.stays, *stays))


def _not_kept(change: Change) -> str:
    if change.path.endswith(b"/"):
        return {"new": "a new directory", "gone": "a directory, gone"}.get(change.how, "a directory, its mode changed")
    return "new" if change.how == "new" else f"{change.how}; its earlier bytes were not kept"


def _tried(steps: Sequence[Step], vault: Vault) -> tuple[list[Step], list[Told]]:
    """The steps that can be done, and the others with what stands in the way."""
    from agentmem.workspace.checkpoints.hindrance import hindrance

    lost = vault.lost(step.wanted for step in steps if not _same_bytes(step.now, step.wanted))
    able: list[Step] = []
    cannot: list[Told] = []
    for step in steps:
        full = vault.full(step.path)
        why = hindrance(full, step.now, step.wanted) or lost.get(step.wanted.blob, "")
        if why:
            cannot.append((step.path, why))
        else:
            able.append(step)
    return able, cannot


def _same_bytes(one: State, other: State) -> bool:
    return one.kind == other.kind and one.blob == other.blob


def _changed_since(one: Written, now: State) -> str:
    """How others have changed a file since a tool wrote it, "" when they have not."""
    if one.holds(now):
        return ""
    only_mode = one.after is not None and _same_bytes(one.after, now)
    return "its mode was changed since the agent wrote it" if only_mode else "changed since the agent wrote it"


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


def _is_memory(path: bytes, vault: Vault, places: Places) -> bool:
    full = os.fsdecode(vault.full(path))
    return memory_refusal(Access("write", full, full), places) is not None


def _guarded(path: bytes, vault: Vault, places: Places) -> str:
    """Why this path needs the person's word though a tool wrote it last, "" when it does not."""
    full = Path(os.fsdecode(vault.full(path)))
    if not inside(full, places.root):
        return "it lies outside the workspace"
    return steering(full, places) or ""
