"""Carry: what the gate admitted becomes MEMORY.md, ledger, seals and a commit of the history: whole, or not at all.

    intent on disk -> ledger -> MEMORY.md -> seals -> commit -> intent gone

A kill leaves an earlier state, or an intent that whoever takes the lock next finishes before anything is decided; so
does a disk that filled up after the words were written. The history holds what the gate knows of: what someone else put
into MEMORY.md meanwhile is left for `adoption` to find. Where a file holds a secret the history holds its mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agentmem.domain.claim import Admitted
from agentmem.domain.desk import Desk, Level
from agentmem.memory.stores import admissions, episodic, folder, intent, ledger, lock, seal, semantic, versions
from agentmem.memory.stores.admissions import Admissions, Held
from agentmem.memory.stores.semantic import Staged
from agentmem.memory.stores.versions import Unusable, Versions
from agentmem.memory.write import marking, redact
from agentmem.objects import Damaged

MEMORY, LEDGER = "MEMORY.md", "memory/ledger.jsonl"
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Carried:
    """What was written: the lines of MEMORY.md that went and came, and why the history does not hold it ("": it
    does)."""

    diff: str
    unkept: str = ""


@contextmanager
def held(level: Level, desk: Desk, seconds: float = 10.0) -> Iterator[None]:
    """Hold a level's memory lock, with all that was begun before finished. Raises `MemoryBusy`, `OSError`."""
    if level.scope == "project":
        folder.make_agent_folder(desk.places.shared)
    with lock.held(desk.lock(level.scope), seconds):
        _finish(level, desk)
        yield


def carry(admitted: Sequence[Admitted], level: Level, desk: Desk, stands: bytes | None = None) -> Carried:
    """Write what belongs together; the lock is held. With `stands` MEMORY.md says it already, in these bytes, and is
    left as it is. Raises `OSError`: then nothing was written."""
    if stands is None:
        return _write(admitted, level, desk, semantic.stage(semantic.real(level.memory), admitted))
    _declare(admitted, level, desk, None)
    return Carried("", _done(level, desk, _keep(admitted, level, desk, stands)))


def bring_back(version: bytes, admitted: Sequence[Admitted], level: Level, desk: Desk) -> Carried:
    """Let MEMORY.md hold the bytes of an earlier version; `admitted` says what that changes. The lock is held. Raises
    `OSError`: then nothing was written."""
    return _write(admitted, level, desk, semantic.stage_whole(semantic.real(level.memory), version), whole=True)


def _write(admitted: Sequence[Admitted], level: Level, desk: Desk, staged: Staged, whole: bool = False) -> Carried:
    _declare(admitted, level, desk, staged, whole)
    staged = _land(staged, admitted, level, whole)
    known = None if whole else staged.before or b""
    unkept = _keep(admitted, level, desk, staged.after, known)
    return Carried(difference(staged, level, desk), _done(level, desk, unkept, whole))


def difference(staged: Staged, level: Level, desk: Desk) -> str:
    """The lines of MEMORY.md that go and come, with marks where secrets stand."""
    before, after = (
        marking.marked(data, level.scope, desk.places).data for data in (staged.before or b"", staged.after)
    )
    return replace(staged, before=before, after=after).diff()


def _declare(
    admitted: Sequence[Admitted], level: Level, desk: Desk, staged: Staged | None, whole: bool = False
) -> None:
    path = _intent(level, desk)
    body = {"at": desk.clock.stamp(), "admitted": [asdict(one) for one in admitted], "file": staged is not None}
    try:
        intent.declare(path, body | {"whole": whole}, seal.key(desk.places.home))
        ledger.append(level.ledger, admitted)
    except OSError:
        if staged is not None:
            staged.discard()
        intent.done(path)
        raise


def _done(level: Level, desk: Desk, unkept: str, whole: bool = False) -> str:
    """What is not in the history yet stays declared, so that whoever comes next tries again; but for a restored file,
    of which could not be told later what the person edited since."""
    if whole or not unkept:
        intent.done(_intent(level, desk))
    return unkept


def history(level: Level, desk: Desk) -> Versions:
    """The history of a level's files."""
    return versions.of_level(level.scope, desk.places)


def admitted_here(level: Level, desk: Desk) -> Admissions:
    """What this machine's gate let in at a level."""
    return Admissions(_private(level, desk) / admissions.NAME, desk.places.home)


def mend_seals(level: Level, desk: Desk) -> None:
    """Take the seals from the history where their file was lost: the file only tells them faster. Raises `OSError`,
    `Damaged`."""
    here, own = admitted_here(level, desk), history(level, desk)
    if here.path.exists() or not own.exists:
        return
    with own:
        heads = [head for head in own.branches().values() if own.readable(head)]
        here.restore(seal for head in heads for commit in own.log(head) for seal in commit.all("Seal"))


def note(level: Level, desk: Desk, memory: bytes, what: Sequence[tuple[str, str]]) -> str:
    """Let the history know MEMORY.md as it is now, without a belief that changed; `what` says why, as trailers. Gives
    why it could not, "" otherwise. The lock is held."""
    return _commit(level, desk, memory, (" ".join(value for _, value in what[:1]) or "NOTE", what))


def keep_day(path: Path, episode: Held, level: Level, desk: Desk) -> str:
    """Let the history know the file of a day as it is now, for an episode in it, and seal that one; gives why it could
    not, "" otherwise. The lock is held. Raises `OSError` where it could not be sealed."""
    name, fact = f"memory/{path.name}", episode.fact
    (sealed,) = admitted_here(level, desk).add([episode._replace(fact="")])
    try:
        own, data = history(level, desk), semantic.bytes_of(path)
        data = data and _clean(data, desk)
        head = own.head()
        if head is None or own.at(head, name) != data:
            named = zip(("Session", "Entry"), episodic.source(episode.text) or (), strict=False)
            said = [("Op", "EPISODE"), ("Fact", fact), *named, ("Principal", "harness"), ("Seal", sealed)]
            own.commit({name: data}, f"EPISODE {fact}", said, desk.clock.now())
    except (Damaged, OSError, Unusable) as error:
        return _why(error)
    return ""


