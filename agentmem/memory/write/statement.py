"""Statement: what a text states, apart from what it asks: "I like tabs, can you reformat it?" states "I like tabs"."""

from __future__ import annotations

import re

from agentmem.memory.write import clause, contrary, pasted, preamble, wording

_SENTENCE = re.compile(r"(?<=[.!?;])(?<!\be\.g\.)(?<!\bi\.e\.)\s+|(?<=[。！？；])|\n")
# What a question begins with, at its start or behind a comma.
_HEAD = (
    r"(?:(?:so|and|but|or|also|hmm|well|ok|okay|please|because|since|now|then|you know|like)[ ,]+){0,3}"
    r"(?:what(?:'s| if| about)?|which|who|whom|whose|when|where|why|how(?: about)?|is|are|was|were|do|does|did|can|"
    r"could|"
    r"should|would|will|shall|may|might|have|has|am|any)(?:n't)? (?:i|we|you|he|she|it|they|the|this|that|there|these|"
    r"those|my|our|your|is|are|do|does|can|could|should|would|will|if|about|much|many|to|be|kind|sort|\w+s?)\b"
)
_ASKS = re.compile(_HEAD, re.IGNORECASE)
_TURNS = re.compile(
    rf"\s*(?:,|;|:|\s[–—-])\s+(?={_HEAD})|\s+(?=(?:and|but|so|or) (?:can|could|would|how|what|should|do) )", re.I
)
_UNMARKED = re.compile(
    r"(?:what|which|who|when|where|why|how) (?:is|are|do|does|did|should|can|could|would|will|was|were|shall)\b|"
    r"(?:should|could|would|can|did|does|is|are|was|were|will|shall) (?:i|we|you|he|she|it|they|the|this|that|there|my|"
    r"our|your)\b|(?:do|have) (?:i|we|you|they)\b|am i\b",
    re.IGNORECASE,
)
# Behind it stands what to do, for a reason that was stated.
_SO = re.compile(
    r",?\s+so,?\s+(?=(?:please|always|never|don't|do not|let's|use|keep|avoid|write|put|run|make|prefer|add|ask|answer|"
    r"stick|set|call|skip|treat|format|name|leave|check)\b(?! (?:that|much|many)\b))",
    re.IGNORECASE,
)
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_BLOCK_QUOTE = re.compile(r"^ {0,3}>[^\n]*$", re.MULTILINE)
_MAIL = re.compile(r"(?:^(?:from|to|cc|sent|date|subject|von|an|betreff|de|objet): [^\n]*\n){2}", re.I | re.M)
_APART = re.compile(r"[ \t]*\n[ \t]*\n")
_COLON = re.compile(r":(?=\s)")
_LEAD = 200  # characters before a colon that are looked at
_OWN_LEAD = re.compile(
    r"\b(?:remember|memori[sz]e|keep in mind|note (?:that|this|these|down)|save|store|my|our|we|"
    r"i (?:have |already |just |almost )*(?:said|told|forgot))\b",
    re.IGNORECASE,
)
_HANDS = re.compile(
    r"\b(?:summari[sz]e|translate|explain|review|proofread|rewrite|rephrase|analy[sz]e|parse|quote|classify|extract|"
    r"convert|debug|read|look at|what (?:does|do|is|about)|here(?:'s| is| are)|following|below|this (?:e-?mail|message|"
    r"text|document|doc|article|page|log|output|issue|ticket|comment|note|transcript|paste)|says?|said|wrote|sent|got|"
    r"received|pasted?|copied|scraped|attached|e-?mail|from the (?:web|site|docs?|internet))\b",
    re.IGNORECASE,
)
_ALSO = re.compile(r"(?:also|and|btw|by the way|one more thing|separately|unrelated|besides)\b", re.IGNORECASE)
_ENDS = "\"'”’)* "


def own(text: str) -> str:
    """The text without its code blocks and block quotes: those are seldom its writer's own words."""
    return _BLOCK_QUOTE.sub("\n", _FENCED.sub("\n", text))


def fences(text: str) -> list[tuple[int, int]]:
    """Where the code blocks of a text stand."""
    return [found.span() for found in _FENCED.finditer(text)]


def said(text: str) -> str:
    """`own`, and without what the writer hands over to be worked on: all behind "summarise this:" but a last paragraph
    that plainly turns to something else ("Also, …"), all of a mail from its head on, and what looks pasted."""
    text = pasted.without(own(text))
    text = text[: mail.start()] if (mail := _MAIL.search(text)) is not None else text
    end = next((colon.end() for colon in _COLON.finditer(text) if _hands(text, colon.start())), None)
    if end is None:
        return text
    last = text.rstrip().rpartition("\n\n")[2]
    more = f"\n\n{last}" if _ALSO.match(last) and len(last) < len(text) - end else ""
    return text[:end] + more


def _hands(text: str, colon: int) -> bool:
    """Whether the words before a colon hand over what follows it, to be worked on."""
    lead = re.split(r"\n|[.!?]\s", text[max(0, colon - _LEAD) : colon])[-1]
    if _OWN_LEAD.search(lead) is not None:
        return False
    return _HANDS.search(lead) is not None or (_APART.match(text, colon + 1) is not None and _strange(lead))


def _strange(lead: str) -> bool:
    """Whether words before a colon say nothing of whose what follows is, nor deny it."""
    told = clause.words(lead)
    denied = contrary.turned(frozenset(word.text for word in told), frozenset())
    return bool(told) and not denied and not preamble.before(told, ":")


def pieces(text: str) -> list[str]:
    """The sentences of a text; one that states something and then asks is two, and so is one that says what is and
    then what to do ("I live in Rome, so use CET")."""
    sentences = (part for sentence in _SENTENCE.split(text) for part in _concluded(sentence.strip()))
    return [piece for sentence in sentences for piece in _parted(sentence) if piece]


def question(piece: str) -> bool:
    """Whether a piece is a question."""
    return piece.rstrip(_ENDS).endswith(("?", "？"))


def stated(text: str) -> str:
    """The text without its questions; all of it where nothing else is in it, or nothing is asked."""
    found = pieces(text)
    if not any(map(question, found)):
        return text
    told = [piece for piece in found if not question(piece) and len(wording.words(piece)) > 1]
    return " ".join(told) if told else text


def asks(text: str) -> bool:
    """Whether a text only asks."""
    found = [piece for piece in pieces(text) if wording.words(piece)]
    return bool(found) and all(question(piece) or (len(found) == 1 and _plainly(piece)) for piece in found)


def _concluded(sentence: str) -> tuple[str, ...]:
    found = _SO.search(sentence)
    if found is None or not preamble.before(clause.words(sentence[: found.start()]), "&"):
        return (sentence,)
    return sentence[: found.start()], sentence[found.end() :]


def _parted(sentence: str) -> tuple[str, ...]:
    if not question(sentence) or _ASKS.match(sentence):
        return (sentence,)
    for turn in _TURNS.finditer(sentence):
        before = sentence[: turn.start()].rstrip(" ,")
        if len(wording.words(before)) > 1:
            return before, sentence[turn.end() :]
    return (sentence,)


def _plainly(piece: str) -> bool:
    """A question without its mark."""
    return _UNMARKED.match(piece) is not None
