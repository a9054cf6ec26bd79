"""Catching up: the index is brought to where the files are: what is new is read from where reading stopped.

A file that only grew is read from its last byte on; one that was rewritten is read anew; one that is gone is forgotten.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from time import monotonic
from zlib import crc32

from agentmem import regular
from agentmem.domain.entry import Entry
from agentmem.memory.read.recall import corpus, logbook
from agentmem.memory.read.recall.corpus import File
from agentmem.memory.read.recall.passages import Record, rows
from agentmem.memory.stores.index import MOST_TURNS, Index, PieceRow, Source, TurnRow, turn_id

_READ = 1 << 22  # bytes at a time
_STEP = 1 << 16  # bytes of a file that is no log
_MARK = 64
_NONE: frozenset[str] = frozenset()
_HELD, _HELD_FIRST = 0.15, 1.0
"""Seconds that a change may keep other writers waiting; they have little to add while it is made from nothing."""


@dataclass(frozen=True, slots=True)
class Behind:
    """What is not in the index yet: the files, and how many bytes of them are unread."""

    files: tuple[File, ...]
    bytes: int


def behind(index: Index, files: Sequence[File]) -> Behind:
    """What the index lacks of these files. Raises `sqlite3.Error`."""
    known = index.sources()
    lacking = [file for file in files if _differs(known.get(file.path), file)]
    unread = 0
    for file in lacking:
        source = known.get(file.path)
        grown = source is not None and source.inode == file.inode and file.size >= source.done
        unread += file.size - (source.done if source is not None and grown else 0)
    return Behind(tuple(lacking), unread)


def catch_up(
    index: Index,
    files: Sequence[File],
    *,
    seconds: float | None = None,
    told: Callable[[int, int], None] = lambda done, whole: None,
) -> bool:
    """Bring the index to these files; False where `seconds` did not suffice or another process writes it. `told` gets
    bytes done and bytes to do. Raises `sqlite3.Error` where the index is damaged."""
    until = None if seconds is None else monotonic() + seconds
    index.wait_at_most(seconds)
    known = index.sources()
    wanted = {file.path for file in files}
    gone = [source for path, source in known.items() if path not in wanted]
    lacking = behind(index, files)
    try:
        fresh = (read for file in lacking.files for read in _bring(index, file, known.get(file.path)))
        steps = chain(fresh, _forget(index, gone))  # what is gone gives no hits anyway
        hold = _HELD if known else _HELD_FIRST
        idle = not lacking.files and not gone
        whole = idle or _read(index, steps, (until, hold), lambda done: told(done, lacking.bytes))
        if whole and not idle and not known:
            with index.writing():
                index.made()
        return whole
    except _Overtaken:
        return False
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            return False
        raise


def _forget(index: Index, gone: Sequence[Source]) -> Iterator[int]:
    for source in gone:
        if index.source(source.path) == source:  # else another process was faster
            with index.writing():
                index.drop(source)
        yield 0


def _read(index: Index, steps: Iterator[int], limits: tuple[float | None, float], told: Callable[[int], None]) -> bool:
    """Take the steps, many small ones as one change; False where the time is over before. `limits` are until when, and
    how long a change may take."""
    until, hold = limits
    done = 0
    while True:
        with index.writing():
            held_since = monotonic()
            for read in steps:
                done += read
                told(done)
                if until is not None and monotonic() > until:
                    return False
                if monotonic() - held_since > hold:
                    break
            else:
                return True


class _Overtaken(Exception):
    """Another process has read on in the file meanwhile."""


@contextmanager
def _writing(index: Index, file: File, source: Source | None) -> Iterator[None]:
    """A change to what is held of a file, as long as that is still what it was."""
    with index.writing():
        if index.source(file.path) != source:
            raise _Overtaken
        yield


def _differs(source: Source | None, file: File) -> bool:
    return source is None or (source.size, source.mtime, source.inode) != (file.size, file.mtime, file.inode)


def _bring(index: Index, file: File, source: Source | None) -> Iterator[int]:
    """Read what a file has more than the index; gives the bytes of each step."""
    if file.kind != "session":
        yield from _whole_file(index, file, source)
        return
    try:
        handle = regular.opened(Path(file.path))
    except OSError:
        return
    try:
        yield from _log(index, file, source, handle)
    except OSError:
        return  # it went away, or cannot be read any more: the next look tells
    finally:
        os.close(handle)


def _whole_file(index: Index, file: File, source: Source | None) -> Iterator[int]:
    """Read a file that has no lines of its own, in steps; one that another look began is read on."""
    begun = source if source is not None and source.size == 0 and _same(source, file) else None
    try:
        found = corpus.records(file, begun.done if begun is not None else 0)
    except OSError:
        found = iter(())
    if begun is None:
        with _writing(index, file, source):
            if source is not None:
                index.drop(source)
            begun = replace(index.begin(file.path, file.kind), mtime=file.mtime, inode=file.inode)
            index.remark(begun)
    while True:
        batch = list(_some(found))
        done = batch[-1].place + batch[-1].size if batch else file.size
        with _writing(index, file, begun):
            _add(index, begun, batch)
            read = replace(begun, done=done, turns=begun.turns + len(batch))
            read = read if batch else _as(read, file)
            index.remark(read)
        yield max(0, done - begun.done)
        if not batch:
            return
        begun = read


def _same(source: Source, file: File) -> bool:
    return (source.mtime, source.inode) == (file.mtime, file.inode)


def _some(found: Iterator[Record]) -> Iterator[Record]:
    room = _STEP
    for record in found:
        yield record
        room -= record.size
        if room <= 0:
            return


def _log(index: Index, file: File, source: Source | None, handle: int) -> Iterator[int]:
    if source is None or not _only_grew(source, file, handle):
        yield from _anew(index, file, source, handle)
        return
    # Until its end is reached, what is hidden in a log stands in its source; for the rest of it that holds as well.
    begun, hidden = source.size == 0, _NONE
    if begun and source.mtime:
        hidden = logbook.struck(_edits(handle, file.size))
        if _told(hidden) != source.mtime:  # something was struck or brought back meanwhile
            yield from _anew(index, file, source, handle)
            return
    at_end = False
    while not at_end:
        data = _lines(_part(handle, file, source.done))
        batch = logbook.read(data, source.done)
        edited = any(edit.type in ("strike", "expand") for edit in batch.edits)
        if edited and not (begun and logbook.struck(_edits(handle, file.size)) == hidden):
            yield from _anew(index, file, source, handle)
            return
        with _writing(index, file, source):
            source, at_end = _take(index, file, source, (data, batch, hidden))
        yield len(data)


def _anew(index: Index, file: File, source: Source | None, handle: int) -> Iterator[int]:
    """Read a log from its beginning: the struck entries must be known first."""
    data = _part(handle, file, 0)
    batch = logbook.read(_lines(data), 0)
    hidden = logbook.struck(batch.edits if len(data) < _READ else _edits(handle, file.size))
    with _writing(index, file, source):
        if source is not None:
            index.drop(source)
        fresh = replace(index.begin(file.path, file.kind), inode=file.inode)
        fresh, at_end = _take(index, file, fresh, (_lines(data), batch, hidden))
    yield fresh.done
    while not at_end:
        cut = _lines(_part(handle, file, fresh.done))
        batch = logbook.read(cut, fresh.done)
        with _writing(index, file, fresh):
            fresh, at_end = _take(index, file, fresh, (cut, batch, hidden))
        yield len(cut)


def _take(
    index: Index, file: File, source: Source, part: tuple[bytes, logbook.Batch, frozenset[str]]
) -> tuple[Source, bool]:
    """Hold a part of a log but for the entries that are hidden; gives how far it was read, and whether that is all."""
    data, batch, hidden = part
    if hidden:
        batch.records = [record for record in batch.records if record.ref not in hidden]
    source = _append(index, source, batch, data)
    at_end = not data or source.done >= file.size
    source = _as(source, file) if at_end else replace(source, mtime=_told(hidden))
    index.remark(source)
    return source, at_end


def _told(hidden: frozenset[str]) -> int:
    """What stands for hidden entries in a source until its end is reached, where its `mtime` will stand; 0 for none."""
    return crc32("\n".join(sorted(hidden)).encode("utf-8", "replace")) | 1 if hidden else 0


def _part(handle: int, file: File, start: int) -> bytes:
    """What stands there, as far as was looked; room for more at once would cost more than the reading."""
    return os.pread(handle, min(_READ, max(file.size - start, 0)), start)


def _lines(data: bytes) -> bytes:
    """The whole lines; of one line of megabytes, in which nothing is found, all."""
    cut = logbook.whole_lines(data)
    return data if not cut and len(data) == _READ else cut


def _edits(handle: int, size: int) -> list[Entry]:
    found: list[Entry] = []
    at = 0
    while at < size:
        data = os.pread(handle, _READ, at)
        cut = logbook.whole_lines(data) or data
        if not cut:
            break
        if b'"type":"strike"' in cut or b'"type":"expand"' in cut or found:
            found += logbook.read(cut, at).edits
        at += len(cut)
    return found


def _append(index: Index, source: Source, batch: logbook.Batch, data: bytes) -> Source:
    """Hold what some lines say; gives how far it was read."""
    _add(index, source, batch.records)
    if batch.used:
        index.add_used(source.id, batch.used)
    mark = (source.mark + data)[-_MARK:] if len(data) < _MARK else data[-_MARK:]
    return replace(source, done=source.done + len(data), turns=source.turns + len(batch.records), mark=mark)


def _add(index: Index, source: Source, records: Sequence[Record]) -> None:
    turns: list[TurnRow] = []
    pieces: list[PieceRow] = []
    for number, record in enumerate(records[: MOST_TURNS - source.turns], source.turns):
        turn, cut = rows(turn_id(source.id, number), record)
        turns.append(turn)
        pieces += cut
    index.add(source, turns, pieces)


def _only_grew(source: Source, file: File, handle: int) -> bool:
    begun = source.size == 0  # the last look did not come to its end
    if source.inode != file.inode or file.size < source.done or not (begun or file.size > source.size):
        return False  # without growth it was changed in place
    start = source.done - len(source.mark)
    return os.pread(handle, len(source.mark), start) == source.mark


def _as(source: Source, file: File) -> Source:
    return replace(source, size=file.size, mtime=file.mtime, inode=file.inode)
