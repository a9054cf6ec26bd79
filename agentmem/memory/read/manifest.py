"""Manifest: the parts that a prompt's prefix is made of, each kept once by its content and named by its hash.

    {"parts":[{"kind":"tools","name":"tools","sha256":"…","bytes":4711,"tokens":1178},
              {"kind":"instructions","name":"AGENTS.md","path":"/w/AGENTS.md","sha256":"…","bytes":912,"tokens":228}]}

The tools come first, as they do in a request; the other parts, joined by a blank line, are the system text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.prompt import ToolSpec
from agentmem.memory.stores import blobs, lines

BYTES_A_TOKEN = 4
TOOLS = "tools"


class PartLost(Exception):
    """A part of a prompt is not there any more, or not as it was; the message names it and the file."""


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


@dataclass(frozen=True, slots=True)
class Named:
    """A part as its manifest tells of it: all but the text. `bytes` is its size."""

    kind: str
    name: str
    sha256: str
    bytes: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Prefix:
    """All that stands before the messages."""

    sections: tuple[Section, ...]

    @property
    def system(self) -> str:
        """The system text."""
        return "\n\n".join(one.text for one in self.sections if one.kind != TOOLS)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools. Raises `PartLost` when they are not in the form that `tools_section` writes."""
        text = next((one.text for one in self.sections if one.kind == TOOLS), "[]")
        try:
            return tuple(ToolSpec(one["name"], one["description"], one["schema"]) for one in json.loads(text))
        except (ValueError, TypeError, KeyError):
            raise PartLost("the tools of the prompt are in a form this agentmem does not read") from None


def tools_section(tools: Sequence[ToolSpec]) -> Section:
    """The tools as a part."""
    told = [{"name": one.name, "description": one.description, "schema": dict(one.schema)} for one in tools]
    return Section(TOOLS, TOOLS, json.dumps(lines.sound(told), ensure_ascii=False, separators=(",", ":")))


def write(sections: Iterable[Section]) -> bytes:
    """The manifest of these parts: one line of JSON."""
    return lines.dump({"parts": [_told(one) for one in sections]})


def named(folder: Path, start: str) -> tuple[Named, ...]:
    """The parts that the manifest whose hash begins with `start` names. Raises `PartLost`."""
    try:
        told = json.loads(blobs.get(folder, blobs.find(folder, start)))
        return tuple(_named(one) for one in told["parts"])
    except blobs.BlobLost as error:
        raise PartLost(f"the list of the prompt's parts cannot be read: {error}") from None
    except (ValueError, TypeError, KeyError):
        raise PartLost(f"the list of the prompt's parts ({start}) is in a form this agentmem does not read") from None


def read(folder: Path, start: str) -> Prefix:
    """The parts themselves, each checked against its hash. Raises `PartLost`, naming the first part that is lost."""
    return Prefix(tuple(section(folder, one) for one in named(folder, start)))


def section(folder: Path, part: Named) -> Section:
    """A part with its text, checked against its hash. Raises `PartLost`, naming it."""
    try:
        text = blobs.get(folder, part.sha256).decode()
    except (blobs.BlobLost, UnicodeDecodeError) as error:
        raise PartLost(f"the part {part.name} of the prompt is lost: {error}") from None
    return Section(part.kind, part.name, text, part.path)


def _told(section: Section) -> dict[str, Any]:
    size = len(section.data)
    out: dict[str, Any] = {"kind": section.kind, "name": section.name}
    if section.path is not None:
        out["path"] = section.path
    return {**out, "sha256": blobs.digest(section.data), "bytes": size, "tokens": -(-size // BYTES_A_TOKEN)}


def _named(value: Mapping[str, Any]) -> Named:
    path = value.get("path")
    return Named(
        str(value["kind"]),
        str(value["name"]),
        str(value["sha256"]),
        int(value["bytes"]),
        path if isinstance(path, str) else None,
    )
