"""Session: one log being written, the replay of its branch, and the epoch its prompts stand in."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentmem import __version__
from agentmem.domain.claim import Claim, Verdict
from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.domain.message import Part, Reply, ToolCall, Usage
from agentmem.domain.places import Places
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.domain.tool import ToolResult
from agentmem.memory.read import assemble
from agentmem.memory.read.asked import Asked
from agentmem.memory.read.assemble import Epoch
from agentmem.memory.read.history import Held, path_to
from agentmem.memory.read.instructions import Instruction, Loader
from agentmem.memory.read.replay import Replay
from agentmem.memory.read.tally import Sent, Tally
from agentmem.memory.read.tree import Tree
from agentmem.memory.stores import blobs, folder, offload
from agentmem.memory.stores.log import LogWriteError, LogWriter, cause
from agentmem.memory.write.record import Interruption, NoticeOrigin, Scribe


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
        self._scribe = Scribe(clock)
        self._header: Header = tree.header
        self._writer = writer
        self._guard = threading.RLock()
        self._branch: list[Entry] = []
        self._replay = Replay()
        self._tally = Tally()
        self._date: str | None = None
        self._unsynced: list[Path] = []
        self._untold: list[Instruction] = []
        self._loader: Loader | None = None
        self._epoch: Epoch | None = None
        self._kept = False
        self._max_output: int | None = None
        for entry in tree.branch():
            self._take(entry)
        self._last = _last_sent(tree, self._tally.sent)
        self.broken: str | None = None
        """After `record_call`: what in that request broke the cached prefix of the session's last one, in a line for
        the person; None where it extends that one."""

    @property
    def leaf(self) -> str | None:
        """The id of the entry that the next one hangs on, None while there is none."""
        return self._branch[-1].id if self._branch else None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The branch, root first."""
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
        with self._guard:
            asked = Asked(model, self._max_output, epoch.window, door, __version__)
            if self._tally.asked != asked:
                self._record(lambda parent: self._scribe.model(parent, asked.to_json()))
            shared = self._tally.sent
            entry = self._record(lambda parent: self._scribe.call(parent, epoch.id, digest))
            self.broken = self._break(shared)
            self._last = self._tally.sent
            return entry

    def _keep(self, epoch: Epoch) -> None:
        """Put the epoch's parts on disk, once."""
        if self._kept:
            return
        try:
            folder.make_agent_folder(self.places.shared)
            for data in (*(section.data for section in epoch.prefix.sections), epoch.manifest):
                path, written = blobs.put(self.places.blobs, data)
                self._unsynced += [path] if written else []
        except OSError as error:
            raise LogWriteError(self.places.blobs, cause(error)) from error
        self._kept = True

    def _break(self, shared: Sent | None) -> str | None:
        """Compare the request that was just recorded with the session's last one."""
        last, now = self._last, self._tally.sent
        if last is None or now is None:
            return None
        if shared is last and (last.epoch, last.asked) == (now.epoch, now.asked):
            return None
        from agentmem.memory.read import breaks  # most requests extend the one before

        request = breaks.Request(now, self._replay.messages(), self._tally.counted, shared)
        return breaks.told(last, request, self.places.blobs)

    def record_reply(self, reply: Reply) -> Entry:
        """What the model answered, whole or cut."""
        return self._record(lambda parent: self._scribe.reply(parent, reply))

    def record_result(self, call: ToolCall, result: ToolResult, ms: int) -> Entry:
        """What one call gave, after `ms` milliseconds."""
        return self._record(lambda parent: self._scribe.result(parent, call.id, result, ms))

    def record_interrupt(self, reason: Interruption) -> Entry:
        """The turn was stopped by the person, by an error or at a limit; the next request shows it."""
        return self._record(lambda parent: self._scribe.interrupt(parent, reason))

    def sync(self) -> None:
        """Make all that was recorded durable: once a step before its tools run, and at a turn's end."""
        with self._guard:
            if self._writer is None:
                return
            self._sync_blobs()
            self._writer.sync()

    def _sync_blobs(self) -> None:
        while self._unsynced:
            path = self._unsynced[-1]
            try:
                folder.sync_file(path)
            except OSError as error:
                raise LogWriteError(path, cause(error)) from error
            self._unsynced.pop()

    def close(self) -> None:
        """Give the session's lock back. Calling it again does nothing."""
        with self._guard:
            if self._writer is not None:
                self._writer.close()

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

    @property
    def last_usage(self) -> Usage | None:
        """What the provider counted for the last request and the answer that ends the branch; None where nothing was
        counted, or more is to be sent than that."""
        with self._guard:
            counted = self._tally.counted
            if counted is None or self._branch[-1].id != counted.reply:
                return None
            answer = self._branch[-1].message()
            return None if answer is None or answer.calls else counted.usage

    def held(self) -> Held:
        """What fills the window, before it is measured. Raises `RuntimeError` before `begin_epoch`."""
        epoch = self._standing()
        with self._guard:
            return Held(epoch.prefix, self._replay.said(), self._tally.asked, self._tally.counted)

    def propose(self, claim: Claim) -> Verdict:
        """Take a claim that the model made to the gate; the log keeps the verdict, not the text."""
        from agentmem.memory.write import gate  # most runs never come here, and the word rules take their time to load

        source = gate.Source(typed=False, session=self.id, branch=self.entries)
        verdict = gate.propose(claim, source, self.places, self._clock)
        self._record(lambda parent: self._scribe.verdict(parent, claim.category, verdict))
        return verdict

    def offload(self, data: bytes, suffix: str) -> str:
        """Keep a whole tool output; gives its path relative to the root. Raises `OSError`."""
        folder.make_agent_folder(self.places.shared)
        path = offload.put(self.places.offload, self.id, self._clock.new_id() + suffix.replace("/", "_"), data)
        return os.path.relpath(path, self.places.root)

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
            if self._writer is None:
                self._writer = LogWriter.create(self.path, self._header, self._clock)
            entry = self._writer.append(make(self.leaf))
            self._take(entry)
            return entry

    def _take(self, entry: Entry) -> None:
        self._branch.append(entry)
        self._replay.add(entry)
        if isinstance(date := entry.body.get("date"), str):
            self._date = date
        self._tally.add(entry, self._replay.settled)


def _last_sent(tree: Tree, on_branch: Sent | None) -> Sent | None:
    """The session's last request, wherever in the tree it stands."""
    last = next((entry for entry in reversed(tree.entries) if entry.type == "call"), None)
    if last is None or (on_branch is not None and last.id == on_branch.id):
        return on_branch
    tally = Tally()
    for entry in path_to(tree.entries, last.id):
        tally.add(entry, 0)
    return tally.sent


def _files(entry: Entry) -> tuple[str, ...]:
    files = entry.body.get("files")
    if entry.body.get("notice") is not True or not isinstance(files, list):
        return ()
    return tuple(path for path in files if isinstance(path, str))
