"""Fsck: every log read whole, with what it names and what lies beside it; each trouble with its place and its mending.

Nothing is changed here. What mends a log only ever adds to it: whole lines count as they are, whatever stands between.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.domain.places import Places
from agentmem.memory.read import catalogue, cut
from agentmem.memory.read.growth import Growth
from agentmem.memory.read.tree import fault_told, header_of
from agentmem.memory.stores import blobs, forgotten, lines, roll, stretch
from agentmem.memory.stores.log import holder

READ = "nothing to do: every whole line is read, and what is recorded next gets a line of its own"
_MENDS: Mapping[str, str] = {
    "written by a newer": "update agentmem",
    "kept, but not readable": "nothing to do: it stays in the file, and no reader can show it",
    "missing: the header": "nothing to do: the file's name says which session it is",
    "joined to": "nothing to do: what came before is shown; `agentmem sessions tree` shows all",
}
_LEFT = re.compile(r"\.(\d+)\.new$")
_EPOCH = re.compile(r"[0-9a-f]{16}")
_PRIVATE = ("sessions", "offload", "blobs", "archive", "inbox", "queue")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that is not as it should be. `where` is a file, with its line where there is one; `wrong` when
    something is lost or open to others, else it is only to be known."""

    where: str
    what: str
    mend: str
    wrong: bool = False


@dataclass(slots=True)
class Check:
    """What was found: the logs read, and how many of them were sound."""

    troubles: list[Trouble]
    logs: int = 0
    sound: int = 0


def check(places: Places) -> Check:
    """Look at everything; what cannot be read is a trouble, never an exception."""
    found = Check([])
    epochs: dict[str, str] = {}
    for path in catalogue.logs(places.sessions):
        own = list(_log(path, places, epochs))
        found.troubles += own
        found.logs += 1
        found.sound += not own
    found.troubles += [
        *_no_logs(places),
        *_blobs(places, epochs),
        *_roll(places, found.logs),
        *_left(places),
        *_open(places),
    ]
    return found


def _no_logs(places: Places) -> Iterator[Trouble]:
    """What has a log's name or place and is none; a log that is one and cannot be read is told with the logs."""
    for failure in catalogue.no_logs(places.sessions):
        path = str(failure.filename)
        mend = f"put the log itself there, or move {path} away: its name says session, and it is passed over"
        yield Trouble(path, f"is no log: {failure.strerror}", mend, wrong=True)


def _log(path: Path, places: Places, epochs: dict[str, str]) -> Iterator[Trouble]:
    try:
        read, faults = lines.read(path)
    except OSError as error:
        yield Trouble(str(path), f"cannot be read: {error.strerror}", f"chmod u+rw {path}", wrong=True)
        return
    growth = Growth(path.stem)
    for fault in faults:
        growth.tell(*fault_told(fault))
    for number, value in read:
        growth.take(number, value)
        yield from _named(f"{path}:{number}", value, places, epochs)
    header_of(growth)
    for what, numbers in growth.told.items():
        mend = next((mend for begin, mend in _MENDS.items() if what.startswith(begin)), READ)
        also = f" (also lines {', '.join(map(str, numbers[1:]))})" if len(numbers) > 1 else ""
        yield Trouble(f"{path}:{numbers[0]}" if numbers else str(path), what + also, mend)
    yield from _snapshots(path, growth, {str(value.get("id")): number for number, value in read})


def _named(where: str, value: dict[str, Any], places: Places, epochs: dict[str, str]) -> Iterator[Trouble]:
    """What a record names beside its log."""
    kept, epoch = value.get("offload"), value.get("epoch")
    if isinstance(kept, str) and not os.path.exists(os.path.join(places.root, kept)):
        yield Trouble(where, f"the whole output is gone: {kept}", "nothing to do: the log holds what the model saw")
    if value.get("type") == "call" and isinstance(epoch, str) and _EPOCH.fullmatch(epoch):
        epochs.setdefault(epoch, where)


