"""Difference: what is easily mistaken between two texts (blanks, quotes, case), and which of it sets them apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

_LINES_MOST = 200
_CHARACTERS_MOST = 20_000

_FLAT: Mapping[str, str] = {
    **dict.fromkeys("“”„", '"'),
    **dict.fromkeys("‘’‚", "'"),
    **dict.fromkeys("–—−‐‑", "-"),
    **dict.fromkeys("\u00a0\u202f\u2009", " "),
    **dict.fromkeys("\u200b\ufeff", ""),
}
_FULL_WIDTH = re.compile("[\uff01-\uff5e\u3000]")


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _flat(text: str) -> str:
    for sign, plain in () if text.isascii() else _FLAT.items():
        text = text.replace(sign, plain)
    return text


def _narrow(text: str) -> str:
    if text.isascii():
        return text
    return _FULL_WIDTH.sub(lambda sign: " " if sign[0] == "\u3000" else chr(ord(sign[0]) - 0xFEE0), text)


def _composed(text: str) -> str:
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _by_line(step: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "\n".join([step(line) for line in text.split("\n")])


def _one_blank(line: str) -> str:
    """Runs of blanks between two words as one blank."""
    end = line[len(line.rstrip()) :] if line.strip() else ""
    return _indent(line) + " ".join(line.split()) + end


# Each step takes one kind of difference out of a text; the hint is for texts that only this step makes equal.
_STEPS: tuple[tuple[Callable[[str], str], str], ...] = (
    (_flat, "quotes, dashes or blanks are other signs than the plain ones (“ ” ‘ ’ – or a no-break space)"),
    (_narrow, "full-width signs (，：！５) stand where the other has plain ones"),
    (_composed, "a letter with its accent is one sign in one, two signs in the other"),
    (str.casefold, "upper and lower case differ"),
    (_by_line(_one_blank), "the blanks between words differ"),
    (_by_line(str.rstrip), "the blanks at line ends differ"),
    (_by_line(str.lstrip), ""),  # told by `_indentation`
)


def loosened(text: str) -> str:
    """A text without all that is easily mistaken, in as many lines."""
    text = _composed(_narrow(_flat(text))).casefold()
    return "\n".join([" ".join(line.split()) for line in text.split("\n")])


def differences(rows: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Hints on what sets `wanted` apart from the `rows` that hold it once both are loosened."""
    whole, part = "\n".join(rows[:_LINES_MOST]), "\n".join(wanted[:_LINES_MOST])
    if max(len(whole), len(part)) > _CHARACTERS_MOST:
        return []
    hints = []
    for skipped, hint in _STEPS:
        left, right = whole, part
        for step in (step for step, _ in _STEPS if step is not skipped):
            left, right = step(left), step(right)
        if right.strip("\n") not in left:
            hints.append(hint or _indentation(rows, wanted))
    if len(rows) < len(wanted) and not wanted[-1]:
        hints.append("the file ends without a newline, old has one")
    return hints


def _indentation(rows: Sequence[str], wanted: Sequence[str]) -> str:
    tabs = ["\t" in "".join(_indent(line) for line in lines) for lines in (rows, wanted)]
    match tabs:
        case [True, False]:
            return "the file indents with tabs, old with spaces"
        case [False, True]:
            return "the file indents with spaces, old with tabs"
    return "the indentation differs"
