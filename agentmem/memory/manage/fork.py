"""Fork: the path to an entry as a session of its own, so that the other one stays as it is.

The copy holds the path's entries under the ids they have: an entry is one event, whichever logs tell of it, and the
requests that follow begin with the same messages. The path's moves point to entries of the path, so the copy needs
nothing of the other log. Labels given elsewhere come along; the name gets a suffix, so that each name stays one
session's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Fork, Header
from agentmem.memory.read import catalogue, outline
from agentmem.memory.read.tree import Tree
from agentmem.memory.stores import folder, lines
from agentmem.memory.stores.log import SUFFIX, LogWriteError, cause
from agentmem.memory.write.record import Scribe


class EntryMissing(Exception):
    """No entry of this session, or more than one, has an id that begins so."""

    def __init__(self, session: str, entry: str, several: bool):
        said = "begins more than one entry" if several else "is no entry"
        super().__init__(f"{entry!r} {said} of session {session}; `agentmem sessions tree {session}` shows them")
        self.session = session
        self.entry = entry


def entry_called(tree: Tree, name: str) -> str:
    """The id of the entry called `name`: its id, the start of its id, or its label. Raises `EntryMissing`."""
    ids = [entry.id for entry in tree.entries]
    if name in ids:
        return name
    begun = [own for own in ids if name and own.startswith(name)]
    labelled = [of for of, label in outline.labels_of(tree.entries).items() if label == name and of in ids]
    found = labelled if len(labelled) == 1 else begun
    if len(found) != 1:
        raise EntryMissing(tree.header.id, name, several=bool(found))
    return found[0]


def fork(tree: Tree, entry: str, header: Header, clock: Clock, sessions: Path) -> None:
    """Write the fork of `tree` at `entry` to the folder `sessions`, whole or not at all. `header` is the new session's.

    Raises `LogWriteError`.
    """
    path = sessions / f"{header.id}{SUFFIX}"
    name = _free(outline.name_of(tree.entries), sessions)
    told = Header(
        header.id,
        header.at,
        header.cwd,
        header.agentmem,
        forked_from=Fork(tree.header.id, entry),
        version=header.version,
    )
    staged = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        folder.make_agent_folder(path.parent.parent)
        folder.make_private(path.parent)
        _write(staged, told, _entries(tree, entry, name, Scribe(clock)))
        os.replace(staged, path)
        folder.sync_folder(path.parent)
    except OSError as error:
        raise LogWriteError(path, cause(error)) from error
    finally:
        with suppress(OSError):
            staged.unlink(missing_ok=True)


def _write(path: Path, header: Header, entries: Iterable[Entry]) -> None:
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(handle, "wb") as file:
        file.write(lines.dump(lines.sound(header.to_json())))
        file.writelines(lines.dump(lines.sound(entry.to_json())) for entry in entries)
        file.flush()
        os.fsync(handle)


def _free(name: str, sessions: Path) -> str:
    """A name for a fork of the session called `name` that no other session has; "" where that one has none."""
    stem = re.sub(r" \(fork(?: \d+)?\)$", "", name)
    if not stem:
        return ""
    taken = {head.name.casefold() for head in catalogue.heads(sessions, every=True)}
    names = (f"{stem} (fork{f' {number}' if number > 1 else ''})" for number in count(1))
    return next(one for one in names if one.casefold() not in taken)


def _entries(tree: Tree, end: str, name: str, scribe: Scribe) -> Iterator[Entry]:
    kept = tree.path(end)
    yield from kept
    ids, last = {entry.id for entry in kept}, end
    here = outline.labels_of(kept)
    for of, label in outline.labels_of(tree.entries).items():
        if of in ids and here.get(of) != label:
            yield (entry := scribe.label(last, of, label))
            last = entry.id
    for of in sorted(here.keys() - outline.labels_of(tree.entries).keys()):
        yield (entry := scribe.label(last, of, None))
        last = entry.id
    if name or outline.name_of(kept):
        yield scribe.session_info(last, name)
