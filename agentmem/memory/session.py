"""Session: one log being written, the replay of its branch, and the epoch its prompts stand in."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentmem import __version__
from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.domain.message import Part, Reply, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.domain.tool import ToolResult
from agentmem.memory.read import assemble, cut
from agentmem.memory.read.assemble import Epoch
from agentmem.memory.read.cut import Active
from agentmem.memory.read.instructions import Instruction, Loader
from agentmem.memory.read.replay import Replay
from agentmem.memory.read.tree import Tree, grow
from agentmem.memory.stores import blobs, folder, lines, offload, roll
from agentmem.memory.stores.log import NAME_EVERY, NAME_MOST, LogWriteError, LogWriter, cause
from agentmem.memory.write.record import Interruption, NoticeOrigin, Scribe
from agentmem.memory.write.redact import Redactor

if TYPE_CHECKING:
    from agentmem.domain.claim import Claim, Verdict
    from agentmem.domain.message import Usage
    from agentmem.memory.read.history import Held
    from agentmem.memory.read.tally import Tally


class Session:
    """A session. Nothing is on disk before the first record; each record stands in the log when its method returns.

    Every `record_…` may raise `LogWriteError`: then that one is not recorded, what was before is sound, and the turn
    must end. Safe to use from several threads.
    """

    def __init__(self, places: Places, clock: Clock, tree: Tree, writer: LogWriter | None = None):
        self.places = places
        self.id = tree.header.id
        self.path = writer.path if writer else places.sessions / f"{self.id}.jsonl"
        self.notices = tree.notices
        self._clock = clock
        self._redactor = Redactor(cache(lambda: _key(places.home)))
        self._scribe = Scribe(clock, self._redactor)
        self._header: Header = tree.header
        self._writer = writer
        self._guard = threading.RLock()
        self._branch: list[Entry] = []
        self._replay = Replay()
        self._date: str | None = None
        self._unsynced: list[Path] = []
        self._untold: list[Instruction] = []
        self._loader: Loader | None = None
        self._epoch: Epoch | None = None
        self._kept = False
        self._max_output: int | None = None
        self._before = ""  # told in place of what a cut took out of the branch
        self._asked: Mapping[str, Any] | None = None
        self._call: Entry | None = None
        self.name = tree.called()
        self._enrolled: bool | None = None  # in the roll of sessions; None before the first record
        self._named_at = 0  # the log's size when the name was last told
        self._stand(tree.active(tree.entries[-1].id if tree.entries else None))
        self._last = tree.last_call()
        self._broke: tuple[Entry, Mapping[str, Any] | None] | None = None

    @property
    def leaf(self) -> str | None:
        """The id of the entry that the next one hangs on, None while there is none."""
        return self._branch[-1].id if self._branch else None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The active branch: from the root, or from what the last cut kept, to the leaf."""
        return tuple(self._branch)

    def record_user(self, parts: Sequence[Part]) -> Entry:
        """What the person sent; the model is told the date with the first one of a day."""
        today = time.strftime("%Y-%m-%d", time.localtime(self._clock.now()))
        return self._record(lambda parent: self._scribe.user(parent, parts, None if today == self._date else today))

    def record_notice(self, text: str, origin: NoticeOrigin = "harness") -> Entry:
        """Something the model is told at the tail. Instruction files that `nested` gave and `text` holds count as told,
        also after a resume."""
        files = [one for one in self._untold if one.block in text or one.text.strip() in text]
        self._untold = [one for one in self._untold if one not in files]
        return self._record(lambda parent: self._scribe.notice(parent, text, origin, [one.path for one in files]))

    def record_call(self, model: str, body: bytes, door: Mapping[str, Any] | None = None) -> Entry:
        """The manifest of a request, before it is sent: epoch, and the first 32 hex digits of the body's SHA-256. The
        messages are those of the branch up to its parent. A `model` entry goes before it when the model, the limit
        that `prompt` was given, or the `door`'s shape is another than before. Raises `RuntimeError` before
        `begin_epoch`."""
        epoch = self._standing()
        digest = blobs.digest(body)[:32]
        self._keep(epoch)
        asked: dict[str, Any] = {"model": model, "max_output": self._max_output, "window": epoch.window}
        asked |= ({"door": dict(door)} if door is not None else {}) | {"agentmem": __version__}
        with self._guard:
            if self._asked != asked:
                self._record(lambda parent: self._scribe.model(parent, asked))
            last, extends = self._last, self._last is not None and self._last[0] is self._call
            entry = self._record(lambda parent: self._scribe.call(parent, epoch.id, digest))
            self._last = (entry, asked)
            same = extends and last is not None and (last[0].body.get("epoch"), last[1]) == (epoch.id, asked)
            self._broke = None if same else last
            return entry

    def broken(self) -> str | None:
        """What in the request that was just recorded broke the prefix that a provider's cache holds of the session's
        last one, and how much is sent anew, in a line for the person; None where it extends that one."""
        with self._guard:
            if self._broke is None:
                return None
            from agentmem.memory.read import breaks  # most requests extend the one before

            return breaks.told(*self._broke, self._tally(), self.places.blobs)

    def held(self) -> Held:
        """What fills the window, before it is measured. Raises `RuntimeError` before `begin_epoch`."""
        from agentmem.memory.read.history import Held

        epoch = self._standing()
        with self._guard:
            found = self._tally()
            return Held(epoch.sections, epoch.tools, found.replay.said(), found.asked, found.counted)

    @property
    def last_usage(self) -> Usage | None:
        """What the provider counted for the last request and the answer that ends the branch; None where nothing was
        counted, or more is to be sent than that."""
        from agentmem.memory.read.tally import counts

        with self._guard:
            answer = self._branch[-1].message() if self._branch else None
            return None if answer is None or answer.calls or not answer.text.strip() else counts(self._branch[-1])

    def _tally(self) -> Tally:
        from agentmem.memory.read import asked, tally

        said = asked.read(self._asked) if self._asked is not None else None
        return tally.tally(Active(tuple(self._branch), self._before), said)

    def _keep(self, epoch: Epoch) -> None:
        """Put the epoch's parts on disk, once."""
        if self._kept:
            return
        try:
            folder.make_agent_folder(self.places.shared)
            for data in (*(section.data for section in epoch.sections), epoch.manifest):
                path, written = blobs.put(self.places.blobs, data)
                self._unsynced += [path] if written else []
        except OSError as error:
            raise LogWriteError(self.places.blobs, cause(error)) from error
        self._kept = True

    def record_reply(self, reply: Reply) -> Entry:
        """What the model answered, whole or cut."""
        return self._record(lambda parent: self._scribe.reply(parent, reply))

    def record_result(self, call: ToolCall, result: ToolResult, ms: int) -> Entry:
        """What one call gave, after `ms` milliseconds."""
        return self._record(lambda parent: self._scribe.result(parent, call.id, result, ms))

    def record_interrupt(self, reason: Interruption) -> Entry:
        """The turn was stopped by the person, by an error or at a limit; the next request shows it."""
        return self._record(lambda parent: self._scribe.interrupt(parent, reason))

    def record_checkpoint(self, body: Mapping[str, Any]) -> Entry:
        """What was kept of the user's files, or put back; see `agentmem.domain.checkpoint`."""
        return self._record(lambda parent: self._scribe.checkpoint(parent, body))

    def move(self, to: str | None, why: str) -> Entry:
        """Go on from another entry, named by its id, the start of it or its label; None is before the first. A new
        epoch begins where one stands. Raises `EntryMissing`."""
        from agentmem.memory.manage.fork import entry_called

        with self._guard:
            tree = self.tree()
            end = None if to is None else entry_called(tree, to)
            moved = self._append(self._scribe.move(end, why))
            self._stand(tree.active(end))
            self._take(moved)
            if self._epoch is not None:
                self.begin_epoch(self._epoch.tools, self._epoch.window)
            return moved

    def label(self, label: str | None, of: str | None = None) -> Entry:
        """Name an entry, by default the last message; None takes its label away. Raises `EntryMissing`."""
        from agentmem.memory.manage.fork import entry_called
        from agentmem.memory.read.outline import place

        with self._guard:
            here = place(self._branch) if of is None else None
            named = here or entry_called(self.tree(), of or "")
            text = " ".join(label.split())[:NAME_MOST] if label else None
            return self._record(lambda parent: self._scribe.label(parent, named, text))

    def rename(self, name: str) -> Entry:
        """Name the session (one line, at most 200 characters); empty takes the name away."""
        with self._guard:
            self.name, self._named_at = " ".join(name.split())[:NAME_MOST], 0
            entry = self._record(lambda parent: self._scribe.session_info(parent, self.name))
            self._tell("named", name=entry.body["name"])
            return entry

    def tree(self) -> Tree:
        """All that its log holds now, every branch of it. Raises `LogWriteError` when it cannot be read."""
        with self._guard:
            if self._writer is None:
                return Tree(self._header, (), ())
            try:
                return grow(self.path.name, self.id, *lines.read(self.path))
            except OSError as error:
                raise LogWriteError(self.path, cause(error)) from error

    def sync(self) -> None:
        """Make all that was recorded durable: once a step before its tools run, and at a turn's end."""
        with self._guard:
            if self._writer is None:
                return
            while self._unsynced:
                try:
                    folder.sync_file(self._unsynced[-1])
                except OSError as error:
                    raise LogWriteError(self._unsynced[-1], cause(error)) from error
                self._unsynced.pop()
            self._writer.sync()

    def close(self) -> None:
        """Give the session's lock back. Calling it again does nothing."""
        with self._guard:
            if self._writer is None or self._writer.closed:
                return
            self._writer.close()
            if self._enrolled is False:
                from agentmem.memory.manage import enrol  # once in the life of a project

                enrol.rebuild(self.places)
            if self._enrolled is not None:
                self._tell("closed", entries=len(self._branch))

    def begin_epoch(self, tools: tuple[ToolSpec, ...], window: int) -> Epoch:
        """Read all that goes before the messages, for a model with `window` tokens; it then holds still."""
        told = tuple(path for entry in self._branch for path in _files(entry))
        self._loader = assemble.loader(self.places, window, told)
        self._epoch = assemble.begin(self.places, self._loader, tools, window)
        self._kept, self._untold = False, []
        return self._epoch

    def prompt(self, max_output: int | None = None) -> Prompt:
        """What a request made now carries. Raises `RuntimeError` before `begin_epoch`."""
        epoch = self._standing()
        with self._guard:
            self._max_output = max_output
            return Prompt(epoch.system, epoch.tools, self._replay.messages(), max_output)

    def propose(self, claim: Claim) -> Verdict:
        """Take a claim that the model made to the gate; the log keeps the verdict, not the text."""
        from agentmem.memory.write import gate  # most runs never come here, and the word rules take their time to load

        source = gate.Source(typed=False, session=self.id, branch=self.entries)
        verdict = gate.propose(claim, source, self.places, self._clock)
        self._record(lambda parent: self._scribe.verdict(parent, claim.category, verdict))
        return verdict

    def offload(self, data: bytes, suffix: str) -> str:
        """Keep a whole tool output, its secrets aside; gives its path relative to the root. Raises `OSError`."""
        clean = self._redactor.data(data)
        folder.make_agent_folder(self.places.shared)
        path = offload.put(self.places.offload, self.id, self._clock.new_id() + suffix.replace("/", "_"), clean)
        return os.path.relpath(path, self.places.root)

    def mark_in(self, call: ToolCall) -> str | None:
        """A mark in the arguments of a call that stands for a secret the model was not shown, None without one."""
        from agentmem.memory.write import redact

        found = redact.marks(str(dict(call.arguments)))
        if not found:
            return None
        shown = str(self._replay.messages()[:-1])
        return next((mark for mark in found if mark in self._redactor.marks or mark in shown), None)

    def nested(self, path: Path) -> tuple[Instruction, ...]:
        """The instruction files between the working directory and `path` that the model was not told yet. Record their
        `block`s as a notice of origin ``file``."""
        if self._loader is None:
            return ()
        with self._guard:
            found = self._loader.nested(path)
            self._untold += found
            return found

    def _standing(self) -> Epoch:
        if self._epoch is None:
            raise RuntimeError("begin_epoch comes before the first prompt of a session")
        return self._epoch

    def _record(self, make: Callable[[str | None], Entry]) -> Entry:
        with self._guard:
            entry = self._append(make(self.leaf))
            if cut.is_cut(entry.type, entry.body):
                self._stand_anew()
                if entry.type == "reset":
                    self._tell("reset")
            else:
                self._take(entry)
            self._keep_name_near(entry)
            return entry

    def _stand(self, active: Active) -> None:
        """Begin anew with the active part of a branch."""
        self._branch, self._replay, self._before = [], Replay(active.before), active.before
        self._date, self._call = None, None
        self._asked = None if active.snapshot is None else cut.model_of(active.snapshot)
        for entry in active.entries:
            self._take(entry)

    def _stand_anew(self) -> None:
        """Stand where a resume would, after a cut: both read it off the log."""
        from agentmem.memory.read import resume

        try:
            tree = resume.read(self.path, self.path.name, self.id)
        except OSError as error:
            raise LogWriteError(self.path, cause(error)) from error
        self._stand(tree.active(tree.entries[-1].id))

    def _append(self, entry: Entry) -> Entry:
        if self._writer is None:
            self._writer = LogWriter.create(self.path, self._header, self._clock)
        kept = self._writer.append(entry)
        if self._enrolled is None:
            # A roll that was lost is made anew when there is time: at the end.
            self._enrolled = roll.is_there(self.places.shared) or folder.holds_only(self.path)
            self._tell("opened", cwd=str(self.places.cwd))
        return kept

    def _tell(self, event: str, **more: Any) -> None:
        if self._enrolled or event == "closed":
            roll.append(self.places.shared, roll.line(self._clock.stamp(), event, self.id, **more))

    def _keep_name_near(self, entry: Entry) -> None:
        """Tell the name again once the log's end has grown away from it: lists read ends alone."""
        if self._writer is None or not (self.name or entry.type == "session_info"):
            return
        size = self._writer.size()
        if entry.type == "session_info":
            self._named_at = size
        elif size - self._named_at > NAME_EVERY:
            self._named_at = size
            with suppress(LogWriteError):  # the entry itself stands; the next one tells what is wrong
                self._take(self._append(self._scribe.session_info(self.leaf, self.name)))

    def _take(self, entry: Entry) -> None:
        self._branch.append(entry)
        self._replay.add(entry)
        if isinstance(date := entry.body.get("date"), str):
            self._date = date
        if entry.type == "model":
            self._asked = entry.body
        elif entry.type == "call":
            self._call = entry
        elif cut.is_cut(entry.type, entry.body):
            self._call = None  # no request extends one from before it


def _key(home: Path) -> bytes:
    from agentmem.memory.stores import seal  # few sessions meet a secret

    return seal.key(home)


def _files(entry: Entry) -> tuple[str, ...]:
    files = entry.body.get("files")
    if entry.body.get("notice") is not True or not isinstance(files, list):
        return ()
    return tuple(path for path in files if isinstance(path, str))
