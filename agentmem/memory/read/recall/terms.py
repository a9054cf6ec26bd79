"""Terms: any text as the stems that are searched for, in every script, the same for records and for queries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from agentmem.memory.read.recall.irregular import WORDS

if TYPE_CHECKING:
    from snowballstemmer.english_stemmer import EnglishStemmer

_SAYS_NOTHING = """
a about above after again against all also am an and any are as at be because been before being below between both but
by can could did do does doing don down during each few for from further had has have having he her here hers herself
him himself his how i if in into is it its itself just ll me more most my myself no nor not now of off on once only or
other our ours ourselves out over own re s same she should so some such t than that the their theirs them themselves
then there these they this those through to too under until up ve very was we were what when where which while who
whom why will with would you your yours yourself yourselves m d
"""
STOP = frozenset(_SAYS_NOTHING.split())
_KNOWN = 1 << 17  # words
LONGEST = 64  # characters; what is longer is a hash or encoded data, and is found by its beginning

# Han, kana and hangul are written without blanks, or with endings grown onto the word.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
# Versions, amounts and times stay whole; C++ and C# keep their signs.
_WHOLE = r"\bv?\d+(?:[.,:]\d+)+|\b[A-Za-z](?:\+\+|\#)(?!\w)"
_PLAIN_WORD = re.compile(rf"{_WHOLE}|[A-Za-z0-9]+")
_WORD = re.compile(rf"[{_UNSPACED}]+|{_WHOLE}|[^\W_{_UNSPACED}]+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# In ASCII a word is what stands between other signs, but for the whole ones, which are looked for where they may be.
_LETTERS = bytes(sign if chr(sign).isalnum() and sign < 128 else 32 for sign in range(256))
_POINTED = re.compile(r"[0-9][.,:][0-9]")
_ODD = re.compile(r"[^\x00-\x7f]")
_AS_EMOJI = "\ufe0f"
# Accents, the points of Hebrew, the vowel signs and the stretching of Arabic: words are found with them and without.
_HEBREW = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_ARABIC = "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
_ACCENTS = re.compile(f"[\u0300-\u036f{_HEBREW}{_ARABIC}]")
_UNIT = re.compile(r"(\d+)([a-z]+)")


MARKS = FIGURE, TIMED, HINTED, SMALL = "\x01", "\x02", "\x03", "\x04"
"""What a `Lexicon` may put into a text's stems: a figure; what names a time; what hints at a change, and a small word
that may."""


class Lexicon(dict[str, str]):
    """Words, and what each is found by: its stems with a blank behind each. A word is looked into once.

    `marks`, of `MARKS`, are put behind some stems and words, so that one glance at what was read tells whether a
    text holds one of them; `unmarked` takes them away. A word with a figure in it is marked in any case.
    """

    def __init__(self, *, stops: bool = False, marks: Mapping[str, str] | None = None) -> None:
        """`stops`: stop words count too, for texts in which they may be what is asked for. `marks` are by stem, and of
        a stop word by the word."""
        super().__init__()
        self._stops = stops
        self._marks = marks or {}

    def __missing__(self, word: str) -> str:
        found = "".join(f"{stem}{self._marks.get(stem, '')} " for stem in _stems(word, self._stops))
        found = found or self._marks.get(word.casefold(), "")
        if not word.isalpha() and any(map(str.isdigit, word)):
            found = FIGURE + found
        if len(word) <= LONGEST:
            if len(self) >= _KNOWN:
                self.clear()
            self[word] = found
        return found

    def read(self, text: str) -> str:
        """The stems of a text, marked, in order and with repetitions, a blank behind each."""
        if not text.isascii():
            plain = _ODD.sub(_plain, text)
            if not plain.isascii():
                return "".join(map(self.__getitem__, _WORD.findall(_folded(text))))
            text = plain
        if "#" not in text and "++" not in text:
            words = text.encode("ascii").translate(_LETTERS).decode("ascii").split()  # thrice as fast as of a `str`
            found = "".join(map(self.__getitem__, words))
            if FIGURE not in found or not _POINTED.search(text):
                return found
        return "".join(map(self.__getitem__, _PLAIN_WORD.findall(text)))


def unmarked(stems: str) -> str:
    """The stems that `Lexicon.read` gave without marks."""
    if stems.isprintable():
        return stems
    for mark in MARKS:
        if mark in stems:  # looked for first: most are not there
            stems = stems.replace(mark, "")
    return stems


_SAID, _ALL = Lexicon(), Lexicon(stops=True)


def terms(text: str) -> list[str]:
    """The stems of a text, in order and with repetitions, stop words left out."""
    return unmarked(_SAID.read(text)).split()


def all_terms(text: str) -> list[str]:
    """The same with the stop words, for texts in which they may be what is asked for."""
    return unmarked(_ALL.read(text)).split()


def _plain(sign: re.Match[str]) -> str:
    return _folded_sign(sign[0])


@lru_cache(maxsize=1 << 12)
def _folded_sign(sign: str) -> str:
    """What a sign beside ASCII is folded to where no other sign changes that: ASCII, a blank for what is in no word;
    the sign itself where the whole text must be looked at."""
    apart = _ACCENTS.sub("", unicodedata.normalize("NFKD", sign))
    if apart.isascii():
        return apart
    inert = all(not _WORD.match(one) and (one == _AS_EMOJI or unicodedata.category(one)[0] != "M") for one in apart)
    return "".join(one if one.isascii() else " " for one in apart) if inert else sign


def _folded(text: str) -> str:
    """Compatibility forms as the usual ones, accents gone; kana keep their marks and hangul stays composed."""
    apart = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart))


def _stems(word: str, stops: bool) -> tuple[str, ...]:
    """What one word is found by: nothing for a stop word, a camelCase name also by its parts."""
    if word[0] >= "\u3040" and re.match(f"[{_UNSPACED}]", word):
        return (*(word[at : at + 2] for at in range(len(word) - 1)), word[-1])
    small = word.casefold()[:LONGEST]
    if small in STOP and not stops:
        return ()
    if small[0].isdigit() or (small[0] == "v" and small[1:2].isdigit()):
        return tuple(_number(small))
    parts = _HUMPS.findall(word) if not (word.islower() or word.istitle() or word.isupper()) else []
    if len(parts) < 2 or len(parts) > 8:
        return (_stem(small),)
    apart = (part.casefold() for part in parts)
    return (_stem(small), *(_stem(part) for part in apart if len(part) > 1 and part not in STOP))


def _number(word: str) -> Iterator[str]:
    yield word.replace(",", "").removeprefix("v")
    if found := _UNIT.fullmatch(word):
        yield found[1]


def _stem(word: str) -> str:
    return str(_stemmer().stemWord(WORDS.get(word, word))) if word.isascii() and word.isalpha() else word


@cache
def _stemmer() -> EnglishStemmer:
    from snowballstemmer.english_stemmer import EnglishStemmer  # 13 ms, and only a search needs it

    return EnglishStemmer()
