"""Hunt: from a query and an open index to the scored records of one room, with those that are not indexed yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentmem.memory.read.recall.asking import Asked
from agentmem.memory.read.recall.currency import current_first
from agentmem.memory.read.recall.passages import Record, held
from agentmem.memory.read.recall.scoring import Pool, Scored, Settings, scored
from agentmem.memory.stores.index import Index, Piece, Room, Totals, Turn, turn_id

WIDE = 200
"""Pieces that SQLite's own BM25 lets in. Their order is not taken over."""
FEW = 5_000
COMMON, RAREST = 0.05, 3
"""In more than `FEW` pieces a stem that over a twentieth of them holds lets nothing in where three rarer ones do."""
TAIL_SOURCE = 1 << 30
"""Where the ids of records begin that the index does not hold yet."""
APART = 4
"""Between the ids of records that are no neighbours."""

SAID = Settings()
KEPT = replace(Settings(), before=0.0, before_last=0.0, answers=0.0, after=0.0, session=0.0, asks=0.0)
"""Facts, episodes and knowledge stand alone: what is beside them says nothing of them."""


@dataclass(frozen=True, slots=True)
class Tail:
    """Records that the index does not hold yet, as it would; `paths` are their files, by source."""

    turns: Mapping[int, Turn] = field(default_factory=dict)
    pieces: Sequence[Piece] = ()
    paths: Mapping[int, str] = field(default_factory=dict)


def tail(files: Mapping[str, Sequence[Record]]) -> Tail:
    """The records of some files, by path, each file's in a row."""
    turns: dict[int, Turn] = {}
    pieces: list[Piece] = []
    paths: dict[int, str] = {}
    for source, (path, records) in enumerate(files.items(), TAIL_SOURCE):
        paths[source] = path
        for place, record in enumerate(records):
            turn, cut = held(turn_id(source, place), record)
            turns[turn.id] = turn
            pieces += cut
    return Tail(turns, pieces, paths)


def hunt(index: Index, asked: Asked, room: Room, late: Tail | None = None, to: Settings | None = None) -> list[Scored]:
    """The records of a room that answer, the best first. Raises `sqlite3.Error`."""
    settings = to or (SAID if room == "said" else KEPT)
    terms = asked.terms
    if not terms:
        return []
    totals, holders = index.totals(room), index.holders(room, terms)
    known = [term for term in terms if term in holders]
    pieces = index.pieces(room, _letting_in(known, holders, totals), WIDE) if known else []
    scenes = {term: index.scenes(term) for term in known if settings.session and term in asked.topic}
    if late is not None and late.pieces:
        wanted = set(terms)
        pieces = [*pieces, *(piece for piece in late.pieces if wanted.intersection(piece.terms.split(" ")))]
        totals = Totals(
            totals.pieces + len(late.pieces), totals.terms + sum(p.terms.count(" ") + 1 for p in late.pieces)
        )
        for term in terms:
            holders[term] = holders.get(term, 0) + sum(term in piece.terms.split(" ") for piece in late.pieces)
    held_back = late.turns if late is not None else {}

    def turns(wanted: set[int]) -> dict[int, Turn]:
        return index.turns(wanted) | {own: held_back[own] for own in wanted if own in held_back}

    pool = Pool(pieces, turns, holders, totals, scenes, index.sessions())
    return current_first(asked, scored(asked, pool, settings), holders, totals)


def among(asked: Asked, records: Sequence[Record]) -> list[Scored]:
    """The records of a few that answer, each standing alone, the best first."""
    turns: dict[int, Turn] = {}
    pieces: list[Piece] = []
    wanted = set(asked.terms)
    holders: dict[str, int] = {}
    count = size = 0
    for number, record in enumerate(records):
        turn, cut = held(number * APART, record)
        for piece in cut:
            stems = piece.terms.split(" ")
            count, size = count + 1, size + len(stems)
            if shared := wanted.intersection(stems):
                turns[turn.id] = turn
                pieces.append(piece)
                for term in shared:
                    holders[term] = holders.get(term, 0) + 1
    totals = Totals(count, size)
    return current_first(
        asked, scored(asked, Pool(pieces, lambda wanted: turns, holders, totals), KEPT), holders, totals
    )


def _letting_in(known: Sequence[str], holders: Mapping[str, int], totals: Totals) -> list[str]:
    if totals.pieces <= FEW:
        return list(known)
    rare = [term for term in known if holders[term] <= COMMON * totals.pieces]
    return rare if len(rare) >= RAREST else sorted(known, key=lambda term: holders[term])[: max(RAREST, len(rare))]
