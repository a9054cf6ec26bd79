"""The index, `.agent/index.sqlite`: the stems of what was said, for a search.

Derived from files alone: delete it, and the next search makes it again.

    source   a file: path, kind, size, mtime and inode when it was read, and how far (`done`, bytes)
    turn     one record of a file: id = source << 24 | place in the file, where its text lies, who said it
    piece    FTS5: the stems of a turn, in one row or, of a long text, in several; rowid = turn << 10 | of a long text?
             | of a tool? | of a call? | number
    scene    FTS5: the stems of 32 turns in a row; rowid = source << 24 | number
    word     how many pieces hold a stem
    used     memories that were recalled, and when

A person's words stand in the column `own` of a piece, an agent's and a tool's in `other`, a file's (episodes,
knowledge) in `kept`; counts go by `room`: "said" for sessions, "kept" for files.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

NAME = "index.sqlite"
Room = Literal["said", "kept"]
Column = Literal["own", "other", "kept"]

VERSION = 1
SCENE = 32  # turns
TURN_BITS, _PIECES = 24, 10
MOST_PIECES = 1 << 7
_LONG, _TOOL, _CALL, _NUMBER = 1 << 9, 1 << 8, 1 << 7, MOST_PIECES - 1
MOST_TURNS = 1 << TURN_BITS
# A bare bm25() counts what an agent wrote like what a person said: four pages of answer would crowd out the question.
_WEIGHTS = "1.0, 0.35, 1.0"
_BATCH = 500  # values of one statement

_SCHEMA = """
CREATE TABLE source(id INTEGER PRIMARY KEY, path TEXT UNIQUE, kind TEXT, size INT, mtime INT, inode INT, done INT,
                    turns INT, mark BLOB);
CREATE TABLE turn(id INTEGER PRIMARY KEY, ref TEXT, at TEXT, place INT, size INT, who INT, asks REAL, terms INT,
                  flags INT, states TEXT);
CREATE VIRTUAL TABLE piece USING fts5(own, other, kept, detail='column', tokenize="ascii tokenchars '+#.:'");
CREATE VIRTUAL TABLE scene USING fts5(terms, detail='none', tokenize="ascii tokenchars '+#.:'");
CREATE TABLE word(term TEXT, room TEXT, n INT, PRIMARY KEY(term, room)) WITHOUT ROWID;
CREATE TABLE total(room TEXT PRIMARY KEY, pieces INT, terms INT);
CREATE TABLE used(source INT, ref TEXT, at TEXT);
CREATE INDEX used_ref ON used(ref);
INSERT INTO total VALUES ('said', 0, 0), ('kept', 0, 0);
"""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that was read up to byte `done`, `turns` records of it; `mark` are the bytes before `done`, at most 64."""

    id: int
    path: str
    kind: str
    size: int
    mtime: int
    inode: int
    done: int
    turns: int
    mark: bytes


@dataclass(frozen=True, slots=True)
class Turn:
    """One record: bytes `place` to `place + size` of its file. `who` 0 is a person, 1 an agent, 2 a tool, 3 a file;
    `asks` is the share of questions in it; `flags` 1 names a time, 2 is long; `states` are the changes it
    states, a line each."""

    id: int
    ref: str
    at: str
    place: int
    size: int
    who: int
    asks: float
    terms: int
    flags: int
    states: str

    @property
    def source(self) -> int:
        """The file's id."""
        return self.id >> TURN_BITS


@dataclass(frozen=True, slots=True)
class Piece:
    """Stems of a turn; the piece of `number` 0 begins it, or what it `called`: what an agent handed to a tool. `long`
    where the turn has several, `tool` where a tool said it."""

    turn: int
    number: int
    column: Column
    terms: str
    long: bool = False
    tool: bool = False
    called: bool = False

    @property
    def row(self) -> int:
        """Its rowid."""
        marks = _LONG * self.long | _TOOL * self.tool | _CALL * self.called
        return self.turn << _PIECES | marks | self.number


@dataclass(frozen=True, slots=True)
class Totals:
    """How many pieces a room holds, and their stems."""

    pieces: int
    terms: int


