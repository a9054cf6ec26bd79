"""The index, `.agent/index.sqlite`: the stems of what was said, for a search.

Derived from files alone: delete it, and the next search makes it again.

    source   a file: path, kind, size, mtime and inode when it was read, and how far (`done`, bytes)
    turn     one record of a file: id = source << 24 | place in the file, where its text lies, who said it
    piece    FTS5: the stems of a turn, in one row or, of a long text, in several; rowid = turn << 10 | of a long text?
             | of a tool? | of a call? | number
    stem     how many pieces hold each stem, by column: FTS5 tells
    total    how many pieces a room holds, and their stems
    used     memories that were recalled, and when

A person's words stand in the column `own` of a piece, an agent's and a tool's in `other`, a file's (episodes,
knowledge) in `kept`; counts go by `room`: "said" for sessions, "kept" for files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from agentmem.memory.stores.derived import Derived, Form

NAME = "index.sqlite"
Room = Literal["said", "kept"]
Column = Literal["own", "other", "kept"]
_COLUMNS: dict[Room, str] = {"said": "own other", "kept": "kept"}

TURN_BITS, _PIECES = 24, 10
_SCENE = _PIECES + 5  # bits of a piece's rowid that do not tell its scene: 32 turns
_SCENES = TURN_BITS - 5  # bits of a scene's number within its source
MOST_PIECES = 1 << 7
_LONG, _TOOL, _CALL, _NUMBER = 1 << 9, 1 << 8, 1 << 7, MOST_PIECES - 1
MOST_TURNS = 1 << TURN_BITS
# A bare bm25() counts what an agent wrote like what a person said: four pages of answer would crowd out the question.
_WEIGHTS = "1.0, 0.35, 1.0"
_PIECE = "SELECT rowid, own, other, kept FROM piece"
_BATCH = 500  # values of one statement

_SCHEMA = """
CREATE TABLE source(id INTEGER PRIMARY KEY, path TEXT UNIQUE, kind TEXT, size INT, mtime INT, inode INT, done INT,
                    turns INT, mark BLOB);
CREATE TABLE turn(id INTEGER PRIMARY KEY, ref TEXT, at TEXT, place INT, size INT, who INT, asks REAL, terms INT,
                  flags INT, states TEXT);
