"""Session log: one log as it is written, with the replay of its active branch and its place in the roll."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.places import Places
from agentmem.memory.enrolment import Enrolment
from agentmem.memory.read import cut
from agentmem.memory.read.tree import Tree, grow
from agentmem.memory.read.working import Working
from agentmem.memory.stores import lines
from agentmem.memory.stores.log import NAME_MOST, LogWriteError, LogWriter, cause
from agentmem.memory.write.record import Scribe


class SessionLog:
    """A session's log. Nothing is on disk before the first record; `working` is what the branch comes to. Safe to use
    from several threads; who does more than one thing with it holds its `guard`."""

    def __init__(self, places: Places, clock: Clock, tree: Tree, scribe: Scribe, writer: LogWriter | None) -> None:
        self.places = places
        self.header = tree.header
        self.id = tree.header.id
        self.path = writer.path if writer else places.sessions / f"{self.id}.jsonl"
        self.guard = threading.RLock()
        self.working = Working(tree)
        self._clock = clock
        self._scribe = scribe
        self._writer = writer
        self._enrolment = Enrolment(places, clock, self.id, tree.called())

    @property
    def name(self) -> str:
        """What the session is called, "" for nothing."""
        return self._enrolment.name

    @property
    def leaf(self) -> str | None:
        """The id of the entry that the next one hangs on, None while there is none."""
        return self.working.leaf

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The active branch: from the root, or from what the last cut kept, to the leaf."""
        return tuple(self.working.entries)

    @property
    def begun(self) -> bool:
        """Whether the log is on disk."""
        return self._writer is not None

    @property
    def size(self) -> int:
        """Bytes of the log."""
        return self._writer.size() if self._writer is not None else 0

    def record(self, make: Callable[[str | None], Entry]) -> Entry:
        """Write what `make` gives for the leaf. Raises `LogWriteError`: then nothing is recorded."""
        with self.guard:
            made = make(self.leaf)
            if cut.is_cut(made.type, made.body):
                from agentmem.memory.manage import noting

                noting.note(self)
            entry = self._append(made)
            if cut.is_cut(entry.type, entry.body) or entry.type == "expand":
                self._stand_anew()
                if entry.type == "reset":
                    self._enrolment.tell("reset")
            else:
                self.working.take(entry)
            self._keep_name_near(entry)
            return entry

    def move(self, to: str | None, why: str) -> Entry:
        """Go on from another entry, named by its id, the start of it or its label; None is before the first. Raises
        `EntryMissing`."""
        from agentmem.memory.manage.fork import entry_called

        with self.guard:
            tree = self.tree()
            end = None if to is None else entry_called(tree, to)
            moved = self._append(self._scribe.move(end, why))
            self.working.stand(tree.active(end))
            self.working.take(moved)
            return moved

    def label(self, label: str | None, of: str | None = None) -> Entry:
        """Name an entry, by default the last message; None takes its label away. Raises `EntryMissing`."""
        from agentmem.memory.manage.fork import entry_called
        from agentmem.memory.read.outline import place

        with self.guard:
            here = place(self.working.entries) if of is None else None
            named = here or entry_called(self.tree(), of or "")
            text = " ".join(label.split())[:NAME_MOST] if label else None
            return self.record(lambda parent: self._scribe.label(parent, named, text))

    def rename(self, name: str) -> Entry:
        """Name the session (one line, at most 200 characters); empty takes the name away."""
        with self.guard:
            kept = self._enrolment.rename(name)
            entry = self.record(lambda parent: self._scribe.session_info(parent, kept))
            self._enrolment.tell("named", name=entry.body["name"])
            return entry

    def tree(self) -> Tree:
        """All that it holds now, every branch of it. Raises `LogWriteError` when it cannot be read."""
        with self.guard:
            if self._writer is None:
                return Tree(self.header, (), ())
            try:
                return grow(self.path.name, self.id, *lines.read(self.path))
            except OSError as error:
                raise LogWriteError(self.path, cause(error)) from error

    def branch(self) -> Sequence[Entry]:
        """The whole path to the leaf, also what a cut took out of the prompt. Raises `LogWriteError`."""
        with self.guard:
            return self.tree().path(self.leaf) if self.working.before and self.leaf is not None else self.entries

    def rewrite(self, mend: Callable[[LogWriter], None]) -> None:
        """Let `mend` put a log of the same length in this one's place, then stand as it says. Only a person may ask for
        it."""
        with self.guard:
            if self._writer is not None:
                mend(self._writer)
                self._enrolment.name = self._stand_anew().called()

    def sync(self) -> None:
        """Make all that was recorded durable."""
        with self.guard:
            if self._writer is not None:
                self._writer.sync()

    def close(self) -> None:
        """Give the lock back. Calling it again does nothing."""
        with self.guard:
            if self._writer is None or self._writer.closed:
                return
            self._writer.close()
            self._enrolment.closed(len(self.working.entries))

    def _stand_anew(self) -> Tree:
        """Stand where a resume would, after a cut: both read it off the log."""
        from agentmem.memory.read import resume

        try:
            tree = resume.read(self.path, self.path.name, self.id)
        except OSError as error:
            raise LogWriteError(self.path, cause(error)) from error
        self.working.stand(tree.active(tree.entries[-1].id))
        return tree

    def _append(self, entry: Entry) -> Entry:
        if self._writer is None:
            self._writer = LogWriter.create(self.path, self.header, self._clock)
        kept = self._writer.append(entry)
        self._enrolment.opened(self._writer)
        return kept

    def _keep_name_near(self, entry: Entry) -> None:
        if self._writer is not None and self._enrolment.is_far(entry, self._writer.size()):
            with suppress(LogWriteError):  # the entry itself stands; the next one tells what is wrong
                self.working.take(self._append(self._scribe.session_info(self.leaf, self.name)))
