"""Agent: one session with its door, its tools and what the person allows; `turn` runs a task to its end."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem.agent.keeper import Keeper
from agentmem.agent.limits import Limits, Spent
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.message import Part, Usage
from agentmem.domain.mode import Mode
from agentmem.domain.places import Places
from agentmem.domain.tool import Tool
from agentmem.memory.memory import Session
from agentmem.model.door import Door
from agentmem.workspace.grants import Grants

if TYPE_CHECKING:
    from agentmem.agent.amends import Brought
    from agentmem.agent.forgetting import Forgetting
    from agentmem.agent.recaller import Recaller
    from agentmem.agent.reviewing import Reviewing
    from agentmem.agent.rewind import Rewind
    from agentmem.agent.shelf import Shelf
    from agentmem.agent.warden import Warden
    from agentmem.domain.event import Answer, Event
    from agentmem.domain.filling import Filling
    from agentmem.memory.memory import Repertoire
    from agentmem.memory.shortening import Remaking
    from agentmem.workspace.watch import Watch


@dataclass(slots=True)
class Agent:
    """The parts of one conversation. `price` gives the USD of a usage, None when unknown; `window` is in tokens.

    `loaded` names the instruction files the prompt holds, `notices` is what the person should know before the first
    turn, `seen` the files the model has read (see `ToolContext`), `spent` what the turn that runs has taken. Without a
    `keeper` no checkpoints are made, without `skills` there are none; `watch` tells when they may have changed;
    `warden` makes the one that looks after the memory files. `speaks` says whether it is a person whose words are
    taken here, and not another agent's command. In a sub-session `giver` is the id of the session that
    gave it its task. `looked`: the tests of a feature list were looked at. `halt` ends a turn after the step that runs.
    `remaking` are summaries that are being made again. `memories` makes the `recaller`, which
    searches what is remembered; where it `reminds`, memories come unasked.
    """

    session: Session
    door: Door
    tools: Mapping[str, Tool]
    clock: Clock
    window: int
    mode: Mode = "ask"
    limits: Limits = field(default_factory=Limits)
    price: Callable[[Usage], float | None] = lambda usage: None
    env: Mapping[str, str] = field(default_factory=dict)
    max_output: int | None = None
    grants: Grants = field(default_factory=Grants)
    loaded: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    seen: dict[str, str] = field(default_factory=dict)
    keeper: Keeper | None = None
    skills: Repertoire | None = None
    watch: Watch | None = None
    warden: Callable[[], Warden] | None = None
    followed: bool = False
    spent: Spent = field(default_factory=Spent)
    speaks: Callable[[], bool] = lambda: True
    giver: str | None = None
    looked: bool = False
    halt: Cancel = field(default_factory=Cancel)
    remaking: Remaking | None = None
    memories: Callable[[], Recaller] | None = None
    recaller: Recaller | None = None
    reminds: bool = False

    @property
    def model(self) -> str:
        """The model, ``provider/name``."""
        return self.door.model

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.session.id

    @property
    def log(self) -> Path:
        """Where the session's log lies, or will lie once something is said."""
        return self.session.path

    def set_mode(self, mode: Mode) -> None:
        """Change the permission mode from here on."""
        self.mode = mode

    def context(self) -> tuple[int, int]:
        """Tokens in use, the very number that `filling` tells, and the window."""
        counted = self.session.fullness.last_usage
        if counted is None or max(counted.input, counted.output) > self.window:  # the latter may be no count of it
            return self.filling().used, self.window
        return counted.input + counted.output, self.window

    def filling(self) -> Filling:
        """What fills the window, by part."""
        from agentmem.agent.window import Look, filling
        from agentmem.model.shape import writer

        write = writer(self.model, self.door.shape)
        return filling(
            self.session.fullness.held(), Look(self.session_id, self.model, self.window, self.clock.now(), write)
        )

    def recalling(self) -> Recaller | None:
        """The way to what is remembered, made when it is first needed; None without one."""
        if self.recaller is None and self.memories is not None:
            self.recaller = self.memories()
        return self.recaller

    def recalled(self, query: str) -> Sequence[str]:
        """What is remembered on a query, in lines for the person. Raises `OSError`."""
        found = self.recalling()
        return found.lines(query) if found else ("There is no memory to search here.",)

    def begin_checks(self, cancel: Cancel) -> None:
        """Before the first turn that may change them, the tests of a feature list are looked at."""
        if "verify" not in self.tools or self.giver is not None or self.looked:
            return
        from agentmem.agent.proving import begin

        self.looked = True
        begin(self, cancel)

    @property
    def shelf(self) -> Shelf:
        """The sessions and branches it can go on with."""
        from agentmem.agent.shelf import Shelf

        return Shelf(self)

    @property
    def rewind(self) -> Rewind:
        """The way back to an earlier message."""
        from agentmem.agent.rewind import Rewind

        return Rewind(self.session, self.keeper or Keeper(self.session, self.clock, self.env))

    @property
    def reviewing(self) -> Reviewing:
        """What waits for the person's word."""
        from agentmem.agent.reviewing import Reviewing
        from agentmem.domain.desk import Desk

        return Reviewing(Desk(self.session.places, self.clock, self.session.shown.caps))

    @property
    def forgetting(self) -> Forgetting:
        """What has words forgotten."""
        from agentmem.agent.forgetting import Forgetting

        return Forgetting(self.session.places, self.clock, self)

    def rewound(self) -> None:
        """It goes on from an earlier place: what the model knew of files no longer holds."""
        self.seen.clear()

    def take(self, session: Session) -> None:
        """Go on with another session, which begins its first epoch; the one before is closed. What the person allowed
        for good in that one ends with it. `notices` are then the new one's."""
        session.shown = self.session.shown
        epoch = session.begin_epoch(tuple(tool.spec for tool in self.tools.values()), self.window, self.skills)
        self._end()
        self.session, self.grants, self.remaking = session, Grants(), None
        if self.keeper is not None:
            self.keeper = self.keeper.of(session)
        self.seen.clear()
        self.loaded = tuple(one.name for one in epoch.loaded)
        self.notices = (*session.notices, *epoch.notes)

    def follow(self, tell: Callable[[list[str]], None]) -> None:
        """Tell of hand edits of the memory files when they are made, from another thread."""
        if self.warden is not None and not self.followed:
            self.followed = True
            self.warden().follow(lambda: self.session.id, tell)

    def remembered(self, words: str) -> list[str]:
        """What the person asks of durable memory, ``blame MEMORY.md:12`` and the like, in lines."""
        from agentmem.agent.annalist import asked

        return asked(self, words)

    def close(self) -> None:
        """Give the session's lock and the door's connection back."""
        if self.watch is not None:
            self.watch.stop()
        if self.keeper is not None:
            self.keeper.close()
        if self.warden is not None and (self.followed or has_memory(self.session.places)):
            self.warden().close()
        if self.recaller is not None:
            self.recaller.close()
        self._end()
        self.door.close()

    def _end(self) -> None:
        """The session is over: its lock is given back, and what came of it is kept."""
        begun = self.session.leaf is not None
        self.session.close()
        if begun and self.giver is None:
            from agentmem.memory.memory import noting

            noting.close(self.session, self.clock)

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def turn(self, parts: Sequence[Part], cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """Run one turn; see `agentmem.agent.loop.turn`. Where the rule says so a reset follows it."""
        from agentmem.agent.loop import turn

        if self.limits.resets and self.giver is None:
            from agentmem.agent.reset import then_reset

            return then_reset(self, turn(self, parts, cancel), cancel)
        return turn(self, parts, cancel)

    def reset(self, note: str, cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """End the session with a handoff and go on in a fresh one; see `agentmem.agent.reset`."""
        from agentmem.agent.reset import Wish, reset

        return reset(self, Wish(note), cancel)

    def compact(self, focus: str, cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """Compact the prompt now; see `agentmem.agent.amends`."""
        from agentmem.agent import amends

        return amends.compact(self, focus, cancel)

    def expand(self, called: str) -> Brought:
        """Bring something back into the prompt; see `agentmem.agent.amends`."""
        from agentmem.agent import amends

        return amends.expand(self, called)

    def strike(self, called: str, cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """Take a line out of every later prompt; what cannot be done is told."""
        from agentmem.agent import amends

        return amends.telling(amends.strike(self, called, cancel))

    def opened(self, parts: Sequence[Part], cancel: Cancel) -> Generator[Event, Answer | None, None]:
        """A session's first turn for a face without a start screen: what the person should know goes before it."""
        if self.loaded:
            yield Notice("info", f"loaded {', '.join(self.loaded)}")
        for notice in self.notices:
            yield Notice("warning", notice)
        yield from self.turn(parts, cancel)


def has_memory(places: Places) -> bool:
    """Whether there are memory files to look after, at either level; most projects have none yet."""
    folders = (places.root / "MEMORY.md", places.home / "MEMORY.md", places.shared / "history.git")
    return any(map(os.path.lexists, folders))
