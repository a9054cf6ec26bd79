"""Erasure: what the ledger and the seals say of beliefs whose words are forgotten, all of them or some.

A belief of which nothing stays is forgotten: one line says so, by an HMAC and without a word. One that loses some of
its words stays what it was, on the same person's word; a line that a person wrote has then another id, its new text's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from agentmem.domain.belief import Belief, fold
from agentmem.domain.claim import Admitted
from agentmem.domain.desk import Desk, Level
from agentmem.memory.stores import episodic, ledger, semantic
from agentmem.memory.stores.admissions import Admissions, Held
from agentmem.memory.stores.bullets import derived, identified
from agentmem.memory.stores.episodic import Teller
from agentmem.memory.write.case import by_hand, record
from agentmem.memory.write.gate import carry
from agentmem.memory.write.tombstone import Tombs, says


def announce(level: Level, desk: Desk, tombs: Tombs, mark: str) -> list[str]:
    """Say in the ledger what is about to be forgotten, and seal what stays of it; gives the facts that go. The lock is
    held; running it again says nothing twice. Raises `OSError`."""
    records = ledger.records(level.ledger)
    told = fold(records)
    hit = {fact: belief for fact, belief in told.items() if _mended(belief.text, tombs) != belief.text}
    renamed = [one for one in _renamed(level, tombs) if one[0] in told]
    gone = dict.fromkeys(fact for fact, belief in hit.items() if not says(_mended(belief.text, tombs)))
    gone |= dict.fromkeys(old for old, _ in renamed)
    stays = [(told[old], text) for old, text in renamed if text and not _open(told, derived(text))]
    seals = carry.admitted_here(level, desk)
    sealed = {fact: one for fact, one in hit.items() if _held(fact, one.text, one) in seals}
    kept = [_held(fact, _mended(one.text, tombs), one) for fact, one in sealed.items()]
    kept += [_held(derived(text), text, one) for one, text in stays if one.fact in sealed]
    kept += _sections(level, tombs, seals)
    said = {(one.get("fact"), one.get("hmac")) for one in records if one.get("op") == "FORGET"}
    lines = [_forgotten(fact, mark, desk) for fact in gone or (None,) if (fact, mark) not in said]
    seals.add(kept)
    ledger.append(level.ledger, [*(_again(one, text, desk) for one, text in stays), *lines])
    return list(gone)


def commit(level: Level, desk: Desk, facts: Sequence[str]) -> str:
    """Let the history know that it was done; gives why it could not, "" otherwise. The lock is held."""
    known = carry.history(level, desk).last(carry.MEMORY)
    if known is None:
        return ""
    return carry.note(level, desk, known, [("Op", "FORGET"), *(("Fact", fact) for fact in facts)])


def _renamed(level: Level, tombs: Tombs) -> Iterator[tuple[str, str]]:
    """Lines without an id of their own that lose words: the id that each had, and what stays of it ("" for nothing)."""
    for key, bullet in identified(semantic.beliefs(level.memory)):
        if bullet.id is None and (text := _mended(bullet.text, tombs)) != bullet.text:
            yield key, " ".join(text.split()) if says(text) else ""


def _sections(level: Level, tombs: Tombs, seals: Admissions) -> Iterator[Held]:
    """What stays of the sections of day files: told by whoever told them."""
    for path in sorted(level.days.glob("*.md")):
        found: list[str] = []
        with suppress(OSError):  # what cannot be read is named by whoever looks through everything
            found = episodic.sections(episodic.read(path))
        for section in found:
            if (text := _mended(section, tombs)) != section:
                tellers: tuple[Teller, ...] = ("harness", "tool")
                yield from (episodic.told(text, by) for by in tellers if episodic.told(section, by) in seals)


def _open(told: Mapping[str, Belief], fact: str) -> bool:
    return fact in told and told[fact].open


def _mended(text: str, tombs: Tombs) -> str:
    return tombs.text(text.encode("utf-8", "replace")).data.decode()


def _held(fact: str, text: str, belief: Belief) -> Held:
    return Held(fact, text, belief.principal, belief.approved_by or "")


def _again(before: Belief, text: str, desk: Desk) -> Admitted:
    """What stays of a line that a person wrote, on the same word as before."""
    own, by = derived(text), before.principal
    line = by_hand("ADD", own, text, desk, by) | {"category": before.category, "reason": "what stays of a line"}
    if before.approved_by is not None:
        line["approved_by"] = before.approved_by
    return Admitted("ADD", own, text, "", None, line)


def _forgotten(fact: str | None, mark: str, desk: Desk) -> Admitted:
    line = record("FORGET", "", desk) | {"fact": fact, "hmac": mark, "principal": "user"}
    return Admitted("FORGET", fact or "", "", "", fact, line | {"valid_to": desk.day(), "reason": "forgotten"})