def _snapshots(path: Path, growth: Growth, at: Mapping[str, int]) -> Iterator[Trouble]:
    entries = {entry.id: entry for entry in growth.entries}
    with stretch.opened(path) as handle:
        for entry in growth.entries:
            if entry.type != "compaction" or not cut.is_cut(entry.type, entry.body):
                continue
            where = f"{path}:{at.get(entry.id, 0)}"
            if entry.body["first_kept"] not in entries:
                what = "the first entry that this snapshot keeps is gone: what it covers is shown whole"
                yield Trouble(where, what, "compact the session anew", wrong=True)
            named = [(str(entry.body["first_kept"]), cut.offset(entry.body.get("first_kept_offset")))]
            for own, offset in (*named, *cut.segments(entry), *cut.named(entry, "pinned")):
                if own in entries and offset is not None and not _bears(handle, offset, own):
                    yield Trouble(where, f"{own} is not at byte {offset}, where it is said to be", READ)
                elif own not in entries and (own, offset) not in named:
                    yield Trouble(
                        where, f"{own}, which this snapshot shows, is gone", "compact the session anew", wrong=True
                    )


def _bears(handle: int, offset: int, own: str) -> bool:
    raw = stretch.line_at(handle, offset)
    return raw is not None and any(value.get("id") == own for value in lines.parse(raw)[0])


def _blobs(places: Places, epochs: Mapping[str, str]) -> Iterator[Trouble]:
    """Prompt parts that requests name, and those whose bytes are not what their name says."""
    names = os.listdir(places.blobs) if places.blobs.is_dir() else []
    begun = {name[:16] for name in (*names, *forgotten.read(places.shared).blobs)}
    for epoch, where in epochs.items():
        if epoch not in begun:
            what = f"the prompt parts {epoch}… that this request was made of are gone"
            yield Trouble(where, what, "nothing to do: the session goes on; this request cannot be shown again")
    for name in sorted(names):
        path = places.blobs / name
        if re.fullmatch(r"[0-9a-f]{64}", name) and (unlike := _unlike(path)):
            yield Trouble(str(path), unlike, f"rm {path}: the next session that needs it makes it anew", wrong=True)


def _unlike(path: Path) -> str | None:
    """What is wrong with a blob, None where it is what its name says."""
    try:
        whole = blobs.digest(regular.read(path, blobs.MOST)) == path.name
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return None if whole else "holds other bytes than its name says"


def _roll(places: Places, logs: int) -> Iterator[Trouble]:
    path = places.shared / roll.NAME
    if not path.is_file():
        if logs:
            yield Trouble(str(path), "is gone", "nothing to do: it is made anew when the next session ends")
        return
    try:
        faults = lines.read(path)[1]
    except OSError as error:
        yield Trouble(str(path), f"cannot be read: {error.strerror}", f"chmod u+rw {path}", wrong=True)
        return
    for fault in faults:
        mend = f"nothing to do: only people read it; rm {path} has it made anew"
        yield Trouble(f"{path}:{fault.number}", f"skipped ({fault.what})", mend)


def _left(places: Places) -> Iterator[Trouble]:
    """Locks and half-written files of processes that are gone."""
    for folder, _, files in os.walk(places.shared):
        for name in sorted(files):
            path = Path(folder) / name
            number = _LEFT.search(name)
            if number is not None and name.startswith(".") and not _runs(int(number[1])):
                yield Trouble(str(path), "was left half-written by a process that is gone", f"rm {path}")
            elif folder == str(places.sessions) and path.suffix == ".lock" and holder(path) is None:
                mend = f"nothing to do: the next one takes it over; or rm {path}"
                yield Trouble(str(path), "was left by a process that is gone", mend)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _open(places: Places) -> Iterator[Trouble]:
    """What others can read or write of sessions and what they keep."""
    for kind in _PRIVATE:
        for folder, _, files in os.walk(places.shared / kind):
            for path, mode in ((Path(folder), "700"), *((Path(folder) / name, "600") for name in sorted(files))):
                if stat.S_IMODE(os.lstat(path).st_mode) & 0o077 and not path.is_symlink():
                    yield Trouble(str(path), "can be read by others", f"chmod {mode} {path}", wrong=True)
