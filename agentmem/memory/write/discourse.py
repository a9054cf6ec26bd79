"""Discourse: the sentences of a message that its writer stands by, each with what it hangs on.

A list item hangs on the line above its list: "never:" and "- push to main" is one thing said, "never: push to main".
What is taken back ("scratch that"), and what is only asked about ("is that true?"), is not said at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agentmem.memory.write import clause, preamble, stance, statement, wording
from agentmem.memory.write.stance import Stance

_ITEM = re.compile(r"^(\s*)(?:[-*+•–]|\(?[0-9a-z]{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?=\S)")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+")
_OPEN = re.compile(
    r"(?:\b(?:not|never|no|don't|do|does|doesn't|to|the|an?|and|or|but|that|whether|if|we|i|you|they|nobody|cannot|can't|"
    r"must|should|may|when|because|which|who|always|only)|,|\()$",
    re.IGNORECASE,
)
_WRAPPED = 60  # characters of a line that was probably broken for its length
_BACK = re.compile(
    r"^(?:(?:oh|ah|hm+|well|actually|sorry|no|wait|but|and|ok|okay)[ ,.!]+)*(?:(?:that|this|it|which)(?:'s| is| was)"
    r"(?: all| totally| completely| just| now)? (?:wrong|false|not (?:true|right|so|correct)|incorrect|untrue|a joke|"
    r"a lie|nonsense|mistaken|a mistake|outdated|obsolete)|(?:just |i'm |i am |only )?(?:kidding|joking)|jk|"
    r"scratch (?:that|it)|never ?mind|nvm|(?:strike|ignore|disregard|forget) (?:that|this|it|what i said)|i take "
    r"(?:that|it) back|i (?:was|am) wrong|my mistake|not really|not\W*$|or not|as if|(?:no,? wait|wait,? no)|i meant|"
    r"(?:don't|do not) (?:remember|save|keep|store|note|record) (?:that|this|it|these))\b",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"^(?:(?:all |everything |the (?:\w+ )?)?above\b|(?:please |can you |could you |now )*(?:review|summari[sz]e|"
    r"explain|translate|fix|debug|analy[sz]e|check|look at|read|rewrite)\b.{0,60}\babove\b|"
    r"[-=—–]*\s*(?:end of|begin(?:ning)? of|forwarded|original message)\b)",
    re.IGNORECASE,
)
_PROBE = re.compile(
    r"^(?:(?:so|and|but|or|hm+|ok|okay|also|wait)[ ,]+)*(?:(?:is|was|are|isn't|aren't) (?:this|that|it|these|those|any "
    r"of (?:this|these|it)|one of these) (?:still |really |all |even |actually )?(?:true|right|correct|so|ok|okay|"
    r"wrong|false|accurate|valid|the case|a good idea|a bad idea|sensible|better)\b.{0,40}|(?:does|do) (?:this|that|it|"
    r"these|those) (?:still )?(?:make sense|hold|sound|look|seem)\b.{0,30}|which (?:one|of|is|should)\b.{0,60}|"
    r"(?:do|does|did|is|are|wo|ca|have|has|would|should)n't (?:i|we|you|it|that|they|he|she)|"
    r"right|correct|true|true or false|really|agreed?|ok|or what)\s*\?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence as it was written, and `meant`: with what it hangs on, without the asking before it; `whole`: with
    both. `led` holds what a sentence before it made of it: "Imagine this. We use Bazel." supposes both."""

    text: str
    meant: str
    whole: str
    led: frozenset[Stance] = frozenset()


@dataclass(slots=True)
class _Line:
    text: str
    indent: int | None  # of a list item
    heading: bool = False


