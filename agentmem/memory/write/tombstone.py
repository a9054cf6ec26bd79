"""Tombstones: what stands in place of forgotten words, in JSON and in plain text, so that a file stays what it was.

In JSON only what someone said is touched: text, arguments, names. What tells an entry's place and kind (`type`, `id`,
`role`, times, hashes, opaque signatures) stays, whatever words it is made of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentmem.domain.phrase import Phrases
from agentmem.memory.write.formal import PAGE, apart

TOMB = "[forgotten]"

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_DECODER = json.JSONDecoder()
_PLACES = "type id parent_id at role call_id usage stop form to of first_kept kind origin session entry entries fact op"
_KINDS = "principal outcome category signature redacted data media_type sha256 epoch version agentmem parent_session"
_TIMES = "model cwd root tree seen turn call supersedes valid_from valid_to event_id event consolidated_at hmac"
_FIXED = frozenset(f"{_PLACES} {_KINDS} {_TIMES}".split(" "))
# Below these keys everything was said by someone, the names of keys too.
_FREE = frozenset(("arguments", "input"))
_DIGITS = re.compile(r"[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class Mended:
    """A text without the words: `count` of them were there, `kept` more stand where nothing was said, and stay."""

    data: bytes
    count: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Tombs:
    """Puts tombstones in the place of `phrases`; `exact` ones fill the very bytes they replace."""

    phrases: Phrases
    exact: bool = True

    def text(self, data: bytes, form: re.Pattern[bytes] | None = None) -> Mended:
        """Plain text; line ends within a match stay, and so does what is formal by `form`."""
        every = self.phrases.spans(data)
        spans = every if form is None else apart(every, data, form)
        if not spans:
            return Mended(data, kept=len(every))
        for sign in (None, self._sign()):
            out: list[bytes] = []
            at = 0
            for start, end in spans:
                out += (data[at:start], self._over_lines(data[start:end], sign))
                at = end
            done = b"".join((*out, data[at:]))
            if len(self.phrases.spans(done)) == len(every) - len(spans):
                break
        return Mended(done, len(spans), len(every) - len(spans))

    def json(self, data: bytes) -> Mended:
        """JSON values in a row, one line of them or many; what between them is none is plain text."""
        if not self.phrases.maybe_in(data):
            return Mended(data)
        out: list[bytes] = []
        count = kept = 0
        for piece, sound in _values(data.decode("utf-8", "surrogateescape")):
            one = _Value(self).mended(piece) if sound else self.text(_bytes(piece))
            out.append(one.data)
            count, kept = count + one.count, kept + one.kept
        return Mended(b"".join(out), count, kept)

    def beliefs(self, data: bytes) -> Mended:
        """Lines of a MEMORY.md: one that says nothing any more goes."""
        mended = self.text(data, PAGE)
        if not mended.count:
            return mended
        pairs = zip(data.split(b"\n"), mended.data.split(b"\n"), strict=True)
        kept = [new for old, new in pairs if new == old or says(new.decode("utf-8", "replace"))]
        return Mended(b"\n".join(kept), mended.count, mended.kept)

    def _over_lines(self, match: bytes, sign: str | None) -> bytes:
        pieces = re.split(rb"(\s*[\r\n]\s*)", match)
        if not self.exact:  # one tombstone, whatever it goes over
            return self.over(match, sign) + b"".join(pieces[1::2])
        return b"".join(piece if place % 2 else self.over(piece, sign) for place, piece in enumerate(pieces))

    def over(self, match: bytes, sign: str | None = None) -> bytes:
        """What stands in place of these bytes; all of one `sign` where that is given."""
        if not self.exact:
            return (sign * 3 if sign else TOMB).encode()
        size = len(match)
        if sign:
            return sign.encode() * size
        if size < 3:
            return b"_" * size
        word = TOMB[1:-1] if size >= len(TOMB) else ""
        return f"[{word}{'_' * (size - 2 - len(word))}]".encode()

    def _sign(self) -> str:
        """A sign that no phrase holds: what it is put over cannot be found again."""
        used = "".join(self.phrases.needles)
        return next(sign for sign in "_*x#=+~0123456789abcdefghijklmnopqrstuvwyz" if sign not in used)


def _values(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and of each whether it is a JSON value."""
    at = begun = 0
    while at < len(text):
        if text[at] not in '{["':
            at += 1
            continue
        try:
            end = _DECODER.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            break
        yield text[begun:at], False
        yield text[at:end], True
        at = begun = end
    yield text[begun:], False


@dataclass(slots=True)
class _Frame:
    """An object or a list that is open. `pairs` are from where to where a key with its value stands; `hit` are keys
    whose value held a match."""

    is_object: bool
    free: bool
    name: str | None = None
    key: str | None = None
    kind: str = ""
    begun: int = 0
    pairs: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    hit: set[str] = field(default_factory=set)


