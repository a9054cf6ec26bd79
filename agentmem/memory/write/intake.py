"""Intake: another tool's log comes in as a session, whole or not at all; the file itself is never touched.

    {"type":"session","id":"2026-02-12T16-02-25-0f3c9a51be","version":1,"at":"…","cwd":"/their/w","parent_session":null,
     "agentmem":"0.1.0","source":{"tool":"claude-code","version":"2.1.39","session":"4d56…","file":"/…jsonl","sha256":"…"}}

The id holds the time of the first record and ten hex digits of the content's hash, so that a second import finds the
first. Sub-sessions in the same file get their own, and are put in place before it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from agentmem.domain.entry import Header
from agentmem.domain.imported import Intake
from agentmem.domain.places import Places
from agentmem.memory.stores import folder, lines, seal, sheet
from agentmem.memory.stores.log import LogWriteError, cause
from agentmem.memory.stores.sheet import NoSheet
from agentmem.memory.stores.staged import Spool, Staged
from agentmem.memory.write.foreign import formats
from agentmem.memory.write.foreign.draft import About, Draft, Passed, Record, Skip
from agentmem.memory.write.foreign.formats import Format
from agentmem.memory.write.redact import Redactor
from agentmem.memory.write.strand import Strand
from agentmem.memory.write.weave import Source, Tally, weave

_SUFFIX = ".jsonl"
_OWN = "a log of agentmem itself: copied into .agent/sessions/ it is a session as it is"
_UNKNOWN = 1000  # lines that are looked at to tell whose log it is
_NO_TIME = "1970-01-01T00-00-00"


def take_in(path: Path, places: Places, version: str, form: str | None, now: float) -> Intake:
    """Import a file under agentmem `version`; `form` names its format, None finds it out; `now` is in seconds.

    Raises `LogWriteError`: then nothing of the file came in.
    """
    told = os.path.abspath(path)
    try:
        digest, size = sheet.fingerprint(path)
        format_ = formats.named(form) if form else _format_of(path, size)
        if formats.is_own(next(_first(path, size), {})):
            return Intake(told, "refused", _OWN)
        if format_ is None:
            return Intake(told, "refused", "no log of Claude Code, pi or Codex")
        known = _known(places.sessions, digest)
        if known is not None:
            return Intake(told, "known", tool=format_.name, session=known)
        try:
            folder.make_agent_folder(places.shared)
            folder.make_private(places.sessions)
            with ExitStack() as open_:
                return _Import(path, digest, size, format_, open_).run(places, version, now)
        except OSError as error:
            raise LogWriteError(places.sessions, cause(error)) from error
    except NoSheet as error:
        return Intake(told, "refused", str(error))


def identity(path: Path) -> str | None:
    """The id of the session that this file is or would be imported as; None where it is no log that can be read."""
    try:
        digest, size = sheet.fingerprint(path)
        if (format_ := _format_of(path, size)) is None:
            return None
        found = (one.at for one in format_.read(_records(path, size)) if isinstance(one, (About, Draft)) and one.at)
        return _name(next(found, ""), digest)
    except NoSheet:
        return None


class _Import:
    """One file on its way in."""

    def __init__(self, path: Path, digest: str, size: int, form: Format, open_: ExitStack) -> None:
        self.path, self.digest, self.size, self.form, self.open = path, digest, size, form, open_
        self.about = About()
        self.lines = self.count = 0
        self.at = ""
        self.read: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()
        self.told: list[Skip] = []
        self.strands: dict[str, Strand] = {}

    def run(self, places: Places, version: str, now: float) -> Intake:
        spool = Spool(places.sessions)
        self.open.callback(spool.close)
        for found in self.form.read(self.records()):
            match found:
                case About():
                    self.about = found if self.about == About() else self.about
                    self.at = self.at or found.at
                case Skip():
                    self.told.append(found)
                case Passed():
                    self.passed[found.kind] += 1
                case Draft():
                    self.at = self.at or found.at
                    self.strand(found.strand, spool).take(found)
        talking = [name for name, strand in self.strands.items() if _talks(strand)]
        if not talking:
            return self.report("refused", reason="there is no conversation in it")
        # A file of a sub-agent alone is that sub-session.
        return self.write("" if "" in talking else talking[0], places, version, now, spool)

    def strand(self, name: str, spool: Spool) -> Strand:
        if name not in self.strands:
            self.strands[name] = Strand(spool, self.told.append)
        return self.strands[name]

    def records(self) -> Iterator[Record]:
        for number, values, fault in sheet.rows(self.path, self.size):
            self.lines = number
            if fault is not None:
                self.told.append(Skip(number, fault, kept=bool(values)))
            for value in values:
                self.count += 1
                if role := _role(value):
                    self.read[role] += 1
                yield number, value

    def write(self, main: str, places: Places, version: str, now: float, spool: Spool) -> Intake:
        own = _name(self.at, self.digest)
        names = [name for name, strand in self.strands.items() if strand.nodes]
        ids = {name: own if name == main else _name(self.at, _hash(self.digest, name)) for name in names}
        tallies = []
        # The session itself comes last: it stands for all of them having come in.
        for name in sorted(names, key=lambda one: one == main):
            parent = self.parent() if name == main else own
            header = Header(ids[name], self.at, lines.sound(self.about.cwd), version, parent)
            tallies.append(self.weave(name, header, places, now, spool))
        messages: Counter[str] = sum((one.messages for one in tallies), Counter())
        return self.report(
            "imported",
            session=own,
            sub_sessions=tuple(one for one in ids.values() if one != own),
            messages=dict(messages),
            calls=sum(one.calls for one in tallies),
            results=messages["tool"],
            stand_ins=sum(one.stand_ins for one in tallies),
            compactions=sum(one.compactions for one in tallies),
            meta=sum(one.meta for one in tallies),
        )

    def weave(self, name: str, header: Header, places: Places, now: float, spool: Spool) -> Tally:
        strand = self.strands[name]
        strand.settle()
        staged = Staged(places.sessions / f"{header.id}{_SUFFIX}")
        self.open.callback(staged.drop)
        file = lines.sound(os.path.abspath(self.path))
        about = lines.sound({"version": self.about.version, "session": self.about.session})
        source = {"tool": self.form.name, **about, "file": file, "sha256": self.digest}
        staged.put({**header.to_json(), "source": source})
        told = Source(self.form.name, about["version"], file, self.at, f"{self.digest}:{name}")
        redactor = Redactor(cache(lambda: seal.key(places.home)))

        def put(record: dict[str, Any]) -> int:
            return staged.put(redactor.record(record))

        tally = weave(strand, spool, told, put, self.told.append)
        staged.publish(min(_seconds(tally.last) or now, now))
        return tally

    def parent(self) -> str | None:
        """The session that this one is a sub-session of: our id of it where its file is near, else the source's."""
        if self.about.parent is None:
            return None
        near = self.path.parent.parent.with_suffix(_SUFFIX)
        found = identity(near) if self.path.parent.name == "subagents" else None
        return found or lines.sound(self.about.parent)

    def report(self, state: str, **more: Any) -> Intake:
        told = sorted(self.told, key=lambda one: one.line)
        done = Intake(
            os.path.abspath(self.path),
            state,
            tool=self.form.name,
            version=self.about.version,
            lines=self.lines,
            records=self.count,
            read=dict(self.read),
            passed=dict(self.passed),
            skipped=tuple((one.line, one.reason) for one in told if not one.kept),
            mended=tuple((one.line, one.reason) for one in told if one.kept),
        )
        return replace(done, **more)