def said(text: str) -> list[Said]:
    """The sentences that the writer of a text stands by, in order. The text is without code and quotations."""
    out: list[tuple[Said, bool]] = []
    asked = supposed = False
    for found in _sentences(_lines(text)):
        if found is None:
            supposed = False  # a paragraph is over
        elif _ABOVE.match(found[0]):
            out.clear()
        elif _PROBE.match(found[0]) or _BACK.match(found[0]):
            asked = not out and _PROBE.match(found[0]) is not None
            _take_back(out)
        elif not asked:
            out.append((_one(found[0], found[1], supposed), found[2]))
            supposed = supposed or stance.opens(found[0])
    return [one for one, _ in out]


def takes_back(text: str) -> bool:
    """Whether a text begins by taking back what was said last."""
    return _BACK.match(text.lstrip()) is not None


def _lines(text: str) -> Iterator[_Line | None]:
    """The lines, those that were broken in the middle of a sentence joined; None for a blank one."""
    held: _Line | None = None
    for raw in text.split("\n"):
        found = _line(raw)
        goes_on = held is not None and found is not None and found.indent is None and not found.heading
        if goes_on and held is not None and found is not None and _breaks_off(held, found):
            held = _Line(f"{held.text} {found.text}", held.indent)
            continue
        if held is not None:
            yield held
        if found is None:
            yield None
        held = found
    if held is not None:
        yield held


def _line(raw: str) -> _Line | None:
    if not raw.strip():
        return None
    if heading := _HEADING.match(raw):
        return _Line(raw[heading.end() :].strip(" #*_"), None, heading=True)
    if item := _ITEM.match(raw):
        return _Line(raw[item.end() :].strip(), len(item[1].expandtabs()))
    return _Line(raw.strip(), None)


def _breaks_off(line: _Line, following: _Line) -> bool:
    if line.heading or line.text.endswith((".", "!", "?", ":", ";")):
        return False
    return _OPEN.search(line.text) is not None or (len(line.text) >= _WRAPPED and following.text[:1].islower())


def _sentences(lines: Iterator[_Line | None]) -> Iterator[tuple[str, str, bool] | None]:
    """Sentence, what it hangs on, and whether it is a list's item; None for a blank line."""
    heading, lead = "", ""
    hung = False  # whether plain lines hang on the lead, and one did
    above: list[tuple[int, str]] = []  # items that others hang on
    for line in lines:
        if line is None:
            lead, hung = ("", False) if hung else (lead, False)
            yield None
            continue
        if line.heading:
            heading, lead, hung, above = line.text, "", False, []
            continue
        pieces = statement.pieces(line.text)
        if line.indent is None:
            own = lead if lead.endswith(":") and not above else ""
            yield from ((piece, _joined(heading, own), False) for piece in pieces)
            above, hung = [], bool(own)
            lead = own if own and not line.text.endswith(":") else _lead(pieces[-1]) if pieces else ""
            continue
        above = [(indent, text) for indent, text in above if indent < line.indent]
        hangs = _joined(heading, lead, *(text for _, text in above))
        yield from ((piece, hangs if at == 0 else "", True) for at, piece in enumerate(pieces))
        above.append((line.indent, line.text if line.text.endswith(":") or _OPEN.search(line.text) else ""))


def _lead(sentence: str) -> str:
    """What the list below a sentence hangs on; nothing where the sentence ended and casts no doubt on what follows."""
    ended = sentence.endswith((".", "!")) and not preamble.doubtful(wording.words(sentence))
    return "" if ended else sentence


def _joined(*texts: str) -> str:
    return " ".join(text if text.endswith((":", "?")) or _OPEN.search(text) else f"{text}:" for text in texts if text)


def _take_back(out: list[tuple[Said, bool]]) -> None:
    """What stands last is no statement; nor is a list that ends there."""
    while out and out.pop()[1] and out and out[-1][1]:
        pass


def _one(text: str, hangs: str, supposed: bool) -> Said:
    lead = _joined(hangs)
    before = f"{lead} " if lead and not preamble.asks_along(clause.words(lead)) else ""
    meant, whole = f"{before}{preamble.stripped(text)}", f"{before}{text}"
    return Said(text, meant, whole, frozenset(("supposed",)) if supposed else frozenset())
