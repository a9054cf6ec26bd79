"""Rewind: back to any user message, for the conversation, for the files or both; and back again.

Before a file is touched the log holds what will be done and all that is there now, so that a rewind can be undone, and
one that was killed half way can be run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from agentmem.agent import ownership
from agentmem.agent.keeper import Keeper
from agentmem.agent.plan import Plan, Step, plan_writes, with_changes, with_strangers
from agentmem.agent.timeline import files_by_turn, last_rewind, snapshot_since, written_since
from agentmem.agent.veil import Veil, lifted
from agentmem.domain.checkpoint import Write, writes
from agentmem.domain.entry import Entry
from agentmem.memory.memory import Session, Twig, outline

if TYPE_CHECKING:
    from agentmem.workspace.checkpoints.vault import Vault

What = Literal["files", "conversation", "both"]


class CannotRewind(Exception):
    """Nothing was done; the message says why and what can be."""


@dataclass(frozen=True, slots=True)
class Past:
    """A user message one can go back to: what it said, how many files its turn wrote, and where the conversation goes
    on when it is taken back (None: before the first)."""

    id: str
    text: str
    at: str
    files: int
    end: str | None


@dataclass(frozen=True, slots=True)
class Rewound:
    """What was done: the files put back, those that could not be with the reason, and whether the conversation moved.
    `draft` is what the person said then, to say it anew."""

    files: tuple[Step, ...] = ()
    failed: tuple[tuple[bytes, str], ...] = ()
    moved: bool = False
    draft: str = ""


class Rewind:
    """Rewinds one session between two turns. Raises `CannotRewind`, and `LogWriteError` when the log cannot take it."""

    def __init__(self, session: Session, keeper: Keeper) -> None:
        self._session = session
        self._keeper = keeper

    def pasts(self) -> Sequence[Past]:
        """The user messages of this branch, oldest first."""
        tree = self._session.tree()
        counts = files_by_turn(tree.entries)
        return [_past(row, counts) for row in outline(tree) if row.on_path and row.again is not None]

    def past(self, called: str | None) -> Past:
        """The user message named by its id, the start of it, or its number on this branch; None is the last one."""
        tree = self._session.tree()
        counts = files_by_turn(tree.entries)
        rows = [row for row in outline(tree) if row.again is not None]
        here = [row for row in rows if row.on_path]
        if called is None:
            found = here[-1:]
        elif called.isascii() and called.isdigit() and 1 <= int(called) <= len(here):
            found = [here[int(called) - 1]]
        else:
            found = [row for row in rows if row.id == called] or [
                row for row in rows if row.id.startswith(called or " ")
            ]
        if len(found) != 1:
            what = f"there is no one message of yours called {called!r}" if rows else "nothing was said yet"
            raise CannotRewind(f"{what}; `agentmem sessions tree {self._session.id}` shows them")
        return _past(found[0], counts)

    def plan(self, to: str) -> Plan:
        """What going back to before the user message `to` does to the files."""
        tree, places = self._session.tree(), self._session.places
        if to not in {entry.id for entry in tree.entries}:
            raise CannotRewind(f"there is no entry {to}")
        every, nameless = lifted(tree.entries, self._vault())
        plan = self._plan_here(to, ownership.ours(every, places))
        if tree.header.giver is not None:
            plan = replace(plan, unknown=f"a task's files go back with the session that gave it: {tree.header.giver}")
        for root, entries in ownership.strangers(every, places).items():
            written = written_since(entries, _number(entries, to))
            plan = with_strangers(plan, self._vault(), places, root, written.values())
        return replace(plan, cannot=(*plan.cannot, *nameless))

    def _plan_here(self, to: str, entries: Sequence[Entry]) -> Plan:
        start = _number(entries, to)
        written = written_since(entries, start)
        vault, places = self._vault(), self._session.places
        plan = plan_writes(to, vault, places, written.values())
        snapshot = snapshot_since(entries, start)
        if snapshot is None:
            return replace(plan, unknown="no command was run, so no snapshot was taken")
        changed = vault.changes_since(*snapshot)
        if isinstance(changed, str):
            return replace(plan, unknown=changed)
        return with_changes(plan, vault, places, changed, written)

    def plan_undo(self) -> Plan:
        """What taking the last rewind back does to the files it touched."""
        entries, number = self._last()
        touched = {write.path for write in writes(entries[number])}
        written = [one for one in written_since(entries, number).values() if one.path in touched]
        return plan_writes(entries[number].id, self._vault(), self._session.places, written)

    def perform(self, past: Past, plan: Plan, what: What, everything: bool = False) -> Rewound:
        """Go back to before `past`: files as planned (`everything`: also what is asked about), talk, or both."""
        end = (past.end,) if what != "files" else ()
        if what == "conversation":
            return replace(self._do(past.id, (), end), draft=past.text)
        return replace(self._do_plan(plan, end, everything), draft=past.text if end else "")

    def undo(self, plan: Plan, everything: bool = False) -> Rewound:
        """Take the last rewind back; doing it twice is doing the rewind again."""
        entries, number = self._last()
        body = entries[number].body
        leaf = body.get("leaf")
        end = (leaf if isinstance(leaf, str) else None,) if body.get("moved") is True else ()
        return self._do_plan(plan, end, everything)

    def _last(self) -> tuple[tuple[Entry, ...], int]:
        entries = ownership.ours(lifted(self._session.tree().entries, self._vault())[0], self._session.places)
        number = last_rewind(entries)
        if number is None:
            raise CannotRewind("there was no rewind in this session")
        return entries, number

    def _do_plan(self, plan: Plan, end: tuple[str | None, ...], everything: bool) -> Rewound:
        done = self._do(plan.to, (*plan.back, *(plan.asked if everything else ())), end)
        return replace(done, failed=(*plan.cannot, *done.failed))

    def _do(self, to: str, steps: Sequence[Step], end: tuple[str | None, ...]) -> Rewound:
        """Keep what is there, record what will be done, do it, move."""
        vault = self._vault() if steps else None
        ready, failed = _ready(vault, steps) if vault else ([], [])
        if not ready and not end:
            return Rewound((), tuple(failed))
        body: dict[str, Any] = {"kind": "rewind", **ownership.mark(self._session.places), "to": to}
        body |= {"leaf": self._session.leaf, "moved": bool(end)}
        self._session.record_checkpoint({**body, "files": self._veiled(step for step, _ in ready)})
        self._session.sync()
        done = []
        for step, data in ready:
            why = _put(vault, step, data) if vault else ""
            if why:
                failed.append((step.path, why))
            else:
                done.append(step)
        for entry in end:
            self._session.move(entry, "rewind")
        if done and not end:
            self._session.record_notice(_told_model(done), "harness")
        self._session.sync()
        return Rewound(tuple(done), tuple(failed), bool(end))

    def _veiled(self, steps: Iterable[Step]) -> list[dict[str, Any]]:
        """The steps as the log may tell them."""
        files = [Write(step.path, step.now, step.wanted, step.made).to_json() for step in steps]
        try:
            return Veil(self._session, self._vault()).over(files) if files else []
        except OSError as error:
            raise CannotRewind(f"a name could not be kept ({error.strerror}): nothing was changed") from error

    def _vault(self) -> Vault:
        from agentmem.workspace.checkpoints.repository import Unusable

        try:
            return self._keeper.vault()
        except (OSError, Unusable) as error:
            raise CannotRewind(f"the checkpoints cannot be used: {error}") from error


def _number(entries: Sequence[Entry], own: str) -> int:
    return next(number for number, entry in enumerate(entries) if entry.id == own)


def _past(row: Twig, counts: dict[str, int]) -> Past:
    return Past(row.id, row.again or "", row.at, counts.get(row.id, 0), row.end)


def _ready(vault: Vault, steps: Sequence[Step]) -> tuple[list[tuple[Step, bytes]], list[tuple[bytes, str]]]:
    """The steps that can be done, with the bytes they need, once all that is there now is kept; and the others."""
    from agentmem.objects import Damaged

    ready: list[tuple[Step, bytes]] = []
    failed: list[tuple[bytes, str]] = []
    try:
        states = vault.keep_now(step.path for step in steps)
    except OSError as error:
        raise CannotRewind(f"what is there now could not be kept ({error.strerror}): nothing was changed") from error
    for step in steps:
        if states[step.path] != step.now:
            failed.append((step.path, "it was changed just now"))
            continue
        try:
            ready.append((step, vault.bytes_of(step.wanted)))
        except (Damaged, OSError) as error:
            failed.append((step.path, str(error)))
    return ready, failed


def _put(vault: Vault, step: Step, data: bytes) -> str:
    """Put one path back; why it could not be, "" when it is done."""
    from agentmem.workspace.checkpoints.putback import CannotPutBack, put_back

    try:
        put_back(vault.full(step.path), step.now, step.wanted, data, step.made)
    except CannotPutBack as error:
        return str(error)
    return ""


def _told_model(done: Sequence[Step]) -> str:
    names = "\n".join(f"- {step.path.decode('utf-8', 'replace')}: {_DID[step.does]}" for step in done)
    return f"The user rewound these files to what they held earlier; read them again before you rely on them:\n{names}"


_DID = {"remove": "removed", "bring back": "brought back", "mode": "mode as before", "restore": "as before"}
