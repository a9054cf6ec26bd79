"""Forget: the one verb that rewrites. Words leave everything agentmem keeps; what is left is then looked for again.

All or nothing where somebody else still writes: a session that another process has open, and that holds the words, is
a reason to change nothing. Each file is replaced whole, so that a kill at any moment leaves files that are valid, with
the words or without; running it again finishes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from agentmem import regular
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk, Level
from agentmem.domain.obstacle import StillOpen
from agentmem.domain.places import Places
from agentmem.memory.manage.scrub import Scrub
from agentmem.memory.manage.sightings import (
    MOST,
    Sighting,
    Sightings,
    Tell,
    drops_whole,
    look,
    mend,
    raw_lines,
    tombs_of,
)
from agentmem.memory.manage.wanted import Wanted
from agentmem.memory.read import parts
from agentmem.memory.stores import folder, forgotten, lines
from agentmem.memory.stores.estate import holdings
from agentmem.memory.stores.log import LogWriter, SessionBusy, holder
from agentmem.memory.write.gate import carry, erasure
from agentmem.memory.write.tombstone import Tombs


class Own(Protocol):
    """The session of this process: where its log lies, and how it takes another one in its place."""

    path: Path

    def rewrite(self, mend: Callable[[LogWriter], None]) -> None:
        """Let `mend` put a log of the same length in place of this one's, then stand as it says."""
        ...


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was done: where the words stood `before`, what is `left` (nothing, or it failed), which facts went."""

    before: Sightings
    left: Sightings
    facts: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether nothing that could be read holds the words, and everything could be read."""
        return not self.left.found and not self.left.unreadable


def forget(
    wish: Wanted, places: Places, clock: Clock, own: Own | None = None, tell: Tell = lambda text: None
) -> Receipt:
    """Have the words forgotten. `own` is the session of this process, if it has one.

    Raises `StillOpen`, `MemoryBusy`, `LogWriteError` and `OSError`; after the last two, running it again goes on.
    """
    desk = Desk(places, clock)
    with _alone(desk), ExitStack() as held:
        before = look(places, wish.phrases, tell)
        logs = _locked(before, clock, own, held)
        _nobody_else(places, before, {*logs, *([own.path] if own is not None else [])})
        facts = _announce(wish, before, desk)
        for one in before.found:
            if one.holding.kind != "git":
                _clean(one, wish, logs, own)
        _make_anew(places, before)
        for one in before.of("git"):
            tell(f"rewriting {one.holding.path.name}")
            _clean_git(one.holding.path, tombs_of(one.holding, wish.phrases))
        for level, at in _levels(desk) if before.of("memory", "ledger", "git") else ():
            erasure.commit(level, at, facts[level])
    if own is not None:
        own.rewrite(lambda writer: None)
    return Receipt(before, look(places, wish.phrases, tell), tuple(fact for of in facts.values() for fact in of))


@contextmanager
def _alone(desk: Desk) -> Iterator[None]:
    with ExitStack() as held:
        for level in desk.levels:
            held.enter_context(carry.held(level, desk))
        yield


def _locked(before: Sightings, clock: Clock, own: Own | None, held: ExitStack) -> dict[Path, LogWriter]:
    """The lock of every log that holds the words, but that of `own`."""
    logs: dict[Path, LogWriter] = {}
    for one in before.of("log"):
        path = one.holding.path
        if own is None or path != own.path:
            try:
                logs[path] = LogWriter.open(path, clock)
            except SessionBusy as busy:
                raise StillOpen(busy.session, busy.pid, busy.since) from busy
            held.callback(logs[path].close)
    return logs


def _nobody_else(places: Places, before: Sightings, ours: set[Path]) -> None:
    """What another session shows its model, or has just kept of files, is not taken from under it."""
    doomed = {one.holding.path.name for one in before.of("blob")}
    refs = {ref.rpartition("/")[2] for ref in before.refs}
    for path in sorted(places.sessions.glob("*.jsonl")) if doomed or refs else ():
        who = holder(path)
        if who is None or path in ours:
            continue
        if path.stem in refs or doomed & _shown(path, places):
            raise StillOpen(path.stem, *who)