class Index:
    """One open index. Raises `sqlite3.Error` where the file is damaged or another process holds it too long; then
    `discard` and make a new one."""

    def __init__(self, path: Path, *, wait: float = 0.2) -> None:
        """Open it, made where it is missing or of another version. `wait` (seconds) is how long a writer waits for
        another."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._inode = os.fstat(handle).st_ino
        os.close(handle)
        self.path = path
        self._counted: dict[Room, Counter[str]] = {}
        self._db = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=OFF")  # what a power cut takes is read again
        self._db.execute("PRAGMA cache_size=-16000")
        if self._version() == VERSION:
            return
        with self.writing():
            if self._version() == VERSION:  # another process was faster
                return
            for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall():
                if not name.startswith(("piece_", "scene_", "sqlite_")):
                    self._db.execute(f'DROP TABLE "{name}"')
            for statement in _SCHEMA.split(";\n"):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version={VERSION}")

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    @property
    def stands(self) -> bool:
        """Whether its file is still the one that was opened."""
        try:
            return os.stat(self.path).st_ino == self._inode
        except OSError:
            return False

    def close(self) -> None:
        """Close it. Calling it again does nothing."""
        self._db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A change, all of it or nothing; within another one a part of it. Raises `sqlite3.OperationalError` where
        another process writes."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._settle()
        except BaseException:
            self._counted.clear()
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _settle(self) -> None:
        """Write what was counted since the change began."""
        for room, found in self._counted.items():
            self._db.executemany(
                "INSERT INTO word VALUES (?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
                ((term, room, n) for term, n in sorted(found.items())),
            )
        self._counted.clear()

    # What was read

    def sources(self) -> dict[str, Source]:
        """The files it holds, by path."""
        return {row[1]: Source(*row) for row in self._db.execute("SELECT * FROM source")}

    def source(self, path: str) -> Source | None:
        """What it holds of one file."""
        row = self._db.execute("SELECT * FROM source WHERE path=?", (path,)).fetchone()
        return Source(*row) if row else None

    def begin(self, path: str, kind: str) -> Source:
        """A file of which nothing is held yet."""
        row = self._db.execute("INSERT INTO source VALUES (NULL,?,?,0,0,0,0,0,x'')", (path, kind)).lastrowid
        return Source(int(row or 0), path, kind, 0, 0, 0, 0, 0, b"")

    def remark(self, source: Source) -> None:
        """How far a file was read."""
        self._db.execute(
            "UPDATE source SET size=?, mtime=?, inode=?, done=?, turns=?, mark=? WHERE id=?",
            (source.size, source.mtime, source.inode, source.done, source.turns, source.mark, source.id),
        )

    def drop(self, source: Source) -> None:
        """Forget all that a file held."""
        first, last = source.id << TURN_BITS, (source.id + 1) << TURN_BITS
        self._unsay("rowid >= ? AND rowid < ?", (first << _PIECES, last << _PIECES))
        self._db.execute("DELETE FROM turn WHERE id >= ? AND id < ?", (first, last))
        self._db.execute("DELETE FROM scene WHERE rowid >= ? AND rowid < ?", (first, last))
        self._db.execute("DELETE FROM used WHERE source=?", (source.id,))
        self._db.execute("DELETE FROM source WHERE id=?", (source.id,))

    def _unsay(self, which: str, values: tuple[int, int]) -> None:
        gone: dict[Room, Counter[str]] = {"said": Counter(), "kept": Counter()}
        counts: dict[Room, list[int]] = {"said": [0, 0], "kept": [0, 0]}
        for own, other, kept in self._db.execute(f"SELECT own, other, kept FROM piece WHERE {which}", values):
            room: Room = "kept" if kept else "said"
            terms = (own or other or kept or "").split()
            gone[room].update(set(terms))
            counts[room][0] -= 1
            counts[room][1] -= len(terms)
        self._db.execute(f"DELETE FROM piece WHERE {which}", values)
        for room, found in gone.items():
            self._count(room, {term: -n for term, n in found.items()}, *counts[room])

    def _count(self, room: Room, words: Mapping[str, int], pieces: int, terms: int) -> None:
        counted = self._counted.setdefault(room, Counter())
        counted.update(words)
        self._db.execute("UPDATE total SET pieces=pieces+?, terms=terms+? WHERE room=?", (pieces, terms, room))

    def add(self, turns: Sequence[Turn], pieces: Sequence[Piece]) -> None:
        """Hold records and their stems."""
        self._db.executemany(
            "INSERT INTO turn VALUES (?,?,?,?,?,?,?,?,?,?)",
            (
                (one.id, one.ref, one.at, one.place, one.size, one.who, one.asks, one.terms, one.flags, one.states)
                for one in turns
            ),
        )
        words: dict[Room, Counter[str]] = {"said": Counter(), "kept": Counter()}
        counts: dict[Room, list[int]] = {"said": [0, 0], "kept": [0, 0]}
        rows: dict[Column, list[tuple[int, str]]] = {"own": [], "other": [], "kept": []}
        for piece in pieces:
            room: Room = "kept" if piece.column == "kept" else "said"
            terms = piece.terms.split(" ")
            words[room].update(set(terms))
            counts[room][0] += 1
            counts[room][1] += len(terms)
            rows[piece.column].append((piece.row, piece.terms))
        for column, held in rows.items():
            self._db.executemany(f"INSERT INTO piece(rowid, {column}) VALUES (?,?)", held)
        for which, found in words.items():
            if counts[which][0]:
                self._count(which, found, *counts[which])

    def scene(self, source: int, number: int) -> str:
        """The stems of 32 turns, "" where none are held."""
        row = self._db.execute("SELECT terms FROM scene WHERE rowid=?", (source << TURN_BITS | number,)).fetchone()
        return str(row[0]) if row else ""

    def set_scene(self, source: int, number: int, terms: str) -> None:
        """Put the stems of 32 turns in the place of what is held."""
        own = source << TURN_BITS | number
        self._db.execute("DELETE FROM scene WHERE rowid=?", (own,))
        self._db.execute("INSERT INTO scene(rowid, terms) VALUES (?,?)", (own, terms))

    def add_used(self, source: int, used: Iterable[tuple[str, str]]) -> None:
        """Memories that were recalled: id and time."""
        self._db.executemany("INSERT INTO used VALUES (?,?,?)", ((source, ref, at) for ref, at in used))

    # What is asked

    def totals(self, room: Room) -> Totals:
        """How much a room holds."""
        return Totals(*self._db.execute("SELECT pieces, terms FROM total WHERE room=?", (room,)).fetchone())

    def holders(self, room: Room, terms: Sequence[str]) -> dict[str, int]:
        """How many pieces of a room hold each stem; stems that none holds are left out."""
        marks = ",".join("?" * len(terms))
        rows = self._db.execute(
            f"SELECT term, n FROM word WHERE room=? AND term IN ({marks}) AND n > 0", (room, *terms)
        )
        return {str(term): int(n) for term, n in rows}

    def pieces(self, room: Room, terms: Sequence[str], most: int) -> list[Piece]:
        """The pieces of a room that hold any of these stems, the best by SQLite's own BM25 first."""
        columns = "{own other}" if room == "said" else "{kept}"
        query = f"{columns} : ({' OR '.join(_quoted(term) for term in terms)})"
        rows = self._db.execute(
            f"SELECT rowid, own, other, kept FROM piece WHERE piece MATCH ? ORDER BY bm25(piece, {_WEIGHTS}) LIMIT ?",
            (query, most),
        )
        return [piece_of(*row) for row in rows]

    def turns(self, ids: Iterable[int]) -> dict[int, Turn]:
        """The records of these ids that it holds."""
        wanted = sorted(set(ids))
        found: dict[int, Turn] = {}
        for at in range(0, len(wanted), _BATCH):
            some = wanted[at : at + _BATCH]
            rows = self._db.execute(f"SELECT * FROM turn WHERE id IN ({','.join('?' * len(some))})", some)
            found.update((row[0], Turn(*row)) for row in rows)
        return found

    def scenes(self, term: str) -> Counter[int]:
        """In how many scenes of each file a stem stands."""
        query = f"SELECT rowid >> {TURN_BITS} FROM scene WHERE scene MATCH ?"
        return Counter(row[0] for row in self._db.execute(query, (_quoted(term),)))

    def sessions(self) -> int:
        """How many sessions it holds."""
        return int(self._db.execute("SELECT count(*) FROM source WHERE kind='session'").fetchone()[0])

    def uses(self, refs: Iterable[str]) -> dict[str, tuple[int, str]]:
        """How often each of these memories was recalled, and when last."""
        found: dict[str, tuple[int, str]] = {}
        for ref in refs:
            n, last = self._db.execute("SELECT count(*), max(at) FROM used WHERE ref=?", (ref,)).fetchone()
            if n:
                found[ref] = (int(n), str(last))
        return found


def turn_id(source: int, number: int) -> int:
    """The id of the record of that number in a file."""
    return source << TURN_BITS | number


def discard(path: Path) -> None:
    """Remove a damaged index, so that the next one is made anew. Raises `OSError`."""
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def piece_of(row: int, own: str | None, other: str | None, kept: str | None) -> Piece:
    """The piece that a row of the table holds."""
    column: Column = "own" if own else "other" if other else "kept"
    marks = (row & _LONG > 0, row & _TOOL > 0, row & _CALL > 0)
    return Piece(row >> _PIECES, row & _NUMBER, column, own or other or kept or "", *marks)
