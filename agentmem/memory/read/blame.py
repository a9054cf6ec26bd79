"""Blame: why a line of MEMORY.md is believed: who said it, where, in which words, who approved it, in which commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agentmem.domain.belief import Belief, fold
from agentmem.domain.desk import Desk, Level
from agentmem.memory.read import marked
from agentmem.memory.read.beliefs import Word, stated_by, words
from agentmem.memory.stores import ledger, semantic, versions
from agentmem.memory.stores.bullets import Bullet, identified, parse
from agentmem.memory.stores.commit import Commit
from agentmem.memory.stores.versions import Unusable, Versions
from agentmem.objects import Damaged

_SPEAKERS: Mapping[str, str] = {
    "user": "the person",
    "curator": "a curator",
    "agent": "the agent",
    "tool": "a tool",
    "project": "the project",
    "import": "an imported log",
    "dream": "a dream",
}
_CAME = ", as the ledger that came along says"
_WORDS: Mapping[Word, str] = {
    "person": "believed, on the person's word",
    "project": "the project's word: this machine did not let it in",
    "waiting": "not believed: it waits for the person's approval",
}


class NothingThere(Exception):
    """What was asked about states no belief; the message says what is there."""


@dataclass(frozen=True, slots=True)
class Blame:
    """Why a line is believed. `entry` is an entry of the log of `session`, `log` that log's path where it is here;
    `why` are the approver's words, `replaced` what stood there before: its words, its id, and when that ended.
    `commit` is where the history first has the line, `op` what that commit did. `closed` says when it ended and why,
    where it is not believed any more though the line stands there. `refused`: the line holds a secret, and `text` a
    mark."""

    path: str
    line: int
    text: str
    fact: str
    word: Word
    principal: str
    speaker: str
    session: str | None = None
    entry: str | None = None
    quote: str | None = None
    log: str | None = None
    approved_by: str | None = None
    why: str | None = None
    replaced: str | None = None
    at: str | None = None
    reason: str = ""
    op: str | None = None
    commit: str | None = None
    closed: str | None = None
    records: tuple[Mapping[str, Any], ...] = field(default=())
    refused: bool = False

    def to_json(self) -> dict[str, Any]:
        """The same as an object."""
        return asdict(self) | {"records": [dict(one) for one in self.records]}

    def lines(self) -> Iterator[str]:
        """The same for a person, each in one line: a ledger that came along must not tell more than it is asked."""
        yield from map(_one_line, self._rows())

    def _rows(self) -> Iterator[str]:
        yield f"{self.path}:{self.line}  {self.text}  ^{self.fact}"
        if self.refused:
            yield f"  not believed: {self.reason}"
            return
        yield f"  {_WORDS[self.word] if self.closed is None else f'not believed any more: closed {self.closed}'}"
        yield f"  said by     {self.speaker}" + (f", {self.at}" if self.at else "")
        if self.session:
            yield f"  session     {self.session}" + (f", entry {self.entry}" if self.entry else "")
        if self.quote:
            yield f"  quote       {self.quote}"
        if self.log:
            yield f"  its log     {self.log}"
        if self.approved_by:
            why = f": {self.why}" if self.why else ""
            says = _CAME if self.word == "project" else ""
            yield f"  approved by {_SPEAKERS.get(self.approved_by, self.approved_by)}{why}{says}"
        if self.replaced:
            yield f"  in place of {self.replaced}"
        if self.reason:
            yield f"  reason      {self.reason}"
        if self.commit:
            yield f"  commit      {self.commit[:12]}  {self.op or ''}".rstrip()
        if len(self.records) > 1:
            changes = (f"{one.get('op')} {str(one.get('at', ''))[:10]}" for one in self.records)
            yield f"  changes     {', '.join(changes)}"


def blame(level: Level, at: int | str, desk: Desk, own: Versions, trusted: bool) -> Blame:
    """Why the belief on a line (from 1), or of that id, is held. Raises `NothingThere`, `OSError`."""
    held_there = marked.memory(level, desk.places)
    fact, bullet = _stated(held_there.text(), at, level.shown)
    if fact in held_there.withheld():
        return _secret(fact, bullet, level)
    records = [one for one in ledger.records(level.ledger) if isinstance(one.get("id"), str)]
    told = fold(records)
    belief = stated_by(fact, bullet, told)
    about = [one for one in records if belief.fact in (one.get("fact"), one.get("supersedes"))]
    held: Mapping[str, Any] = next(
        (one for one in reversed(about) if one.get("fact") == belief.fact and one.get("text")), {}
    )
    commit = _commit(own, str(held.get("id", "")), bullet)
    word = words(desk.places, level, trusted=trusted or level.scope == "user")(belief)
    session = _text(belief.origin, "session")
    return Blame(
        path=level.shown,
        line=bullet.at,
        text=bullet.text,
        fact=belief.fact,
        word=word,
        principal=belief.principal if held or word == "person" else "project",
        speaker=_speaker(belief, word, bool(held)),
        session=session,
        entry=_text(belief.origin, "entry"),
        quote=marked.values(_text(belief.origin, "quote"), desk.places.home),
        log=_log(desk.places.sessions, session),
        approved_by=belief.approved_by,
        why=marked.values(_text(held, "why"), desk.places.home),
        replaced=marked.values(_replaced(belief, told, about), desk.places.home),
        at=belief.at or None,
        reason=belief.reason if held else "no ledger says why",
        op=None if commit is None else _op(commit, belief.fact),
        commit=None if commit is None else commit.id,
        closed=None if belief.open else f"{belief.valid_to or belief.closed_at[:10]}, {belief.closed_by}",
        records=marked.values(about, desk.places.home),
    )


def _secret(fact: str, bullet: Bullet, level: Level) -> Blame:
    """A line that holds a secret: nothing is known of it but that it stands there."""
    why = "it holds a secret: no model is shown it and it is not remembered"
    who = _SPEAKERS["user"]
    return Blame(level.shown, bullet.at, bullet.text, fact, "waiting", "user", who, reason=why, refused=True)


def _stated(text: str, at: int | str, path: str) -> tuple[str, Bullet]:
    found = list(identified(parse(text)))
    for fact, bullet in found:
        if fact == at or (isinstance(at, int) and bullet.at <= at <= bullet.end):
            return fact, bullet
    if isinstance(at, str):
        raise NothingThere(f"no line of {path} states {at}")
    rows = text.removesuffix("\n").split("\n")
    if not 1 <= at <= len(rows):
        raise NothingThere(f"{path} has {len(rows)} lines")
    raise NothingThere(f"line {at} of {path} states no belief: {rows[at - 1].strip() or '(empty)'}")


def _commit(own: Versions, record: str, bullet: Bullet) -> Commit | None:
    """The commit that wrote the line: the one that names its line of the ledger, in this work tree or, where it came
    with a merge or the folder was moved, in another; else the first that has the text here."""
    first: Commit | None = None
    seen: dict[str | None, bool] = {}
    try:
        with own:
            for commit in own.log():
                if record and record in commit.all("Ledger"):
                    return commit
                blob = own.blob(commit.id, "MEMORY.md")
                if blob not in seen:
                    data = own.read(blob) if blob is not None else b""
                    seen[blob] = bullet.text in {one.text for one in parse(semantic.text_of(data))}
                if seen[blob]:
                    first = commit
            return (_elsewhere(own, record) if record else None) or first
    except (Damaged, OSError, Unusable):
        return first


def _elsewhere(own: Versions, record: str) -> Commit | None:
    """The commit of another work tree that names a line of the ledger."""
    for head in own.branches().values():
        with suppress(Damaged, OSError):
            for commit in own.log(head):
                if record in commit.all("Ledger"):
                    return commit
    return None


def _replaced(belief: Belief, told: Mapping[str, Belief], about: Sequence[Mapping[str, Any]]) -> str | None:
    """What the line said before: the fact that was closed for it, else what the fact itself said."""
    old = told.get(belief.supersedes or "")
    if old is not None and not old.forgotten:
        return f"{old.text} ({old.fact}), closed {old.valid_to or old.closed_at[:10]}"
    said = [one for one in about if one.get("fact") == belief.fact and _text(one, "text")]
    before = next((one for one in reversed(said) if one["text"] != belief.text), None)
    if before is None:
        return None
    return f"{before['text']} ({belief.fact}), until {belief.valid_from}"


def closed(fact: str, level: Level, home: Path) -> str | None:
    """What became of a fact that no line states any more; None where the ledger does not know it. Raises `OSError`."""
    belief = fold(ledger.records(level.ledger)).get(fact)
    if belief is None or belief.believed:
        return None
    if belief.forgotten:
        return f"{fact} was forgotten on {belief.closed_at[:10]}"
    if belief.open:
        return None
    why = f"closed {belief.valid_to or belief.closed_at[:10]}, {belief.closed_by}"
    return _one_line(f"{fact} is not believed any more: {why}; it said: {marked.shown(belief.text, home)}")


def _one_line(text: str) -> str:
    return " ".join(text.rstrip().splitlines())


def _speaker(belief: Belief, word: Word, known: bool) -> str:
    if word == "project":
        who = _SPEAKERS.get(belief.principal, belief.principal)
        return f"{who}{_CAME}" if known else "nobody that this machine knows of"
    if not known and word != "person":
        return "nobody that this machine knows of"
    spoken = belief.origin.get("spoken_by")
    by = _SPEAKERS.get(belief.principal, belief.principal)
    if belief.reason == "edited by hand":
        return f"{by}, in an editor"
    return f"{by} (words of a {spoken})" if spoken in ("tool", "file", "stdin") and belief.principal != "tool" else by


def _log(sessions: Path, session: str | None) -> str | None:
    path = sessions / f"{session}.jsonl"
    return str(path) if session and path.is_file() else None


def _text(origin: Mapping[str, Any], key: str) -> str | None:
    value = origin.get(key)
    return value if isinstance(value, str) and value else None


def history_of(level: Level, desk: Desk, env: Mapping[str, str]) -> Versions:
    """The history of a level's files, to be read."""
    return versions.of_level(level.scope, desk.places, env)


def _op(commit: Commit, fact: str) -> str | None:
    return next((op for op, of in changed_facts(commit) if of == fact), commit.one("Op"))


def changed_facts(commit: Commit) -> Sequence[tuple[str, str]]:
    """What a commit did to which fact."""
    return list(zip(commit.all("Op"), commit.all("Fact"), strict=False))