def _shown(path: Path, places: Places) -> set[str]:
    """The prompt parts that a session's last request named."""
    epoch = None
    for raw in raw_lines(path):
        if b'"call"' in raw:
            for value in lines.parse(raw)[0]:
                epoch = value.get("epoch") if value.get("type") == "call" else epoch
    if not isinstance(epoch, str):
        return set()
    try:
        return {one.sha256 for one in parts.named(places.blobs, epoch)}
    except parts.PartLost:
        return set()


def _announce(wish: Wanted, before: Sightings, desk: Desk) -> dict[Level, list[str]]:
    """Say what goes before it does, in ids: a reader then knows what is gone on purpose. Gives the facts that go."""
    facts: dict[Level, list[str]] = {level: [] for level, _ in _levels(desk)}
    if not before.found:
        return facts
    forgotten.append(
        desk.places.shared,
        {
            "at": desk.clock.stamp(),
            "id": "g" + desk.clock.new_id(),
            "hmac": wish.mark,
            "places": before.count,
            "sessions": {one.holding.path.stem: list(one.entries) for one in before.of("log")},
            "blobs": [one.holding.path.name for one in before.of("blob")],
            "objects": before.objects,
        },
    )
    durable = {one.holding.path for one in before.of("memory", "ledger", "page")}
    for level, at in _levels(desk):
        if any(path.is_relative_to(level.folder) for path in durable):
            facts[level] = erasure.announce(level, at, Tombs(wish.phrases, exact=False), wish.mark)
    return facts


def _levels(desk: Desk) -> list[tuple[Level, Desk]]:
    """The person's level, the project's, and the project's in other work trees, each with its desk."""
    others = (Desk(replace(desk.places, root=root), desk.clock) for root in desk.places.others)
    return [*((level, desk) for level in desk.levels), *((one.level("project"), one) for one in others)]


def _clean(one: Sighting, wish: Wanted, logs: dict[Path, LogWriter], own: Own | None) -> None:
    path, tombs = one.holding.path, tombs_of(one.holding, wish.phrases)
    match one.holding.kind:
        case "log" if own is not None and path == own.path:
            own.rewrite(lambda writer: _clean_log(writer, tombs))
        case "log":
            _clean_log(logs[path], tombs)
        case "blob" | "left" | "derived" | "index":
            path.unlink(missing_ok=True)
        case "lines" | "ledger":
            _replace(path, b"".join(tombs.json(raw).data for raw in raw_lines(path)))
        case _:
            _replace(path, mend(one.holding, regular.read(path, MOST), tombs).data)
            if path.parent.name == "waiting" and path.parent.parent.name == "queue":
                _withdraw(path)


def _withdraw(path: Path) -> None:
    """A claim that waited with these words says nothing any more that could be approved."""
    item = json.loads(regular.read(path, MOST))
    folder.make_private(path.parent.with_name("rejected"))
    told = json.dumps({**item, "why": "forgotten"}, ensure_ascii=False, indent=1).encode() + b"\n"
    folder.write_private(path.parent.with_name("rejected") / path.name, told)
    path.unlink()


def _clean_log(writer: LogWriter, tombs: Tombs) -> None:
    """The log again, byte for byte as long, with its times, so that lists keep their order."""
    path, before = writer.path, writer.path.stat()
    staged = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with open(
            staged, "wb", opener=lambda name, flags: os.open(name, flags | os.O_EXCL | os.O_CLOEXEC, 0o600)
        ) as file:
            file.writelines(tombs.json(raw).data for raw in raw_lines(path))
            file.flush()
            os.fsync(file.fileno())
        os.utime(staged, ns=(before.st_atime_ns, before.st_mtime_ns))
        writer.go_on_in(staged)
    finally:
        staged.unlink(missing_ok=True)


def _replace(path: Path, data: bytes) -> None:
    folder.write_private(path, data, os.stat(path).st_mode & 0o7777)
    folder.sync_file(path)


def _make_anew(places: Places, before: Sightings) -> None:
    """What is derived goes: it is made again from what stands now. Lists of the person's files go where they name an
    object that does."""
    if not before.found:
        return
    gone = [bytes.fromhex(name) for name in before.objects]
    for one in holdings(places):
        data = regular.read(one.path, MOST) if one.kind == "index" and gone else b""
        if one.kind == "derived" or any(name in data for name in gone):
            one.path.unlink(missing_ok=True)


def _clean_git(path: Path, tombs: Tombs) -> None:
    scrub = Scrub(path, tombs, whole=drops_whole(path))
    try:
        scrub.clean(scrub.scan())
    finally:
        scrub.close()
