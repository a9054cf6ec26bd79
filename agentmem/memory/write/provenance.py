"""Provenance: whose words a claim is made of, read off the origin of the parts of this session's branch.

A claim is the person's word only if it is made of what the person said: of whole clauses, in their order, not asked,
not quoted, not taken back, not turned round by a negation that the claim lacks, and not told as past, supposed or
somebody else's word unless the claim tells it so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agentmem.domain.claim import Principal
from agentmem.domain.clock import local_day
from agentmem.domain.entry import Entry
from agentmem.domain.message import Origin, Text
from agentmem.memory.write import (
    clause,
    contrary,
    discourse,
    preamble,
    restated,
    screening,
    stance,
    statement,
    wording,
)
from agentmem.memory.write.aligned import aligned, restates
from agentmem.memory.write.restated import Reading
from agentmem.memory.write.stance import Stance

# Quotations; one of three words or more is not the person's own assertion, a shorter one is a name.
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^“”\n]*”|(?<!\w)'[^\n]{1,400}?'(?!\w)")
_UNMARKED = re.compile(r"(?:is|are|am|was|were|does|did)(?:n't)? (?!not\b)\w", re.IGNORECASE)
_ASKED_TO = frozenset({"remember", "memorise", "memorize", "note", "save", "record"})

_TOLD: dict[Stance, str] = {
    "past": "something of the past",
    "reported": "somebody else's word",
    "supposed": "a supposition",
    "doubted": "something uncertain",
    "asked": "a question",
    "example": "an example",
}
_OTHERS: dict[Origin, Principal] = {"tool": "tool", "file": "tool", "stdin": "tool", "import": "import"}


@dataclass(frozen=True, slots=True)
class Provenance:
    """Whose word a claim is. `spoken_by` is the origin of the parts its words stand in, `entry` where; `quote` only
    holds the person's own sentences; `asked` is True when the person asked for it to be remembered; `day` is when it
    was said (``2026-11-30``), None where nobody in the log said it."""

    principal: Principal
    spoken_by: Origin
    entry: str | None
    quote: str | None
    asked: bool
    reason: str
    day: str | None = None


@dataclass(frozen=True, slots=True)
class _Sentence:
    entry: Entry
    said: discourse.Said
    folded: str
    there: frozenset[str]  # the words of `folded`
    asked: bool

    @property
    def question(self) -> bool:
        asks = statement.question(self.said.text) or _UNMARKED.match(self.said.text) is not None
        return asks and not preamble.requested(self.said.text)

    @property
    def words(self) -> frozenset[str]:
        return frozenset(clause.content(self.said.meant))

    @property
    def stances(self) -> frozenset[Stance]:
        told = self.said.led | stance.stances(self.said.meant)
        return told - {"asked"} if preamble.requested(self.said.text) else told


def trace(text: str, branch: Sequence[Entry]) -> Provenance:
    """Whose words `text` is made of: word for word, or said of its speaker as "the user" or "the project"."""
    said = _sentences(branch)
    found = _word_for_word(text, said, branch)
    return found if found.principal == "user" else _restated(text, said) or found


def _word_for_word(text: str, said: Sequence[_Sentence], branch: Sequence[Entry]) -> Provenance:
    claimed = list(dict.fromkeys(clause.content(text)))
    missing = [word for word in claimed if not any(_stands(word, one) for one in said)]
    if missing:
        return _someone_else(missing, branch)
    whole = aligned(text, [one.said.meant for one in said])
    if whole is None:
        lost = _stance_lost(text, [one for one in said if all(_stands(word, one) for word in claimed)])
        reason = "the person said its words, but not so, or not as theirs: it is the agent's inference"
        return Provenance("agent", "agent", None, None, False, _leaves_out(lost) if lost else reason)
    return _ruled(text, claimed, [said[at] for at in sorted(set(whole))], said)


def _restated(text: str, said: Sequence[_Sentence]) -> Provenance | None:
    """Each sentence of a claim as one sentence of the person says it in other words of the same sense; None where one
    is not so."""
    vocabulary = frozenset(word for one in said for word in one.there)
    cover: dict[int, str] = {}
    for piece in statement.pieces(text):
        found = next(_restating(piece, said, vocabulary), None)
        if found is None:
            return None
        cover[found[0]] = f"{cover.get(found[0], '')} {found[1]}".strip()
    told = " ".join(cover.values())
    if not cover or screening.grants(text) or screening.grants(told):
        return None
    ruled = _ruled(told, list(dict.fromkeys(clause.content(told))), [said[at] for at in sorted(cover)], said)
    return ruled if ruled.principal == "user" else None


def _restating(piece: str, said: Sequence[_Sentence], vocabulary: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Where a sentence of a claim was said, the latest first, and as which of its readings."""
    for reading in restated.readings(piece, vocabulary):
        wanted = frozenset(wording.words(reading.text))
        for at in reversed(range(len(said)) if wanted <= vocabulary else ()):
            if wanted <= said[at].there and _says(said[at].said, reading):
                yield at, reading.text


