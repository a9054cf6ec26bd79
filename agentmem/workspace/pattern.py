"""Pattern: a regular expression as a model writes it, in Python's words and, where it means the same, in ripgrep's.

A pattern is matched against one line at a time. What both engines know is put into words that mean the same to both;
what only Python knows (looking around, back references) is left to Python, and stays as it was written. One difference
is left: whether a combining mark or a superscript digit beside `\b` belongs to the word.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

_MOST = 10_000

_INVALID = "\udc80-\udcff"
"""Undecodable bytes as surrogateescape shows them: no expression but a literal one matches them in ripgrep."""

_BLANK = r" \t\r\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What Python takes for a blank, without the line feed."""

_RUST_BLANK = re.sub(r"\\u(....)", r"\\u{\1}", _BLANK)

_OUTSIDE = {
    "d": (r"\d", r"\d"),
    "D": (rf"[^\d\n{_INVALID}]", r"\D"),
    "w": (r"\w", r"[\p{L}\p{N}_]"),
    "W": (rf"[^\w\n{_INVALID}]", r"[^\p{L}\p{N}_]"),
    "s": (f"[{_BLANK}]", f"[{_RUST_BLANK}]"),
    "S": (rf"[^\s{_INVALID}]", f"[^{_RUST_BLANK}]"),
}
_INSIDE = {"d": (r"\d", r"\d"), "w": (r"\w", r"\p{L}\p{N}_"), "s": (_BLANK, _RUST_BLANK)}
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-/:-@\[-`\{-\~",
    "upper": "A-Z",
    "word": r"0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_LETTERS = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_EDGES = {"b": (r"\b", r"\b")}
_REPEAT = re.compile(r"\{(\d*)(?:(,)(\d*))?\}")
_RUST_META = frozenset("\\.+*?()|[]{}^$#&-~")


class BadPattern(Exception):
    """A pattern that is no regular expression; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """`python` is for `re`, over whole texts with MULTILINE when `rust` is set, else line by line; `rust` is for
    ripgrep, None when it cannot say it."""

    python: str
    rust: str | None
    ignore_case: bool


class _OnlyPython(Exception):
    """Here is something that ripgrep does not know or takes differently."""


def read_pattern(text: str, literal: bool = False, ignore_case: bool = False) -> Pattern:
    """Read a pattern; with `literal` every character stands for itself. Raises `BadPattern`."""
    _check(text)
    if literal:
        return Pattern(re.escape(text), "".join(_rust(letter) for letter in text), ignore_case)
    if text.startswith("(?i)"):
        text, ignore_case = text[4:], True
    try:
        python, rust = _Reader(text).read()
        _compile(python)
        return Pattern(python, rust, ignore_case)
    except _OnlyPython:
        _compile(text)
        return Pattern(text, None, ignore_case)


def _check(text: str) -> None:
    if not text:
        raise BadPattern("it is empty")
    if "\n" in text:
        raise BadPattern("it spans lines; matches lie within one line")
    if len(text) > _MOST:
        raise BadPattern(f"it is longer than {_MOST:,} characters")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BadPattern("it holds half a character (a lone surrogate)")


def _compile(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(text)
        except re.error as error:
            raise BadPattern(error.msg) from error
        except (OverflowError, RecursionError) as error:
            raise BadPattern("it is too large or nested too deep") from error


def _rust(letter: str) -> str:
    if letter in _RUST_META:
        return "\\" + letter
    return letter if letter >= " " else f"\\x{ord(letter):02x}"


class _Reader:
    """Reads a pattern from left to right into both dialects."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._python: list[str] = []
        self._rust: list[str] = []
        self._repeatable = False

    def read(self) -> tuple[str, str]:
        """Both dialects. Raises `_OnlyPython`, also for what is wrong in itself: compiling it then says so."""
        while self._at < len(self._text):
            letter = self._text[self._at]
            if letter == "\\":
                self._escape()
            elif letter == "[":
                self._set()
            elif letter == "(":
                self._group()
            elif letter in "*+?" or (letter == "{" and self._is_repeat()):
                self._repeat()
            else:
                self._plain(letter)
        return "".join(self._python), "".join(self._rust)

    def _put(self, python: str, rust: str, length: int, repeatable: bool = True) -> None:
        self._python.append(python)
        self._rust.append(rust)
        self._at += length
        self._repeatable = repeatable

    def _plain(self, letter: str) -> None:
        match letter:
            case ".":
                self._put(rf"[^\n{_INVALID}]", ".", 1)
            case "|":
                self._put(letter, letter, 1, repeatable=False)
            case "^":
                if self._rust and self._rust[-1] not in ("(?:", "|"):
                    raise _OnlyPython  # inside an expression the versions of ripgrep disagree
                self._put(letter, letter, 1, repeatable=False)
            case "$":  # also before the carriage return of a line that ends in both
                if self._text[self._at + 1 : self._at + 2] not in ("", ")", "|"):
                    raise _OnlyPython
                self._put(r"(?:\r?$)", r"(?:\r?$)", 1, repeatable=False)
            case ")":
                self._put(letter, letter, 1)
            case _:
                self._put(re.escape(letter), _rust(letter), 1)

    def _escape(self) -> None:
        letter = self._text[self._at + 1 : self._at + 2]
        if letter in _OUTSIDE and letter:
            self._put(*_OUTSIDE[letter], 2)
        elif letter in _EDGES and letter:
            self._put(*_EDGES[letter], 2, repeatable=False)
        else:
            character, length = self._character()
            self._put(re.escape(character), _rust(character), length)

    def _character(self) -> tuple[str, int]:
        """The one character that stands here, escaped or not, and how long it is written."""
        letter = self._text[self._at]
        if letter != "\\":
            return letter, 1
        letter = self._text[self._at + 1 : self._at + 2]
        if letter in _LETTERS and letter:
            return _LETTERS[letter], 2
        digits = {"x": 2, "u": 4}.get(letter, 0)
        code = self._text[self._at + 2 : self._at + 2 + digits]
        if digits and re.fullmatch(f"[0-9A-Fa-f]{{{digits}}}", code):
            character = chr(int(code, 16))
            if character != "\n" and not "\ud800" <= character <= "\udfff":
                return character, 2 + digits
        if not letter or (letter.isascii() and letter.isalnum()):
            raise _OnlyPython
        return letter, 2

    def _group(self) -> None:
        named = re.compile(r"\((?:\?:|\?P<\w+>)?(?!\?)").match(self._text, self._at)
        if named is None:
            raise _OnlyPython
        self._put("(?:", "(?:", len(named.group()), repeatable=False)

    def _is_repeat(self) -> bool:
        found = _REPEAT.match(self._text, self._at)
        return found is not None and found.group() != "{}"

    def _repeat(self) -> None:
        found = _REPEAT.match(self._text, self._at)
        written = found.group() if found else self._text[self._at]
        after = self._text[self._at + len(written) : self._at + len(written) + 1]
        if not self._repeatable or after == "+":
            raise _OnlyPython
        rust = written
        if found and (found.group(2) or "").startswith(","):
            rust = f"{{{found.group(1) or '0'},{found.group(3)}}}"
        lazy = "?" if after == "?" else ""
        self._put(written + lazy, rust + lazy, len(written + lazy), repeatable=False)

    def _set(self) -> None:
        """A set of characters in brackets."""
        begin = self._at
        self._at += 1
        negated = self._text.startswith("^", self._at)
        self._at += negated
        python, rust, wide = "", "", False
        first = True
        while first or not self._text.startswith("]", self._at):
            if self._at >= len(self._text):
                raise _OnlyPython
            one, other, crosses = self._member()
            python, rust, wide, first = python + one, rust + other, wide or crosses, False
        written, self._at = self._at + 1 - begin, begin
        if negated:
            self._put(rf"[^{python}\n{_INVALID}]", f"[^{rust}]", written)
        else:
            guard = rf"(?![\n{_INVALID}])" if wide else ""
            self._put(f"(?:{guard}[{python}])" if guard else f"[{python}]", f"[{rust}]", written)

    def _member(self) -> tuple[str, str, bool]:
        """A character, range or class of a set in both dialects; and whether it covers what no expression may match."""
        if self._text.startswith("\\", self._at) and self._text[self._at + 1 : self._at + 2] in _INSIDE:
            letter = self._text[self._at + 1]
            self._at += 2
            if self._text.startswith("-", self._at) and not self._text.startswith("-]", self._at):
                raise _OnlyPython
            return *_INSIDE[letter], False
        posix = re.compile(r"\[:(\w+):\]").match(self._text, self._at)
        if posix is not None and posix.group(1) in (*_POSIX, "space"):
            self._at = posix.end()
            return (
                (_POSIX[posix.group(1)],) * 2 + (False,) if posix.group(1) in _POSIX else (_BLANK, _RUST_BLANK, False)
            )
        low, length = self._character()
        self._at += length
        if not self._text.startswith("-", self._at) or self._text[self._at + 1 : self._at + 2] in ("", "]"):
            return re.escape(low), _rust(low), False
        self._at += 1
        high, length = self._character()
        self._at += length
        if low > high or (high == "\\" and length == 1):
            raise _OnlyPython
        wide = low <= "\n" <= high or (low <= "\udcff" and high >= "\udc80")
        return f"{re.escape(low)}-{re.escape(high)}", f"{_rust(low)}-{_rust(high)}", wide
