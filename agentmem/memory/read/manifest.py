"""Manifest: the parts that a prompt's prefix is made of, each kept once by its content and named by its hash.

    {"parts":[{"kind":"tools","name":"tools","sha256":"…","bytes":4711,"tokens":1178},
              {"kind":"instructions","name":"AGENTS.md","path":"/w/AGENTS.md","sha256":"…","bytes":912,"tokens":228}]}

The tools come first, as they do in a request; the other parts, joined by a blank line, are the system text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.prompt import ToolSpec
from agentmem.memory.stores import blobs, lines

BYTES_A_TOKEN = 4
TOOLS = "tools"


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a prefix. `kind` is tools, rules, profile, instructions, memory or state; `name` is for people;
    `path` the file it came from, None where it came from none. The text of the tools is JSON."""

    kind: str
    name: str
    text: str
    path: str | None = None

    @property
    def data(self) -> bytes:
        """What its hash is taken of."""
        return self.text.encode()


def tools_section(tools: Sequence[ToolSpec]) -> Section:
    """The tools as a part."""
    told = [{"name": one.name, "description": one.description, "schema": dict(one.schema)} for one in tools]
    return Section(TOOLS, TOOLS, json.dumps(lines.sound(told), ensure_ascii=False, separators=(",", ":")))


def system(sections: Iterable[Section]) -> str:
    """The system text that these parts make."""
    return "\n\n".join(one.text for one in sections if one.kind != TOOLS)


def write(sections: Iterable[Section]) -> bytes:
    """The manifest of these parts: one line of JSON."""
    return lines.dump({"parts": [_told(one) for one in sections]})


def _told(section: Section) -> dict[str, Any]:
    size = len(section.data)
    out: dict[str, Any] = {"kind": section.kind, "name": section.name}
    if section.path is not None:
        out["path"] = section.path
    return {**out, "sha256": blobs.digest(section.data), "bytes": size, "tokens": -(-size // BYTES_A_TOKEN)}
