"""Keeper: before a tool writes, the file's earlier bytes are kept; before a turn's first command, a snapshot is taken.

A checkpoint that cannot be made never stops the turn: the person is told, and it goes on.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.message import ToolCall
from agentmem.domain.tool import Access
from agentmem.memory.memory import Session

if TYPE_CHECKING:  # loaded at the first call that writes or runs
    from agentmem.agent.veil import Veil
    from agentmem.domain.bounds import Bounds
    from agentmem.domain.checkpoint import Write
    from agentmem.workspace.checkpoints.vault import Vault

WAIT = 0.3
"""Seconds that a turn's first command may wait for its snapshot."""


@dataclass(slots=True)
class Keeper:
    """Keeps checkpoints of one session and records them in its log; what its sub-sessions write is its turn's too. Safe
    to use from several threads; `before` and `after` of a call run in the same one. Without `bounds` nothing ever goes.
    """

    session: Session
    clock: Clock
    env: Mapping[str, str]
    wait: float = WAIT
    bounds: Callable[[], Bounds] | None = None
    _turn: str = ""
    _snapped: bool = False
    _vault: Vault | None = None
    _veil: Veil | None = None
    _open: dict[tuple[int, str], tuple[str, list[Write]]] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)
    _guard: threading.RLock = field(default_factory=threading.RLock)

    def begin(self, session: str, turn: str) -> None:
        """A turn of `session` begins with the user message `turn`; a sub-session's is part of its giver's."""
        if session != self.session.id:
            return
        self._turn, self._snapped = turn, False
        self._told = {text for text in self._told if text.startswith("once:")}

    def before(self, call: ToolCall, accesses: Sequence[Access], cancel: Cancel) -> list[Notice]:
        """Keep what the call may change; gives what the person should know. Raises `LogWriteError`."""
        notices: list[Notice] = []
        targets = list(dict.fromkeys(access.target for access in accesses if access.kind == "write"))
        with self._guard:
            if targets:
                notices += self._keep(call, targets)
            if not self._snapped and any(access.kind == "run" for access in accesses):
                self._snapped = True
                notices += self._snap(cancel)
        return notices

    def after(self, call: ToolCall) -> None:
        """Record what the files hold that the call has written. Raises `LogWriteError`."""
        with self._guard:
            kept = self._open.pop((threading.get_ident(), call.id), None)
            if kept is None or self._vault is None:
                return
            looked = [replace(write, after=self._vault.look(write.path)) for write in kept[1]]
            with suppress(OSError):  # it counts as one that was cut off
                files = self._veiled().over(write.after_json() for write in looked)
                self.session.record_checkpoint({"kind": "after", "of": kept[0], "files": files})

    def of(self, session: Session) -> Keeper:
        """A keeper like this one for another session; this one ends."""
        self._end()
        return Keeper(session, self.clock, self.env, self.wait, self.bounds)

    def begin_anew(self) -> None:
        """What was kept may be gone: the next checkpoint builds on nothing."""
        with self._guard:
            self.close()
            self._vault, self._snapped = None, False

    def close(self) -> None:
        """End what runs in the background; once a day old checkpoints go, for a moment's time at most."""
        used = self._vault is not None
        self._end()
        if used and self.bounds is not None:
            from agentmem.agent import pruning

            pruning.daily(self.session.places, self.bounds(), self.clock.now(), self.env)

    def _end(self) -> None:
        if self._vault is not None:
            self._vault.close()

    def vault(self) -> Vault:
        """Where the checkpoints lie. Raises `OSError`, `Unusable`."""
        if self._vault is None:
            from agentmem.workspace.checkpoints.vault import open_vault

            self._vault = open_vault(self.session.places, self.session.id, self.clock, self.env)
        return self._vault

    def _veiled(self) -> Veil:
        if self._veil is None:
            from agentmem.agent.veil import Veil

            self._veil = Veil(self.session, self.vault())
        return self._veil

    def _where(self) -> dict[str, Any]:
        from agentmem.agent import ownership

        return {"turn": self._turn, **ownership.mark(self.session.places)}

    def _keep(self, call: ToolCall, targets: Sequence[str]) -> list[Notice]:
        from agentmem.workspace.checkpoints.repository import Unusable

        named = ", ".join(os.path.basename(target) for target in targets)
        try:
            kept, told = self.vault().keep(targets)
            files = self._veiled().over(write.to_json() for write in kept)
        except (OSError, Unusable) as error:
            why = getattr(error, "strerror", None) or str(error)
            return self._tell(
                "warning", f"the earlier text of {named} could not be kept ({why}): /rewind cannot put it back"
            )
        if kept:
            body = {"kind": "before", **self._where(), "call": call.id}
            entry = self.session.record_checkpoint(body | {"files": files})
            self._open[threading.get_ident(), call.id] = entry.id, kept
            if any(write.before.blob for write in kept):
                self.session.sync()  # the old bytes are worth nothing to a session that does not know of them
        return [notice for text in told for notice in self._tell("warning", text)]

    def _snap(self, cancel: Cancel) -> list[Notice]:
        from agentmem.workspace.checkpoints.repository import Unusable

        try:
            stored = self.vault().snap(self.wait, lambda: cancel.cancelled)
        except (OSError, Unusable) as error:
            why = getattr(error, "strerror", None) or str(error)
            return self._tell("warning", f"no snapshot before the first command of this turn ({why})")
        if stored.body is not None:
            self.session.record_checkpoint({"kind": "tree", **self._where(), **stored.body})
        return self._tell("warning" if stored.body is None else "info", stored.told, stored.once)

    def _tell(self, level: Any, text: str, once: bool = False) -> list[Notice]:
        """A notice, the first time in this turn (`once`: in this session)."""
        mark = f"once:{text}" if once else text
        if not text or mark in self._told:
            return []
        self._told.add(mark)
        return [Notice(level, text)]
