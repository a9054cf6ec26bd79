"""Hunt: from a query and an open index to the scored records of one room, with those that are not indexed yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentmem.memory.read.recall.asking import Asked
from agentmem.memory.read.recall.currency import current_first
from agentmem.memory.read.recall.passages import Record, held
from agentmem.memory.read.recall.pool import Pool, Settings
from agentmem.memory.read.recall.scoring import Scored, scored
from agentmem.memory.stores.index import Index, Piece, Room, Totals, Turn, turn_id

FEW = 5_000
WIDE, WIDEST = 120, 200
"""Pieces that SQLite's own BM25 lets in, of at most `FEW` and of more. Their order is not taken over."""
COMMON, RAREST = 0.05, 3
"""In more than `FEW` pieces a stem that over a twentieth of them holds lets nothing in where three rarer ones do."""
STAND_INS = 4
"""So many related words let pieces in; all of them count in these."""
TAIL_SOURCE = 1 << 30
"""Where the ids of records begin that the index does not hold yet."""
APART = 4
"""Between the ids of records that are no neighbours."""

SAID = Settings()
KEPT = replace(Settings(), context=0.0, before=0.0, before_last=0.0, answers=0.0, after=0.0, session=0.0, asks=0.0)
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
    wanted = [*terms, *(asked.stand_ins if settings.related else ())]
    totals, holders = index.totals(room), index.holders(room, wanted)
    letting_in = _letting_in(asked, holders, totals)
    pieces = index.pieces(room, letting_in, WIDE if totals.pieces <= FEW else WIDEST) if letting_in else []
    scenes = {term: index.scenes(term) for term in holders if settings.session and term in asked.topic}
    if late is not None and late.pieces:
        pieces = [*pieces, *(piece for piece in late.pieces if not set(wanted).isdisjoint(piece.terms.split(" ")))]
        totals = Totals(
            totals.pieces + len(late.pieces), totals.terms + sum(p.terms.count(" ") + 1 for p in late.pieces)
        )
        for term in wanted:
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
    wanted = {*asked.terms, *asked.stand_ins}
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


def _letting_in(asked: Asked, holders: Mapping[str, int], totals: Totals) -> list[str]:
    """The stems of which a piece must hold one; `holders` are those that are there. Of the related words only the
    rarest: each costs as much as a word of the query."""
    large = totals.pieces > FEW
    few = [term for term in holders if not large or holders[term] <= COMMON * totals.pieces]
    known = [term for term in asked.terms if term in holders]
    if large:
        rare = [term for term in known if term in few]
        known = rare if len(rare) >= RAREST else sorted(known, key=holders.__getitem__)[: max(RAREST, len(rare))]
    return known + sorted((term for term in asked.stand_ins if term in few), key=holders.__getitem__)[:STAND_INS]