def _finish(level: Level, desk: Desk) -> None:
    path = _intent(level, desk)
    begun = intent.pending(path, seal.key(desk.places.home)) if path.exists() else None
    waiting = semantic.waiting_at(semantic.real(level.memory))
    if begun is None:
        waiting.unlink(missing_ok=True)
        return
    admitted = [Admitted(**one) for one in begun["admitted"]]
    ledger.append(level.ledger, admitted)
    memory = before = None
    if begun["file"]:
        memory = before = semantic.bytes_of(semantic.real(level.memory)) or b""
        if waiting.exists():  # else it took MEMORY.md's place already
            whole = semantic.bytes_of(waiting) if begun.get("whole") else None
            staged = _land(_staged_again(whole, admitted, level), admitted, level, whole is not None)
            before, memory = staged.before or b"", staged.after
        before = None if begun.get("whole") else before
    _done(level, desk, _keep(admitted, level, desk, memory, before), begun.get("whole") is True)


def _staged_again(whole: bytes | None, admitted: Sequence[Admitted], level: Level) -> Staged:
    path = semantic.real(level.memory)
    return semantic.stage(path, admitted) if whole is None else semantic.stage_whole(path, whole)


def _land(staged: Staged, admitted: Sequence[Admitted], level: Level, whole: bool) -> Staged:
    """Put the staged file in place, and give the one that was. Raises `OSError`."""
    for _ in range(_TRIES):
        if staged.commit():
            return staged
        # Edited meanwhile: start from what stands there now.
        staged = _staged_again(staged.after if whole else None, admitted, level)
    raise OSError(f"{level.memory} keeps changing")


def _keep(
    admitted: Sequence[Admitted], level: Level, desk: Desk, memory: bytes | None, before: bytes | None = None
) -> str:
    """The seals and the commit of what was written; gives why there is no commit. `memory` is what MEMORY.md holds now
    (None: that is for `adoption` to say), `before` what it held before the change that the gate made in it."""
    believed = [_held(one.record) for one in admitted if one.op in ("ADD", "UPDATE")]
    try:
        seals = iter(admitted_here(level, desk).add(believed))
        if memory is not None and before is not None:
            memory = _known(admitted, level, desk, memory, before)
    except (Damaged, OSError, Unusable) as error:
        return _why(error)
    if not admitted:  # blanks and headings came back, and no belief changed
        return note(level, desk, memory or b"", [("Op", "RESTORE")])
    trailers = [pair for one in admitted for pair in _trailers(one, seals)]
    return _commit(level, desk, memory, (", ".join(f"{one.op} {one.fact}" for one in admitted), trailers))


def _known(admitted: Sequence[Admitted], level: Level, desk: Desk, memory: bytes, before: bytes) -> bytes:
    """MEMORY.md as the gate knows it: without an edit that nobody has looked at yet. What stood there before anything
    was committed is kept as it was found."""
    own = history(level, desk)
    known = own.last(MEMORY)
    if before and own.head() is None:
        note(level, desk, before, [("Op", "FOUND")])
    if known is None or known == marking.marked(before, level.scope, desk.places).data:
        return memory
    return semantic.changed(known, admitted)


def _trailers(one: Admitted, seals: Iterator[str]) -> Iterator[tuple[str, str]]:
    """What a commit says of one change; `Op` begins each."""
    record = one.record
    origin = record.get("origin")
    origin = origin if isinstance(origin, Mapping) else {}
    yield "Op", one.op
    yield "Fact", one.fact
    yield "Ledger", str(record.get("id", ""))
    said = (("Session", origin.get("session")), ("Entry", origin.get("entry")), ("Principal", record.get("principal")))
    for key, value in (*said, ("Approved-By", record.get("approved_by")), ("Replaces", one.replaces)):
        if isinstance(value, str) and value:
            yield key, value
    if one.op in ("ADD", "UPDATE"):
        yield "Seal", next(seals)


def _commit(level: Level, desk: Desk, memory: bytes | None, said: tuple[str, Sequence[tuple[str, str]]]) -> str:
    files = {LEDGER: semantic.bytes_of(level.ledger)}
    if memory is not None:
        files[MEMORY] = marking.marked(memory, level.scope, desk.places).data
    try:
        history(level, desk).commit(files, said[0], said[1], desk.clock.now())
    except (Damaged, OSError, Unusable) as error:
        return _why(error)
    return ""


def _clean(data: bytes, desk: Desk) -> bytes:
    """The bytes of a day file with marks for what it says in secret."""
    text = data.decode("utf-8", "surrogateescape")
    clean = redact.without_secrets(text, desk.places.home)
    return data if clean is text else clean.encode("utf-8", "surrogateescape")


def _why(error: Exception) -> str:
    return f"the history could not be written: {getattr(error, 'strerror', None) or error}"


def _held(record: Mapping[str, Any]) -> Held:
    named = (record.get(key) for key in ("fact", "text", "principal", "approved_by"))
    return Held(*(one if isinstance(one, str) else "" for one in named))


def _private(level: Level, desk: Desk) -> Path:
    return desk.places.home if level.scope == "user" else desk.places.shared


def _intent(level: Level, desk: Desk) -> Path:
    return _private(level, desk) / "intent" / f"{history(level, desk).branch}.json"
