"""Difference: what is easily mistaken between two texts (blanks, quotes, case), and which of it sets them apart."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

_LINES_MOST = 200
_CHARACTERS_MOST = 20_000

_FLAT = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"}
    | {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u200b": None, "\ufeff": None}
)
_NARROW = str.maketrans({code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "})


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _flat(line: str) -> str:
    return line if line.isascii() else line.translate(_FLAT)


def _narrow(line: str) -> str:
    return line if line.isascii() else line.translate(_NARROW)


def _composed(line: str) -> str:
    return line if line.isascii() else unicodedata.normalize("NFC", line)


def _one_blank(line: str) -> str:
    """Runs of blanks between two words as one blank."""
    end = line[len(line.rstrip()) :] if line.strip() else ""
    return _indent(line) + " ".join(line.split()) + end


# Each step takes one kind of difference out of a line; the hint is for a text that only this step makes equal.
_STEPS: tuple[tuple[Callable[[str], str], str], ...] = (
    (_flat, "quotes, dashes or blanks are other signs than the plain ones (“ ” ‘ ’ – or a no-break space)"),
    (_narrow, "full-width signs (，：！５) stand where the other has plain ones"),
    (_composed, "a letter with its accent is one sign in one, two signs in the other"),
    (str.casefold, "upper and lower case differ"),
    (_one_blank, "the blanks between words differ"),
    (str.rstrip, "the blanks at line ends differ"),
    (str.lstrip, ""),  # told by `_indentation`
)


def loosened(line: str) -> str:
    """A line without all that is easily mistaken."""
    for step, _ in _STEPS:
        line = step(line)
    return line


def differences(rows: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Hints on what sets `wanted` apart from the `rows` that hold it once both are loosened."""
    whole, part = "\n".join(rows[:_LINES_MOST]), "\n".join(wanted[:_LINES_MOST])
    if max(len(whole), len(part)) > _CHARACTERS_MOST:
        return []
    hints = []
    for skipped, hint in _STEPS:
        left, right = whole, part
        for step in (step for step, _ in _STEPS if step is not skipped):
            left, right = _by_line(step, left), _by_line(step, right)
        if right.strip("\n") not in left:
            hints.append(hint or _indentation(rows, wanted))
    if len(rows) < len(wanted) and not wanted[-1]:
        hints.append("the file ends without a newline, old has one")
    return hints


def _by_line(step: Callable[[str], str], text: str) -> str:
    return "\n".join([step(line) for line in text.split("\n")])


def _indentation(rows: Sequence[str], wanted: Sequence[str]) -> str:
    tabs = ["\t" in "".join(_indent(line) for line in lines) for lines in (rows, wanted)]
    match tabs:
        case [True, False]:
            return "the file indents with tabs, old with spaces"
        case [False, True]:
            return "the file indents with spaces, old with tabs"
    return "the indentation differs"
