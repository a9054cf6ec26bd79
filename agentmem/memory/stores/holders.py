"""Holders: how many pieces of each room hold a stem, counted while a change is made and written when it ends.

A room is what is asked about in one go: "said" is sessions, "kept" is files.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Literal

Room = Literal["said", "kept"]

SCHEMA = (
    "CREATE TABLE word(term TEXT, room TEXT, n INT, PRIMARY KEY(term, room)) WITHOUT ROWID",
    "CREATE TABLE total(room TEXT PRIMARY KEY, pieces INT, terms INT)",
    "INSERT INTO total VALUES ('said', 0, 0), ('kept', 0, 0)",
)


class Holders:
    """The counts of one index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._words: dict[Room, Counter[str]] = {"said": Counter(), "kept": Counter()}
        self._totals: Counter[tuple[Room, str]] = Counter()

    def add(self, room: Room, pieces: Sequence[str]) -> None:
        """Count pieces: their stems with a blank between."""
        self._words[room].update(chain.from_iterable(map(set, map(str.split, pieces))))
        self._totals[room, "pieces"] += len(pieces)
        self._totals[room, "terms"] += _stems(pieces)

    def take(self, room: Room, pieces: Sequence[str]) -> None:
        """Count them no more."""
        self._words[room].subtract(chain.from_iterable(map(set, map(str.split, pieces))))
        self._totals[room, "pieces"] -= len(pieces)
        self._totals[room, "terms"] -= _stems(pieces)

    def settle(self) -> None:
        """Write what was counted since the change began. Raises `sqlite3.Error`."""
        for room, found in self._words.items():
            self._db.executemany(
                "INSERT INTO word VALUES (?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
                [(term, room, n) for term, n in sorted(found.items())],
            )
            self._db.execute(
                "UPDATE total SET pieces=pieces+?, terms=terms+? WHERE room=?",
                (self._totals[room, "pieces"], self._totals[room, "terms"], room),
            )
        self.forget()

    def forget(self) -> None:
        """What was counted since the change began never was."""
        self._totals.clear()
        for found in self._words.values():
            found.clear()

    def totals(self, room: Room) -> tuple[int, int]:
        """How many pieces a room holds, and their stems."""
        pieces, terms = self._db.execute("SELECT pieces, terms FROM total WHERE room=?", (room,)).fetchone()
        return int(pieces), int(terms)

    def of(self, room: Room, terms: Sequence[str]) -> dict[str, int]:
        """How many pieces of a room hold each stem; stems that none holds are left out."""
        marks = ",".join("?" * len(terms))
        rows = self._db.execute(
            f"SELECT term, n FROM word WHERE room=? AND term IN ({marks}) AND n > 0", (room, *terms)
        )
        return {str(term): int(n) for term, n in rows}


def _stems(pieces: Sequence[str]) -> int:
    return sum(piece.count(" ") for piece in pieces) + len(pieces)
