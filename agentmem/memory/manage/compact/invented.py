"""Invented: identifiers in a summary that stand nowhere in what it sums up; a sentence that holds one is taken out."""

from __future__ import annotations

import re

from agentmem.memory.read.identifiers import commands, stands
from agentmem.memory.read.kinds import Memo, named

# A number that is no count of a few: ports, lines, sizes, codes.
_BARE = re.compile(r"(?<![\w.,])\d{3,}+(?:[.,]\d++)*+(?![\w])")
_QUOTED = re.compile(r"`([^`\n]{2,300})`")
_CODE = re.compile(r"(?<![\w$])[A-Za-z$][A-Za-z0-9$]*+_\w++")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def invented(text: str, *sources: str) -> tuple[str, ...]:
    """The identifiers in `text` that stand in none of the sources, in the order in which they come up."""
    found = [
        one for one in dict.fromkeys(claims(text)) if not any(stands(one, source, whole=False) for source in sources)
    ]
    return tuple(found)


def without(text: str, made_up: tuple[str, ...]) -> str:
    """The text without the sentences that hold one of these; a bullet or a line of them alone goes whole."""
    out: list[str] = []
    for line in text.split("\n"):
        if not any(one in line for one in made_up):
            out.append(line)
            continue
        kept = [piece for piece in _SENTENCE.split(line) if not any(one in piece for one in made_up)]
        rest = " ".join(kept).rstrip()
        if len(rest.strip(" -*#>0123456789.)")) > 2:
            out.append(rest)
    return "\n".join(out)


def claims(text: str) -> list[str]:
    """What a summary claims to stand in its span: everything in it that is no plain word. Names in code count where
    they are set as code or could be nothing else."""
    found = [name for kind, name in named(text, Memo()) if kind != "name"]
    found += commands(text)
    found += _BARE.findall(text)
    for quoted in _QUOTED.findall(text):
        found += [name for kind, name in named(quoted, Memo()) if kind == "name"]
    found += _CODE.findall(text)
    return found
