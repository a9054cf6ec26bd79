r"""Phrases: words sought in bytes in any case, any Unicode form and any depth of JSON escapes, and where they stand.

    "Café  au lait"   is found in   cafe\u0301 AU\nlait   CAF\\u00c9 au lait   café<U+200B> au lait

What is compared is folded: case and compatibility forms gone, signs nobody sees left out, blanks of any length one.
A match begins and ends with a whole character, accents included: "cafe" does not stand in "café".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

Span = tuple[int, int]

_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_PLAIN = re.compile("[a-z0-9]+")
_CODE = re.compile(rb"\\u([0-9a-fA-F]{4})")
_BLANKS = re.compile(r"\s+")
_SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# Signs without a look of their own: joiners, direction marks, variation selectors, the byte order mark; tags.
_LOW = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
_HIGH = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
_UNSEEN = re.compile(f"[{_LOW}{_HIGH}]")
# A class that reaches above 0xFFFF is matched sign by sign: most texts need the quick one alone.
_UNSEEN_LOW, _ABOVE = re.compile(f"[{_LOW}]"), re.compile("[\U00010000-\U0010ffff]")
_LEVELS = 12  # of escapes within escapes: each one halves the backslashes
_WINDOW = 1 << 19  # bytes that are looked at closely at once
_OVERLAP = 1 << 13


class NoPhrase(ValueError):
    """There is nothing in it to look for."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words to be found: each of `needles` is folded. Made by `phrases`."""

    needles: tuple[str, ...]

    def maybe_in(self, data: bytes) -> bool:
        """Whether a needle may stand in the bytes; where it says no, none does."""
        if self._absent(data):
            return False
        text = data.decode("utf-8", "surrogateescape")
        for _ in range(_LEVELS):
            folded = " ".join(fold(text).split())
            if any(needle in folded for needle in self.needles):
                return True
            plain = _unescaped(text) if "\\" in text else text
            if plain == text:
                return False
            text = plain
        return False

    def _absent(self, data: bytes) -> bool:
        """Whether it is sure, at little cost, that no needle stands in the bytes: plain letters and digits of each
        would stand there as they are, unless a sign could pass for some of them or stand unseen between two."""
        low = data.lower()
        if any(all(word in low for word in _plain_words(needle)) for needle in self.needles):
            return False
        mimics, above = _mimics(self.needles)
        if b"\\u" in data:
            codes = {int(code, 16) for code in _CODE.findall(data)}
            if any(chr(code).isalnum() if code < 0x80 else code & 0xF800 == 0xD800 for code in codes) or 0x5C in codes:
                return False  # a plain letter, half a sign, or a backslash that makes another escape
            if mimics.search("".join(map(chr, codes))):
                return False
        if data.isascii():
            return True
        text = data.decode("utf-8", "surrogateescape")
        return mimics.search(text) is None and above.isdisjoint(_ABOVE.findall(text))

    def spans(self, data: bytes) -> list[Span]:
        """Where needles stand: from and to bytes, in order, apart from each other."""
        if not self.maybe_in(data):
            return []
        found: list[Span] = []
        for start, piece in _windows(data):
            if self.maybe_in(piece):
                found += [(start + a, start + b) for a, b in self._close(piece)]
        return _merged(found)

    def _close(self, data: bytes) -> Iterator[Span]:
        marks: _Marks | None = _Marks.of(data)
        for _ in range(_LEVELS):
            if marks is None:
                return
            yield from _Folded(marks).found(self.needles)
            marks = marks.unescaped()


def phrases(texts: Iterable[str]) -> Phrases:
    """What to look for. Raises `NoPhrase` for a text without a letter, digit or sign."""
    folded = dict.fromkeys(fold(text).strip() for text in texts)
    if not folded or "" in folded:
        raise NoPhrase("there are no words in it to look for")
    return Phrases(tuple(folded))


def fold(text: str) -> str:
    """The text as it is compared; see above."""
    if text.isascii():
        return _BLANKS.sub(" ", text.lower())
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    unseen = _UNSEEN_LOW.search(plain) or _ABOVE.search(plain)
    return _BLANKS.sub(" ", _UNSEEN.sub("", plain) if unseen else plain)


@lru_cache(64)
def _plain_words(needle: str) -> tuple[bytes, ...]:
    """Runs of plain letters and digits that stand as they are wherever the needle does."""
    runs = (match for match in _PLAIN.finditer(needle))
    # A letter before an accent may be one with it where the needle stands.
    cut = (run[0][:-1] if unicodedata.combining(needle[run.end() : run.end() + 1] or "a") else run[0] for run in runs)
    return tuple(run.encode() for run in cut if run)


