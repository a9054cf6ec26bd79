"""Fencing: any text set into a Markdown page so that it can neither end what it stands in nor swallow what follows."""

from __future__ import annotations

import re

_RUN = re.compile(r"`+")
_OPENS = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
# A line that begins so would be taken for HTML, some of which runs to the end of the page.
_HTML = re.compile(r"^( {0,3})<(?=[!?/A-Za-z])(?!https?:|mailto:)")


def fenced(text: str, info: str = "text") -> str:
    """A code block, its fence longer than any run of backticks in the text."""
    mark = "`" * max(3, 1 + max((len(run) for run in _RUN.findall(text)), default=0))
    return f"{mark}{info}\n{text.rstrip()}\n{mark}"


def code(text: str) -> str:
    """A piece of code within a line; line ends become blanks."""
    line = " ".join(text.split()) or " "
    mark = "`" * (1 + max((len(run) for run in _RUN.findall(line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{mark}{pad}{line}{pad}{mark}"


def quoted(text: str) -> str:
    """A block quote: whatever Markdown the text opens ends with it."""
    return "\n".join(f"> {line}".rstrip() for line in sound(text).split("\n"))


def sound(text: str) -> str:
    """Markdown as it is, but with its last fence closed and without HTML that would hide what follows."""
    out: list[str] = []
    fence = ""
    for line in text.strip("\n").split("\n"):
        found = _OPENS.match(line)
        if fence:
            closes = line.strip()
            ends = len(line) - len(line.lstrip(" ")) < 4 and bool(closes) and set(closes) == {fence[0]}
            if ends and len(closes) >= len(fence):
                fence = ""
        elif found:
            fence = found[1]
        else:
            line = _HTML.sub(r"\1\\<", line)
        out.append(line)
    return "\n".join([*out, fence] if fence else out)
