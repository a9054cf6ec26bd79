"""Permission: may this call touch that? Modes, the person's grants and the guarded files decide, as values.

A decision walks a list of rules; the first that has something to say wins. What must never be outvoted stands first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentmem.domain.mode import MODES, Mode
from agentmem.domain.places import Places
from agentmem.domain.tool import Access
from agentmem.workspace.grants import Grants
from agentmem.workspace.guarded import VOUCHED, memory_file
from agentmem.workspace.paths import inside
from agentmem.workspace.steering import steering

Ruling = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What may happen and why. `allowed_by` names the mode in which an asked or denied call would run without a
    question, None when no mode does. `can_always` tells whether "always" is an answer."""

    verdict: Ruling
    reason: str
    allowed_by: Mode | None = None
    can_always: bool = False


@dataclass(frozen=True, slots=True)
class _Case:
    """What one decision is made on."""

    mode: Mode
    access: Access
    places: Places
    grants: Grants

    @property
    def target(self) -> Path:
        return Path(self.access.target)


def decide(mode: Mode, access: Access, places: Places, grants: Grants) -> Decision:
    """The decision on one access. `access.target` of a read or write must be a resolved path."""
    case = _Case(mode, access, places, grants)
    return next(decision for rule in _RULES if (decision := rule(case)) is not None)


def decide_all(mode: Mode, accesses: Iterable[Access], places: Places, grants: Grants) -> Decision:
    """The decision on a whole call: the strictest of its accesses' decisions; "always" only if all asked take it."""
    decisions = [decide(mode, access, places, grants) for access in accesses]
    for verdict in ("deny", "ask"):
        strict = [decision for decision in decisions if decision.verdict == verdict]
        if strict:
            modes = [decision.allowed_by for decision in strict]
            widest = None if None in modes else max((m for m in modes if m is not None), key=MODES.index)
            always = all(decision.can_always for decision in strict)
            reasons = "; ".join(dict.fromkeys(decision.reason for decision in strict))
            return Decision(strict[0].verdict, reasons, widest, always)
    return Decision("allow", decisions[0].reason if len(decisions) == 1 else "nothing in it needs a yes")


def memory_refusal(access: Access, places: Places) -> str | None:
    """Why a write is refused in every mode, with what to do instead; None when it touches no memory."""
    if access.kind != "write":
        return None
    name = memory_file(Path(access.target), places)
    if name is None:
        return None
    if name in VOUCHED:
        return "only the person says what is trusted: `agentmem trust`, in a terminal of their own"
    what = access.named if os.path.basename(access.named.rstrip("/")) == name else f"{access.named} ({name})"
    return f"{what} is the agent's memory, which no tool writes: to have something kept, call `remember`"


def _memory(case: _Case) -> Decision | None:
    refusal = memory_refusal(case.access, case.places)
    return Decision("deny", refusal) if refusal is not None else None


def _harmless(case: _Case) -> Decision | None:
    """Reads go through in every mode; so does `remember`, which has its own gate."""
    if case.access.kind in ("read", "remember"):
        return Decision("allow", "it changes no file of yours")
    return None


def _forget(case: _Case) -> Decision | None:
    """What is forgotten cannot be brought back: no mode says yes to that."""
    if case.access.kind != "forget":
        return None
    if case.mode == "plan":
        return Decision("deny", "mode plan changes nothing", "ask")
    return Decision("ask", "what is forgotten cannot be brought back")


def _full(case: _Case) -> Decision | None:
    return Decision("allow", "mode full") if case.mode == "full" else None


def _run(case: _Case) -> Decision | None:
    if case.access.kind != "run":
        return None
    if case.mode == "plan":
        return Decision("deny", "mode plan runs nothing", "full")
    if case.access.target in case.grants.commands:
        return Decision("allow", "you said always to this command")
    return Decision("ask", "it runs a command", "full", can_always=True)


def _guarded(case: _Case) -> Decision | None:
    """Steering files, by their own name or that of a link to them, and what lies outside the workspace: a yes covers
    one write and no other."""
    named = Path(os.path.normpath(os.path.join(case.places.cwd, case.access.named)))
    reason = steering(case.target, case.places) or steering(named, case.places)
    if reason is None and not inside(case.target, case.places.root):
        reason = f"it lies outside the workspace {case.places.root}"
    if reason is None:
        return None
    if case.mode == "plan":
        return Decision("deny", f"mode plan writes nothing; {reason}", "full")
    return Decision("ask", reason, "full")


def _write(case: _Case) -> Decision | None:
    """A plain write inside the workspace."""
    if case.mode == "plan":
        return Decision("deny", "mode plan writes nothing", "edits")
    if case.mode in ("edits", "auto"):
        return Decision("allow", f"mode {case.mode} lets writes in the workspace through")
    if case.grants.writes:
        return Decision("allow", "you said always to writes in the workspace")
    return Decision("ask", "it changes a file", "edits", can_always=True)


_RULES: tuple[Callable[[_Case], Decision | None], ...] = (_memory, _harmless, _forget, _full, _run, _guarded, _write)