@lru_cache(64)
def _mimics(needles: tuple[str, ...]) -> tuple[re.Pattern[str], frozenset[str]]:
    """Signs that may be a part of these needles, or stand unseen in them: the low ones and those above 0xFFFF."""
    able = [sign for sign, folded in _alone().items() if any(folded in needle for needle in needles)]
    low = "".join(re.escape(sign) for sign in able if sign <= "\uffff")
    above = {sign for sign in able if sign > "\uffff"}
    hidden = (chr(code) for code in (*range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)))
    return re.compile(f"[{low}{_LOW}]"), frozenset(above.union(hidden))


@cache
def _alone() -> dict[str, str]:
    """Signs that are compared as plain letters or digits and nothing else (full width, ligatures), and as which."""
    folded = {chr(code): fold(chr(code)) for code in range(0x80, 0x1FFFF) if not 0xD800 <= code < 0xE000}
    return {
        sign: text.strip()
        for sign, text in folded.items()
        if text != sign and _PLAIN.search(text) and not any(map(unicodedata.combining, text))
    }


def _unescaped(text: str) -> str:
    plain = _ESCAPE.sub(lambda one: chr(int(one[1], 16)) if one[1] else _SIMPLE[one[2]], text)
    return _PAIR.sub(lambda pair: _joined(pair[0]), plain)


def _joined(pair: str) -> str:
    return pair.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _windows(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The bytes in pieces that reach over into each other, each from the beginning of a character on."""
    at = 0
    while True:
        end = min(len(data), at + _WINDOW)
        yield at, data[at:end]
        if end == len(data):
            return
        at = end - _OVERLAP
        while at > 0 and (data[at] & 0xC0 == 0x80 or data[at - 1] == 0x5C):
            at -= 1


def _merged(found: list[Span]) -> list[Span]:
    out: list[Span] = []
    for start, end in sorted(set(found)):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


@dataclass(frozen=True, slots=True)
class _Marks:
    """A text's characters, and the bytes that each of them is written in."""

    chars: list[str]
    starts: list[int]
    ends: list[int]

    @staticmethod
    def of(data: bytes) -> _Marks:
        chars = list(data.decode("utf-8", "surrogateescape"))
        starts, ends, at = [], [], 0
        for char in chars:
            starts.append(at)
            at += 1 if char < "\x80" or "\udc80" <= char <= "\udcff" else len(char.encode())
            ends.append(at)
        return _Marks(chars, starts, ends)

    def unescaped(self) -> _Marks | None:
        """The same with its JSON escapes read; None where there are none."""
        text = "".join(self.chars)
        chars: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at, any_found = 0, False
        for match in _ESCAPE.finditer(text):
            any_found = True
            chars += self.chars[at : match.start()]
            starts += self.starts[at : match.start()]
            ends += self.ends[at : match.start()]
            chars.append(chr(int(match[1], 16)) if match[1] else _SIMPLE[match[2]])
            starts.append(self.starts[match.start()])
            ends.append(self.ends[match.end() - 1])
            at = match.end()
        if not any_found:
            return None
        return _Marks(chars + self.chars[at:], starts + self.starts[at:], ends + self.ends[at:])._paired()

    def _paired(self) -> _Marks:
        """Two halves of a character in a row made one."""
        text = "".join(self.chars)
        for match in reversed(list(_PAIR.finditer(text))):
            first, second = match.start(), match.start() + 1
            self.chars[first : second + 1] = [_joined(match[0])]
            self.ends[first : second + 1] = [self.ends[second]]
            del self.starts[second]
        return self


class _Folded:
    """Folded text that knows of each of its characters by which ones of the text it came."""

    def __init__(self, marks: _Marks) -> None:
        self._marks = marks
        self._text: list[str] = []
        self._from: list[int] = []  # the first and the last character that one stands for
        self._to: list[int] = []
        at, chars = 0, marks.chars
        while at < len(chars):
            end = at + 1
            while end < len(chars) and unicodedata.combining(chars[end]):
                end += 1
            self._add(fold("".join(chars[at:end])), at, end - 1)
            at = end

    def _add(self, folded: str, first: int, last: int) -> None:
        if folded.startswith(" ") and self._text and self._text[-1] == " ":
            self._to[-1] = last
            folded = folded[1:]
        self._text += folded
        self._from += [first] * len(folded)
        self._to += [last] * len(folded)

    def found(self, needles: Iterable[str]) -> Iterator[Span]:
        text = "".join(self._text)
        for needle in needles:
            at = text.find(needle)
            while at >= 0:
                end = at + len(needle)
                whole = self._begins(at) and self._begins(end)
                if whole:
                    yield self._marks.starts[self._from[at]], self._marks.ends[self._to[end - 1]]
                at = text.find(needle, end if whole else at + 1)

    def _begins(self, at: int) -> bool:
        """Whether a character of the text begins there."""
        return at in (0, len(self._text)) or self._from[at] != self._from[at - 1]