def _says(said: discourse.Said, reading: Reading) -> bool:
    return any(restates(reading.text, form, reading.held) for form in dict.fromkeys((said.meant, said.whole)))


def _ruled(text: str, claimed: Sequence[str], cover: Sequence[_Sentence], said: Sequence[_Sentence]) -> Provenance:
    """The ruling on a claim that `cover` says, in its order."""
    entry, quote = cover[0].entry.id, " ".join(one.said.text for one in cover)
    asked = any(one.asked for one in cover)
    if all(one.question for one in cover):
        return Provenance("agent", "agent", entry, None, asked, "the person asked about it, and did not state it")
    if _turned(claimed, cover, said):
        reason = "the person's words hold a negation or a condition that it lacks"
        return Provenance("agent", "agent", entry, None, asked, reason)
    if (lost := _stance_lost(text, cover) or _past(text, claimed, said)) is not None:
        return Provenance("agent", "agent", entry, None, asked, _leaves_out(lost))
    told = "explicit" if asked else "the person said so"
    return Provenance("user", "person", entry, quote, asked, told, max(local_day(one.entry.at) for one in cover))


def _sentences(branch: Sequence[Entry]) -> list[_Sentence]:
    out: list[_Sentence] = []
    for entry, part in _parts(branch):
        if part.origin != "person" or entry.body.get("role") != "user":
            continue
        text = statement.said(part.text)
        if out and discourse.takes_back(text):
            out.pop()
        out.extend(_Sentence(entry, *told) for told in _told(text))
    return out


@lru_cache(maxsize=2_000)  # each claim of a session is sought in all that was said before it
def _told(text: str) -> tuple[tuple[discourse.Said, str, frozenset[str], bool], ...]:
    """The sentences of one message's own text, each folded, with its words, and whether the message asks for memory."""
    asked = not _ASKED_TO.isdisjoint(wording.words(_unquoted(text)))
    told = ((one, clause.fold(one.whole)) for one in discourse.said(text if asked else _unquoted(text)))
    return tuple((one, folded, there, asked) for one, folded in told if (there := frozenset(wording.words(folded))))


def stated(text: str) -> list[str]:
    """The sentences of a text that its writer states, as their own and as true now: no code blocks, no block quotes, no
    longer quotations, nothing that is taken back."""
    told = discourse.said(_unquoted(statement.said(text)))
    return [one.text for one in told if wording.words(one.text) and not one.led and not stance.stances(one.meant)]


def _parts(branch: Iterable[Entry]) -> Iterator[tuple[Entry, Text]]:
    for entry in branch:
        if (message := entry.message()) is not None:
            yield from ((entry, part) for part in message.parts if isinstance(part, Text))


def _turned(claimed: Sequence[str], cover: Sequence[_Sentence], said: Sequence[_Sentence]) -> bool:
    whole = (one for one in said if all(_stands(word, one) for word in claimed))
    return any(contrary.turned(one.words, frozenset(claimed)) for one in (*cover, *whole))


def _stance_lost(text: str, cover: Iterable[_Sentence]) -> Stance | None:
    """A stance of the sentences that the claim is read off, that it lacks."""
    own = stance.stances(text)
    return min((kind for one in cover for kind in one.stances - own), default=None)


def _past(text: str, claimed: Sequence[str], said: Iterable[_Sentence]) -> Stance | None:
    """Whether a sentence tells all of the claim as past, and the claim does not."""
    if "past" in stance.stances(text):
        return None
    told = any(all(_stands(word, one) for word in claimed) and "past" in one.stances for one in said)
    return "past" if told else None


def _leaves_out(lost: Stance) -> str:
    return f"the person told it as {_TOLD[lost]}, which the claim leaves out"


def _someone_else(missing: Sequence[str], branch: Sequence[Entry]) -> Provenance:
    for entry, part in _parts(reversed(branch)):
        if part.origin not in _OTHERS:
            continue
        found, folded = frozenset(clause.content(part.text)), clause.fold(part.text)
        if any(wording.stands_in(word, found, folded) for word in missing):
            reason = f"not all of its words are the person's: some stand in what came by {part.origin}"
            return Provenance(_OTHERS[part.origin], part.origin, entry.id, None, False, reason)
    reason = "not all of its words are the person's: it is the agent's inference"
    return Provenance("agent", "agent", None, None, False, reason)


def _stands(word: str, sentence: _Sentence) -> bool:
    return wording.stands_in(word, sentence.there, sentence.folded)


def _unquoted(text: str) -> str:
    return _QUOTED.sub(lambda found: " " if len(found[0].split()) > 2 else found[0], text)