def _records(path: Path, size: int) -> Iterator[Record]:
    return ((number, value) for number, values, _ in sheet.rows(path, size) for value in values)


def _first(path: Path, size: int) -> Iterator[dict[str, Any]]:
    from itertools import islice

    return (value for _, value in islice(_records(path, size), _UNKNOWN))


def _format_of(path: Path, size: int) -> Format | None:
    return formats.told(_first(path, size))


def _known(sessions: Path, digest: str) -> str | None:
    """The session that a file of this content was imported as."""
    ending = f"-{digest[:10]}{_SUFFIX}"
    if not sessions.is_dir():
        return None
    with os.scandir(sessions) as found:
        return next((one.name.removesuffix(_SUFFIX) for one in found if one.name.endswith(ending)), None)


def _name(at: str, digest: str) -> str:
    return f"{at[:19].replace(':', '-') or _NO_TIME}-{digest[:10]}"


def _hash(*parts: str) -> str:
    from hashlib import sha256

    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _seconds(at: str) -> float | None:
    try:
        return datetime.fromisoformat(at).timestamp()
    except (ValueError, OverflowError):
        return None


def _talks(strand: Strand) -> bool:
    return any(node.kind in ("message", "compaction") for node in strand.nodes)


def _role(value: dict[str, Any]) -> str | None:
    """The role of a record that is a message, in whichever of the formats."""
    item = value.get("payload") if value.get("type") == "response_item" else value
    if not isinstance(item, dict):
        return None
    message = item.get("message") if isinstance(item.get("message"), dict) else item
    role = message.get("role") if isinstance(message, dict) else None
    return role if isinstance(role, str) and value.get("type") != "progress" else None
