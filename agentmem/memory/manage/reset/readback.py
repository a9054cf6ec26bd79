"""Readback: a handoff is proven by rules against the log, and by what a fresh reader of it alone says it says.

What the log knows and the handoff lacks is written into it, marked as such. What only the session could have said, its
goal and its next step, is not made up: without them there is no reset.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agentmem.domain.handoff import Handoff
from agentmem.memory.manage.reset.known import Known, failed, seen

FROM_THE_LOG = "(from the log)"
_SHARE = 0.7  # of a sentence's content words that stand for it
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_TOKEN = re.compile(r"[\w./:@~+*-]+")
_SIGN = re.compile(r"[/_@*\d]|\w[.:]\w|\.\w|[a-z][A-Z]")
_NOTHING = re.compile(
    r"\W*(nothing|none|unknown|not (?:stated|given|known|said|specified|clear)|n/?a|unclear|tbd)?\W*", re.I
)
_STOP = frozenset(
    _WORD.findall(
        "a an and are as at be been but by can could did do does for from had has have i if in into is it its me my no "
        "not of on or our please should so than that the their them then there these they this those to us was we were "
        "what when which who will with would you your"
    )
)


@dataclass(frozen=True, slots=True)
class Proof:
    """What reading back came to. `refused` says why there is no reset, "" where there may be one; `added` names what
    the harness wrote in, `mind` what a fresh reader passed over although it stands there."""

    handoff: Handoff
    refused: str = ""
    added: tuple[str, ...] = ()
    mind: tuple[str, ...] = ()


def prove(handoff: Handoff, of: Known, answer: Handoff | None = None) -> Proof:
    """Compare a handoff with what is known, and with the `answer` of a reader who saw nothing else (None without a
    model)."""
    if lacks := [name for name, text in (("goal", handoff.goal), ("next step", handoff.next)) if _says_nothing(text)]:
        return Proof(handoff, f"the handoff does not say the {' and the '.join(lacks)}")
    full, added = _completed(handoff, of)
    if answer is None:
        return Proof(full, added=added)
    if lost := [
        name
        for name, text, wanted in (("goal", answer.goal, full.goal), ("next step", answer.next, full.next))
        if _says_nothing(text) or not _meets(text, wanted)
    ]:
        return Proof(full, f"who reads the handoff alone cannot tell the {' and the '.join(lost)}", added)
    said = "\n".join((answer.goal, answer.done, answer.next, answer.limits, answer.ruled_out))
    mind = tuple(row for row in of.limits if not holds(said, row))
    if mind:
        rows = "\n".join(f"- {row}" for row in mind)
        full = replace(full, brief=f"{full.brief}\n\nMind above all:\n{rows}".strip())
    return Proof(full, added=added, mind=mind)


def holds(text: str, sentence: str) -> bool:
    """Whether a text says what a sentence says: every identifier in it (paths, numbers, names with signs), and most of
    its other words."""
    tokens = (token.strip(".:-") if len(token) > 1 else token for token in _TOKEN.findall(sentence))
    if any(_SIGN.search(token) and token not in text for token in tokens):
        return False
    wanted = _content(sentence)
    return not wanted or len(wanted & _content(text)) >= _SHARE * len(wanted)


def _completed(handoff: Handoff, of: Known) -> tuple[Handoff, tuple[str, ...]]:
    """The handoff with what the log knows and it lacks, and what that was."""
    whole = "\n".join((handoff.goal, handoff.done, handoff.flight, handoff.next, handoff.limits, handoff.ruled_out))
    limits = [row for row in of.limits if not holds(f"{handoff.limits}\n{handoff.next}\n{handoff.goal}", row)]
    attempts = [row for row in failed(of) if not _names(whole, row)]
    earlier = of.earlier.ruled_out if of.earlier else ""
    attempts += [row for row in _sentences(earlier) if not holds(handoff.ruled_out, row)]
    full = replace(
        handoff,
        limits=_joined(handoff.limits, limits),
        ruled_out=_joined(handoff.ruled_out, attempts),
        seen=seen(of),
    )
    told = [f"limit: {row}" for row in limits] + [f"failed: {row}" for row in attempts]
    return full, tuple(told)


def _joined(text: str, rows: Sequence[str]) -> str:
    if not rows:
        return text
    kept = [] if _says_nothing(text) else [text.rstrip()]
    return "\n".join((*kept, *(row if row.endswith(FROM_THE_LOG) else f"- {row} {FROM_THE_LOG}" for row in rows)))


def _names(text: str, row: str) -> bool:
    """Whether a failed command, the code between the first backticks of its row, is named."""
    command = row.split("`")[1] if row.count("`") >= 2 else row
    return command in text


def _sentences(text: str) -> Iterable[str]:
    rows = (row.strip() for row in text.split("\n"))
    return [row.removeprefix("- ") for row in rows if row and not _says_nothing(row)]


def _says_nothing(text: str) -> bool:
    return _NOTHING.fullmatch(text.strip()) is not None


def _meets(text: str, wanted: str) -> bool:
    """Whether an answer is about what it should be about: they share a content word."""
    return not _content(wanted) or bool(_content(text) & _content(wanted))


def _content(text: str) -> set[str]:
    return {word for found in _WORD.findall(text.casefold()) if (word := found) not in _STOP and len(word) > 1}
