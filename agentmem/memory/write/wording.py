"""Wording: a claim's text made fit for one bullet, and the words it is compared by."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 1000

_FENCES = re.compile(r"```|~~~")
_BULLET = re.compile(r"^(?:[-*+>]|\d{1,9}[.)]|#{1,6})\s+")
_BLOCK_ID = re.compile(r"(?:(?:^|\s+)\^[A-Za-z0-9-]+)+$")
# Characters a person cannot see: controls, direction overrides, tags, zero-width ones between Latin letters.
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1b\x7f\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_EDGES = "\"'`“”‘’«»()[]{}<>,;:!?…*|。，、！？：；「」"
# Scripts written without blanks between words: there a word is sought as a piece of the text.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

_GLUE = "a an the this that these those is are was were am be been being it its i we you me us my our your and"
_COMPARE = "< > <= >= == != ≤ ≥ ≠"

GLUE = frozenset(_GLUE.split(" "))
_COMPARES = frozenset(_COMPARE.split(" "))


def clean(text: str) -> str:
    """The text on one line, without a leading bullet or heading mark and without a trailing block id."""
    line = " ".join(unicodedata.normalize("NFC", text).split())
    while (shorter := _BLOCK_ID.sub("", _BULLET.sub("", line))) != line:
        line = shorter
    return line


def fault(text: str) -> str | None:
    """Why a claim of this text cannot be kept, whoever made it; None when it can."""
    line = clean(text)
    if not words(line):
        return "there is nothing in it to remember"
    if len(line) > LONGEST:
        return f"it is {len(line)} characters long; at most {LONGEST} fit one memory"
    if _FENCES.search(text):
        return "it holds a code fence; a memory is one line of prose"
    if _UNSEEN.search(line):
        return "it holds characters that cannot be seen"
    return None


def words(text: str) -> list[str]:
    """The content words, numbers and identifiers of a text, in order: folded to lower case, without the punctuation
    around them, without articles and the like. Negations are content, and so are signs that compare."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return [word for word in map(bare, folded.split()) if word and word not in GLUE]


def bare(word: str) -> str:
    """A folded word without the punctuation around it, empty where nothing else is in it."""
    if word in _COMPARES:
        return word
    inner = word.strip(_EDGES).rstrip(".").strip(_EDGES)
    return inner if any(map(str.isalnum, inner)) or inner in _COMPARES else ""


def stands_in(word: str, there: frozenset[str], text: str) -> bool:
    """True when the word is one of `there`; in a script without blanks also when it is a piece of the folded `text`."""
    return word in there or (_UNSPACED.search(word) is not None and word in text)