class _Value:
    """One JSON value being mended."""

    def __init__(self, tombs: Tombs) -> None:
        self._tombs = tombs
        self._open: list[_Frame] = []
        self._edits: list[tuple[int, int, str]] = []
        self._count = self._kept = 0

    def mended(self, text: str) -> Mended:
        for token in _TOKEN.finditer(text):
            first = text[token.start()]
            if first in "{[":
                self._enter(first == "{")
            elif first in "}]":
                self._leave(text)
            elif first == ",":
                self._top.key = None if self._top.is_object else self._top.key
            elif first != ":":
                self._scalar(token)
        out: list[str] = []
        at = 0
        for start, end, instead in sorted(self._edits):
            out += (text[at:start], instead)
            at = end
        return Mended(_bytes("".join((*out, text[at:]))), self._count, self._kept)

    @property
    def _top(self) -> _Frame:
        return self._open[-1]

    def _enter(self, is_object: bool) -> None:
        if not self._open:
            self._open.append(_Frame(is_object, False))
            return
        name = self._top.key if self._top.is_object else self._top.name
        self._open.append(_Frame(is_object, self._top.free or name in _FREE, name))

    def _leave(self, text: str) -> None:
        frame = self._open.pop()
        if frame.kind == "thinking" and "text" in frame.hit:
            # A provider takes a thought back only as it was signed: without the signature it is plain text.
            for key in ("signature", "redacted"):
                self._blank(text, frame.pairs.get(key))
        if "path" in frame.hit:
            for key in ("before", "after"):
                self._void(text, frame.pairs.get(key))

    def _blank(self, text: str, pair: tuple[int, int, int] | None) -> None:
        if pair is None:
            return
        start, _, end = pair
        after = re.compile(r"\s*,").match(text, end)
        before = re.compile(r",\s*$").search(text, 0, start)
        start, end = (start, after.end()) if after else (before.start() if before else start, end)
        self._edits.append((start, end, " " * (end - start)))

    def _void(self, text: str, pair: tuple[int, int, int] | None) -> None:
        """A file whose name is forgotten is not put back by a rewind."""
        if pair is not None and (size := pair[2] - pair[1] - 2) >= 8:
            self._edits.append((pair[1] + 1, pair[2] - 1, "other forgotten"[:size].ljust(size)))

    def _scalar(self, token: re.Match[str]) -> None:
        text = token[0]
        frame = self._open[-1] if self._open else None
        if frame is not None and frame.is_object and frame.key is None:
            frame.key, frame.begun = text[1:-1], token.start()
            self._said(token, keep=not frame.free)
            return
        if frame is None:
            self._said(token, keep=False)
            return
        key = frame.key if frame.is_object else frame.name
        if frame.is_object and key is not None:
            frame.pairs[key] = (frame.begun, token.start(), token.end())
        if key == "type" and not frame.kind:
            frame.kind = text[1:-1]
        fixed = key in _FIXED or (key == "name" and frame.kind == "tool_call")
        if self._said(token, keep=fixed and not frame.free) and key is not None:
            frame.hit.add(key)

    def _said(self, token: re.Match[str], keep: bool) -> bool:
        """Mend one string or number; whether something was there."""
        text = token[0]
        body = text[1:-1] if text.startswith('"') else text
        if text.startswith('"'):
            found = self._tombs.text(_bytes(body)) if not keep else None
            count = found.count if found else len(self._tombs.phrases.spans(_bytes(body)))
            instead = found.data.decode("utf-8", "surrogateescape") if found else ""
        else:
            count = len(self._tombs.phrases.spans(_bytes(body)))
            number = self._number(body) if count and not keep else None
            keep, instead = keep or number is None, number or ""
        if not count:
            return False
        if keep:
            self._kept += count
            return False
        self._count += count
        start = token.start() + text.startswith('"')
        self._edits.append((start, start + len(body), instead))
        return True

    def _number(self, text: str) -> str | None:
        """A number as long that is not looked for; None for what is no whole one outside what was called with."""
        if not (self._open and self._top.free and _DIGITS.fullmatch(text)):
            return None
        tried = (digit * len(text) for digit in "123456789")
        return next((one for one in tried if not self._tombs.phrases.spans(one.encode())), None)


_MARKS = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+|\s\^[A-Za-z0-9-]+\s*$|\[forgotten\]|\*\*\*|___")


def says(line: str) -> bool:
    """Whether a line still says anything but its bullet, its id and tombstones."""
    return any(map(str.isalnum, _MARKS.sub(" ", line)))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
