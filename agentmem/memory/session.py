"""Session: what is recorded in one log, and the epoch that its prompts stand in."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentmem import __version__
from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.domain.message import Part, Reply, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.domain.tool import ToolResult
from agentmem.memory.fullness import Fullness
from agentmem.memory.read.assemble import Epoch, Shown
from agentmem.memory.read.instructions import Instruction
from agentmem.memory.read.tree import Tree
from agentmem.memory.sessionlog import SessionLog
from agentmem.memory.standing import Standing
from agentmem.memory.stores import blobs
from agentmem.memory.stores.log import LogWriter
from agentmem.memory.write.outputs import Outputs
from agentmem.memory.write.record import Interruption, NoticeOrigin, Scribe
from agentmem.memory.write.redact import sealed

if TYPE_CHECKING:
    from agentmem.domain.claim import Verdict
    from agentmem.domain.skill import Disclosed
    from agentmem.memory.read.cut import Active
    from agentmem.memory.read.manifest import Section
    from agentmem.memory.repertoire import Repertoire


class Session:
    """A session. Nothing is on disk before the first record; each record stands in the log when its method returns.

    Every `record_…` may raise `LogWriteError`: then that one is not recorded, what was before is sound, and the turn
    must end. Safe to use from several threads.
    """

    def __init__(self, places: Places, clock: Clock, tree: Tree, writer: LogWriter | None = None):
        self.places = places
        self.clock = clock
        self.notices = tree.notices
        self._redactor = sealed(places.home)
        self._scribe = Scribe(clock, self._redactor)
        self._log = SessionLog(places, clock, tree, self._scribe, writer)
        self.id = self._log.id
        self.path = self._log.path
        self.outputs = Outputs(places, self.id, clock, self._redactor)
        self._standing = Standing(places)
        self.fullness = Fullness(self._log, self._standing)
        self._guard = self._log.guard
        self._working = self._log.working
        self._max_output: int | None = None

    @property
    def name(self) -> str:
        """What it is called, "" for nothing."""
        return self._log.name

    @property
    def header(self) -> Header:
        """The log's first line."""
        return self._log.header

    @property
    def leaf(self) -> str | None:
        """The id of the entry that the next one hangs on, None while there is none."""
        return self._log.leaf

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The active branch: from the root, or from what the last cut kept, to the leaf."""
        return self._log.entries

    @property
    def shown(self) -> Shown:
        """How memory is shown and capped; set it before the first epoch."""
        return self._standing.shown

    @shown.setter
    def shown(self, shown: Shown) -> None:
        self._standing.shown = shown

    def record_user(self, parts: Sequence[Part]) -> Entry:
        """What the person sent; the model is told the date with the first one of a day."""
        today = time.strftime("%Y-%m-%d", time.localtime(self.clock.now()))
        return self._record(
            lambda parent: self._scribe.user(parent, parts, None if today == self._working.date else today)
        )

    def record_notice(self, text: str, origin: NoticeOrigin = "harness") -> Entry:
        """Something the model is told at the tail. Instruction files that `nested` gave and `text` holds count as told,
        also after a resume."""
        files = self._standing.tell(text)
        return self._record(lambda parent: self._scribe.notice(parent, text, origin, files))

    def record_call(self, model: str, body: bytes, door: Mapping[str, Any] | None = None) -> Entry:
        """The manifest of a request, before it is sent: epoch, and the first 32 hex digits of the body's SHA-256. The
        messages are those of the branch up to its parent. A `model` entry goes before it when the model, the limit
        that `prompt` was given, or the `door`'s shape is another than before. Raises `RuntimeError` before
        `begin_epoch`."""
        epoch = self._standing.epoch
        digest = blobs.digest(body)[:32]
        self._standing.keep()
        asked: dict[str, Any] = {"model": model, "max_output": self._max_output, "window": epoch.window}
        asked |= ({"door": dict(door)} if door is not None else {}) | {"agentmem": __version__}
        with self._guard:
            if self._working.asked != asked:
                self._record(lambda parent: self._scribe.model(parent, asked))
            before = self._working.call
            entry = self._record(lambda parent: self._scribe.call(parent, epoch.id, digest))
            self._working.called(entry, before)
            return entry

    def broken(self) -> str | None:
        """What in the request that was just recorded broke the prefix that a provider's cache holds of the session's
        last one, and how much is sent anew, in a line for the person; None where it extends that one."""
        with self._guard:
            return self._working.broken(self.places.blobs)

    def record_reply(self, reply: Reply) -> Entry:
        """What the model answered, whole or cut."""
        return self._record(lambda parent: self._scribe.reply(parent, reply))

    def record_result(self, call: ToolCall, result: ToolResult, ms: int) -> Entry:
        """What one call gave, after `ms` milliseconds."""
        return self._record(lambda parent: self._scribe.result(parent, call.id, result, ms))

    def record_skill(self, given: Disclosed) -> Entry:
        """A skill's body, told at the tail."""
        return self._record(lambda parent: self._scribe.skill(parent, given))

    def record_recall(self, text: str, about: Mapping[str, Any]) -> Entry:
        """Memories that answer what the person said, told at the tail; `about` names them."""
        return self._record(lambda parent: self._scribe.recall(parent, text, about))

    def record_interrupt(self, reason: Interruption) -> Entry:
        """The turn was stopped by the person, by an error or at a limit; the next request shows it."""
        return self._record(lambda parent: self._scribe.interrupt(parent, reason))

    def record_checkpoint(self, body: Mapping[str, Any]) -> Entry:
        """What was kept of the user's files, or put back; see `agentmem.domain.checkpoint`."""
        return self._record(lambda parent: self._scribe.checkpoint(parent, body))

    def record_unseen(self, images: Sequence[str], why: str) -> Entry:
        """Images, by their names, that requests leave out from here on, as a server refused them."""
        return self._record(lambda parent: self._scribe.unseen(parent, images, why))

    def record_verdict(self, verdict: Verdict) -> Entry:
        """What the gate made of a claim."""
        return self._record(lambda parent: self._scribe.verdict(parent, verdict))

    @property
    def active(self) -> Active:
        """The active part of the branch, with what is told in place of the rest."""
        with self._guard:
            return self._working.active

    @property
    def asked(self) -> Mapping[str, Any] | None:
        """What was last said of the model, as in a `model` entry."""
        return self._working.asked

    def append(self, kind: str, body: Mapping[str, Any], leaf: str | None, own: str | None = None) -> Entry:
        """Record what changes the prompt (a compaction, strike, expand, state) or was asked aside of it, where the leaf
        is still `leaf`. Raises `LeafMoved`. `renew` belongs behind the last of them."""
        with self._guard:
            if self.leaf != leaf:
                from agentmem.memory.manage.compact.subject import LeafMoved

                raise LeafMoved
            return self._record(lambda parent: self._scribe.told(kind, parent, body, own))

    @property
    def state(self) -> Mapping[str, str]:
        """Goal, branch, feature and the like, as the harness set them."""
        from agentmem.memory.read import carried

        with self._guard:
            return carried.state(self._working.active)

    def set_state(self, state: Mapping[str, str | None]) -> None:
        """Set keys of the state; None takes one away. A new epoch begins, which shows it."""
        clean = {key: text and self._redactor.text(text) for key, text in state.items()}
        self._record(lambda parent: self._scribe.told("state", parent, {"set": clean}, None))
        self.renew()

    def renew(self) -> None:
        """Begin a new epoch with the same tools and window, where one stands: all before the messages is read anew."""
        with self._guard:
            self._standing.again(self._working.frame())

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts before the messages. Raises `RuntimeError` before `begin_epoch`."""
        return self._standing.epoch.sections

    def unsynced(self, path: Path) -> None:
        """A file that `sync` is to make durable too."""
        self._standing.unsynced.append(path)

    def new_id(self) -> str:
        """An id for an entry."""
        return self.clock.new_id()

    def put(self, path: str, data: bytes) -> None:
        """Keep a whole output that was recorded before. Raises `OSError`."""
        self.outputs.put(path, data)

    def move(self, to: str | None, why: str) -> Entry:
        """Go on from another entry, named by its id, the start of it or its label; None is before the first. A new
        epoch begins where one stands. Raises `EntryMissing`."""
        with self._guard:
            moved = self._log.move(to, why)
            self.renew()
            return moved

    def label(self, label: str | None, of: str | None = None) -> Entry:
        """Name an entry, by default the last message; None takes its label away. Raises `EntryMissing`."""
        return self._log.label(label, of)

    def rename(self, name: str) -> Entry:
        """Name the session (one line, at most 200 characters); empty takes the name away."""
        return self._log.rename(name)

    def tree(self) -> Tree:
        """All that its log holds now, every branch of it. Raises `LogWriteError` when it cannot be read."""
        return self._log.tree()

    def sync(self) -> None:
        """Make all that was recorded durable: once a step before its tools run, and at a turn's end."""
        with self._guard:
            if self._log.begun:
                self._standing.sync()
                self._log.sync()

    def close(self) -> None:
        """Give the session's lock back. Calling it again does nothing."""
        self._log.close()

    def branch(self) -> Sequence[Entry]:
        """The whole path to the leaf, also what a cut took out of the prompt. Raises `LogWriteError`."""
        return self._log.branch()

    def begin_epoch(self, tools: tuple[ToolSpec, ...], window: int, skills: Repertoire | None = None) -> Epoch:
        """Read all that goes before the messages, for a model with `window` tokens; it then holds still. `skills` are
        those whose cards it and later epochs hold."""
        self._standing.skills = skills or self._standing.skills
        return self._standing.begin(tools, window, self._working.frame())

    def rewrite(self, mend: Callable[[LogWriter], None]) -> None:
        """Let `mend` put a log of the same length in this one's place, then stand as it says, in a new epoch. Only a
        person may ask for it."""
        with self._guard:
            if self._log.begun:
                self._log.rewrite(mend)
                self._standing.unsynced = [path for path in self._standing.unsynced if path.exists()]
                self._standing.again(self._working.frame())

    def prompt(self, max_output: int | None = None) -> Prompt:
        """What a request made now carries. Raises `RuntimeError` before `begin_epoch`."""
        epoch = self._standing.epoch
        with self._guard:
            self._max_output = max_output
            return Prompt(epoch.system, epoch.tools, self._working.replay.messages(), max_output)

    def redacted(self, text: str) -> str:
        """The text as the log may hold it; the same object when no secret is in it."""
        return self._redactor.text(text)

    def mark_in(self, call: ToolCall) -> str | None:
        """A mark in the arguments of a call that stands for a secret the model was not shown, None without one."""
        from agentmem.memory.write import redact

        return redact.mark_in(call, self._redactor.marks, lambda: str(self._working.replay.messages()[:-1]))

    def nested(self, path: Path) -> tuple[Instruction, ...]:
        """The instruction files between the working directory and `path` that the model was not told yet. Record their
        `block`s as a notice of origin ``file``."""
        with self._guard:
            return self._standing.nested(path)

    def _record(self, make: Callable[[str | None], Entry]) -> Entry:
        return self._log.record(make)