CREATE VIRTUAL TABLE piece USING fts5(own, other, kept, detail='column', tokenize="ascii tokenchars '+#.:'");
INSERT INTO piece(piece, rank) VALUES ('pgsz', 16200);
INSERT INTO piece(piece, rank) VALUES ('automerge', 16);
CREATE VIRTUAL TABLE stem USING fts5vocab(piece, col);
CREATE TABLE total(room TEXT PRIMARY KEY, pieces INT, terms INT);
INSERT INTO total VALUES ('said', 0, 0), ('kept', 0, 0);
CREATE TABLE used(source INT, ref TEXT, at TEXT);
CREATE INDEX used_ref ON used(ref)
"""
_FORM = Form(tuple(_SCHEMA.strip().split(";\n")), 4)


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


TurnRow: TypeAlias = tuple[int, str, str, int, int, int, float, int, int, str]
"""A `Turn` as SQLite takes it: making a value for each record would take a tenth of a rebuild."""
PieceRow: TypeAlias = tuple[int, str | None, str | None, str | None]
"""A `Piece` likewise: its rowid and three columns, of which one is filled."""


class Turn(NamedTuple):
    """One record: bytes `place` to `place + size` of its file. `who` 0 is a person, 1 an agent, 2 a tool, 3 a file;
    `asks` is the share of questions in it; `flags` 1 names a time, 2 is long, 4 speaks of the other alone, 8 holds a
    name, from 16 on count the stems of the speaker's name; `states` are the changes it states, a line each.
    (A search makes hundreds of these and of pieces: dataclasses take thrice the time.)"""

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


class Piece(NamedTuple):
    """Stems of a turn; the piece of `number` 0 begins it, or what it `called`: what an agent handed to a tool. `long`
    where the turn has several, `tool` where a tool said it."""

    turn: int
    number: int
    column: Column
    terms: str
    long: bool = False
    tool: bool = False
    called: bool = False


@dataclass(frozen=True, slots=True)
class Totals:
    """How many pieces a room holds, and their stems."""

    pieces: int
    terms: int


class Index:
    """One open index. Raises `sqlite3.Error` where the file is damaged or another process holds it too long; then
    `discard` and make a new one."""

    def __init__(self, path: Path | None, *, wait: float = 0.2) -> None:
        """Open it, made where it is missing or of another version; None: one for this process alone. `wait` (seconds)
        is how long a writer waits for another. Raises `OSError` where no file can be kept there."""
        self._file = Derived(path, _FORM, wait=wait)
        self._db = self._file.db

    @property
    def stands(self) -> bool:
        """Whether its file is still the one that was opened."""
        return self._file.stands

    def close(self) -> None:
        """Close it. Calling it again does nothing."""
        self._file.close()

    def wait_at_most(self, seconds: float | None) -> None:
        """From now on a writer waits no longer for another, None: as long as it was opened with."""
        self._file.wait_at_most(seconds)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A change, all of it or nothing; within another one a part of it. Raises `sqlite3.OperationalError` where
        another process writes."""
        with self._file.writing():
            yield

    def made(self) -> None:
        """All there was is held: from now on FTS5 joins its parts a little at each change, not many at once."""
        self._db.execute("INSERT INTO piece(piece, rank) VALUES ('automerge', 4)")

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
        span = first << _PIECES, last << _PIECES
        self._count(source, self._db.execute(f"{_PIECE} WHERE rowid >= ? AND rowid < ?", span).fetchall(), -1)
        self._db.execute("DELETE FROM piece WHERE rowid >= ? AND rowid < ?", span)
        self._db.execute("DELETE FROM turn WHERE id >= ? AND id < ?", (first, last))
        self._db.execute("DELETE FROM used WHERE source=?", (source.id,))
        self._db.execute("DELETE FROM source WHERE id=?", (source.id,))

    def add(self, source: Source, turns: Sequence[TurnRow], pieces: Sequence[PieceRow]) -> None:
        """Hold records and their stems, by their ids: a smaller one after a larger would make FTS5 write all it has."""
        self._db.executemany("INSERT INTO turn VALUES (?,?,?,?,?,?,?,?,?,?)", turns)
        self._db.executemany("INSERT INTO piece(rowid, own, other, kept) VALUES (?,?,?,?)", pieces)
        self._count(source, pieces, 1)

    def _count(self, source: Source, pieces: Sequence[PieceRow], sign: int) -> None:
        terms = " ".join([own or other or kept or "" for _, own, other, kept in pieces]).count(" ") + 1 if pieces else 0
        self._db.execute(
            "UPDATE total SET pieces=pieces+?, terms=terms+? WHERE room=?",
            (sign * len(pieces), sign * terms, "said" if source.kind == "session" else "kept"),
        )

    def add_used(self, source: int, used: Iterable[tuple[str, str]]) -> None:
        """Memories that were recalled: id and time."""
        self._db.executemany("INSERT INTO used VALUES (?,?,?)", ((source, ref, at) for ref, at in used))

    # What is asked

    def totals(self, room: Room) -> Totals:
        """How much a room holds."""
        return Totals(*self._db.execute("SELECT pieces, terms FROM total WHERE room=?", (room,)).fetchone())

    def holders(self, room: Room, terms: Iterable[str]) -> dict[str, int]:
        """How many pieces of a room hold each stem; stems that none holds are left out."""
        columns = ",".join(f"'{column}'" for column in _COLUMNS[room].split())
        query = f"SELECT sum(doc) FROM stem WHERE term=? AND col IN ({columns})"
        counts = {term: self._db.execute(query, (term,)).fetchone()[0] for term in terms}
        return {term: int(n) for term, n in counts.items() if n}

    def pieces(self, room: Room, terms: Sequence[str], most: int) -> list[Piece]:
        """The pieces of a room that hold any of these stems, the best by SQLite's own BM25 first."""
        query = f"{{{_COLUMNS[room]}}} : ({' OR '.join(_quoted(term) for term in terms)})"
        rows = self._db.execute(f"{_PIECE} WHERE piece MATCH ? ORDER BY bm25(piece, {_WEIGHTS}) LIMIT ?", (query, most))
        return [piece_of(*row) for row in rows]

    def turns(self, ids: Iterable[int]) -> dict[int, Turn]:
        """The records of these ids that it holds."""
        wanted = sorted(set(ids))
        found: dict[int, Turn] = {}
        for at in range(0, len(wanted), _BATCH):
            some = wanted[at : at + _BATCH]
            rows = self._db.execute(f"SELECT * FROM turn WHERE id IN ({','.join('?' * len(some))})", some)
            found.update((row[0], Turn._make(row)) for row in rows)
        return found

    def scenes(self, term: str) -> Counter[int]:
        """In how many scenes of each session a stem stands; a scene is 32 turns in a row."""
        query = f"SELECT DISTINCT rowid >> {_SCENE} FROM piece WHERE piece MATCH ?"
        found = self._db.execute(query, (f"{{{_COLUMNS['said']}}} : {_quoted(term)}",))
        return Counter([scene >> _SCENES for (scene,) in found])

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


def piece_row(turn: int, long: bool, tool: bool, called: bool = False) -> int:
    """The rowid of a turn's first piece; those after it follow."""
    return turn << _PIECES | _LONG * long | _TOOL * tool | _CALL * called


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
