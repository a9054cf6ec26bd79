"""Warden: whose word it is when MEMORY.md changes past the gate: the person's, a tool's, or what git brought.

While a command runs, or something that a command left, what changes is the tool's word; else the person's own edit. It
is told once: to the person with its diff, to the model at the tail.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem.agent.agent import has_memory
from agentmem.agent.beside import Beside, unseen
from agentmem.agent.underway import Underway, left, owner, runs
from agentmem.domain.begun import Notice
from agentmem.domain.desk import Desk

if TYPE_CHECKING:
    from agentmem.domain.claim import Edit, Verdict
    from agentmem.domain.desk import Level
    from agentmem.domain.gitstep import Arrival
    from agentmem.domain.message import ToolCall
    from agentmem.memory.memory import lookout
    from agentmem.workspace.watch import Watch

_TRIES, _MOMENT = 10, 0.05  # how often, and how many seconds apart, a file that went is looked for

Ask = Callable[[str, str], bool]
"""Asks the person whether lines may go (what it is about, the diff); False also where nobody is there."""


@dataclass(slots=True)
class Warden:
    """Looks after the memory files of one conversation and its tasks. `trusted` says whether the person vouched for the
    folder, `speaks` whether it is a person's process, and not one that another agent's command started. Safe to use
    from several threads."""

    desk: Desk
    env: Mapping[str, str]
    trusted: Callable[[], bool]
    speaks: Callable[[], bool] = lambda: True
    _look: lookout.Look | None = None
    _others: Beside = field(init=False)
    _left: bool = False
    _owed: bool = False
    _busy: int = 0
    _untold: list[str] = field(default_factory=list)
    _told_of: set[str | None] = field(default_factory=set)
    _underway: Underway = field(init=False)
    _watch: Watch | None = None
    _guard: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self._others = Beside(self.desk)
        self._underway = Underway(tuple(self._private(level) for level in self.desk.levels))

    def start(self) -> list[str]:
        """Take over what changed while nobody looked, before a prompt is made; gives what the person should know."""
        if not has_memory(self.desk.places):
            return []
        with self._guard:
            told = [*(notice.text for notice in self._catch_up()), *self._offers()]
            self._untold.clear()  # the prompt that is made next holds it
            return told

    def between(self, session: str) -> list[Notice]:
        """Take over what changed since the last look, while no tool of ours ran."""
        with self._guard:
            if self._busy or not self._changed():
                return []
            lived, self._left = self._left, self._lives()
            if lived or self._left or self._owed:
                return self._by_tool(session, "", _no)
            return self._catch_up()

    def before(self, session: str) -> list[Notice]:
        """A command begins."""
        with self._guard:
            notices = self.between(session)
            if self._look is None:
                from agentmem.memory.memory import lookout

                self._look = lookout.look(self.desk)
            if not self._busy:
                notices += self._beside(held=self._left or self._owed)
            self._busy += 1
            self._underway.hold()
            return notices

    def after(self, session: str, call: ToolCall, ask: Ask) -> list[Notice]:
        """The command ended; what it left may go on."""
        with self._guard:
            self._busy -= 1
            notices = [*(self._by_tool(session, call.id, ask) if self._changed() else []), *self._beside()]
            self._left = has_memory(self.desk.places) and self._lives()
            if not self._left and not self._owed and not self._busy:
                self._underway.release()
            return notices

    def untold(self) -> list[str]:
        """What the model is to be told at the tail, each thing once."""
        with self._guard:
            texts, self._untold = self._untold, []
            return texts

    def follow(self, session: Callable[[], str], tell: Callable[[list[str]], None]) -> None:
        """From here on look at once when a MEMORY.md is written; `tell` gets what the person should know, in another
        thread."""
        from agentmem.workspace.watch import Watch

        places = self.desk.places

        def look() -> None:
            self._settle()
            if texts := [notice.text for notice in self.between(session())]:
                tell(texts)

        folders = (str(places.root), str(places.home))
        self._watch = Watch(lambda: [one for one in folders if os.path.isdir(one)], "MEMORY.md", look)
        self._watch.start()

    def _settle(self) -> None:
        """Wait for a moment where a file is gone or empty: that is how some editors begin to save."""
        for _ in range(_TRIES):
            held = self._look.held if self._look is not None else {}
            if not any(held.get(level.scope) and _emptied(level.memory) for level in self.desk.levels):
                return
            time.sleep(_MOMENT)

    def close(self) -> None:
        """Let go of what is held, and watch no more."""
        if self._watch is not None:
            self._watch.stop()
        with self._guard:
            if self._left or self._owed:
                self._beside()
            unseen = self._left and (self._changed() or self._lives())
            self._underway.release(looked=not (self._owed or unseen))
        from agentmem.memory.memory import lookout

        lookout.tidy(self.desk, self.env)

    def _changed(self) -> bool:
        if self._look is None:
            return has_memory(self.desk.places)
        from agentmem.memory.memory import lookout

        return not lookout.unchanged(self._look, self.desk)

    def _catch_up(self) -> list[Notice]:
        from agentmem.memory.memory import lookout

        notices = self._after_a_kill()
        alone = [level for level in self.desk.levels if self.speaks() and self._still(level)]
        found, wrong = lookout.catch_up(alone, self.desk, self.trusted, self._came)
        if len(alone) == len(self.desk.levels):
            self._look = lookout.look(self.desk)
        notices += [Notice("warning", text) for text in wrong]
        for one in found:
            if one.changed:
                person, model = lookout.told(one)
                notices.append(Notice("info", person))
                self._untold.append(model)
            notices += self._secrets(one.refused)
        return notices

    def _secrets(self, refused: Sequence[Verdict]) -> list[Notice]:
        """Tell of lines that hold a secret, of each secret once."""
        new = [one for one in refused if one.withheld not in self._told_of]
        self._told_of.update(one.withheld for one in new)
        return [Notice("warning", one.reason) for one in new]

    def _after_a_kill(self) -> list[Notice]:
        """What changed since a process was killed whose command ran, or ended and left something that runs, is that
        command's, as far as anybody can tell."""
        marks = {level.scope: left(self._private(level)) for level in self.desk.levels}
        scopes = [scope for scope, of in marks.items() if of]
        if not scopes:
            return []
        from agentmem.memory.memory import MemoryBusy, lookout
        from agentmem.objects import Damaged

        try:
            notices = self._taken(lookout.known(scopes, self.desk), {"session": "", "call": ""}, _no)
            since = min(path.stat().st_mtime_ns for of in marks.values() for path in of)
            self._others.since(scopes, since)
            notices += self._beside()
        except (OSError, MemoryBusy, Damaged) as error:
            return [unseen(error)]
        for path in (path for of in marks.values() for path in of):
            if not self._lives(owner(path)):
                path.unlink(missing_ok=True)
        return notices

    def _offers(self) -> list[str]:
        """The beliefs of linked work trees that are gone; most projects never had one."""
        trees = self.desk.places.shared / "history.git" / "trees"
        if not trees.is_dir() or len(os.listdir(trees)) < 2:
            return []
        from agentmem.memory.memory import bequest
        from agentmem.objects import Damaged

        try:
            return bequest.offer(self.desk)
        except (OSError, Damaged) as error:
            return [f"what other work trees remembered was not looked at: {error}"]

    def _by_tool(self, session: str, call: str, ask: Ask) -> list[Notice]:
        from agentmem.memory.memory import MemoryBusy, lookout

        if self._look is None:
            return self._catch_up()
        try:
            notices = self._taken(self._look, {"session": session, "call": call}, ask)
        except (OSError, MemoryBusy) as error:
            self._owed = True  # it is looked at again, and is nobody else's meanwhile
            return [unseen(error)]
        self._look, self._owed = lookout.look(self.desk), False
        return notices

    def _taken(self, before: lookout.Look, origin: Mapping[str, str], ask: Ask) -> list[Notice]:
        from agentmem.memory.memory import lookout

        found, gone = lookout.by_tool(self.desk, before, origin)
        came = [one for one in found if one.outcome != "refused"]
        notices = [Notice("warning", _came(came))] if came else []
        notices += self._secrets([one for one in found if one.outcome == "refused"])
        return [*notices, self._gone(gone, before, ask)] if gone else notices

    def _beside(self, held: bool = True) -> list[Notice]:
        """Look at what else a command may have changed."""
        notices, seen = self._others.look(held)
        self._owed = self._owed or not seen
        return notices

    def _gone(self, gone: Sequence[Edit], before: lookout.Look, ask: Ask) -> Notice:
        from agentmem.memory.memory import lookout

        lines = f"{len(gone)} {'line' if len(gone) == 1 else 'lines'} of MEMORY.md"
        diff = "\n".join(f"-{edit.before}" for edit in gone)
        if ask(f"a command took out {lines}: say yes to let go of it, no to put it back", diff):
            lookout.let_go(gone, self.desk)
            return Notice("info", f"{lines} went, as you said:\n{diff}")
        lookout.put_back(gone, before, self.desk)
        return Notice("warning", f"a command took out {lines}; put back:\n{diff}")

    def _came(self, level: Level) -> Sequence[Arrival] | None:
        if level.scope == "user":
            return []
        from agentmem.workspace.arrivals import arrivals

        return arrivals(level.memory, self.desk.places.home, self.env)

    def _lives(self, own: int | None = None) -> bool:
        """Whether something lives on that the commands of a process started: `own` is its id, else it is this one."""
        from agentmem.workspace.kin import bearing
        from agentmem.workspace.process import MARK

        own = os.getpid() if own is None else own
        return any(bearing(f"{lead}{own}.") for lead in (f"{MARK}=", ":"))

    def _still(self, level: Level) -> bool:
        """Whether no command of an agent is, or may have been, at work in a level."""
        folder = self._private(level)
        return not runs(folder) and not left(folder)

    def _private(self, level: Level) -> Path:
        return self.desk.places.home if level.scope == "user" else self.desk.places.shared


def _emptied(path: Path) -> bool:
    try:
        return os.stat(path).st_size == 0
    except OSError:
        return True


def _no(about: str, diff: str) -> bool:
    return False


def _came(came: Sequence[Verdict]) -> str:
    lines = "\n".join(f"+{verdict.text}" for verdict in came)
    path = came[0].path
    return f"a command wrote into {path}; none of it counts before you approve it (agentmem review):\n{lines}"
