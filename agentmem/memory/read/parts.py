"""Parts: what a manifest names, read back and checked against its hashes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.prompt import ToolSpec
from agentmem.memory.read.manifest import TOOLS, Section
from agentmem.memory.stores import blobs


class PartLost(Exception):
    """A part of a prompt is not there any more, or not as it was; the message names it and the file."""


@dataclass(frozen=True, slots=True)
class Named:
    """A part as its manifest tells of it: all but the text. `bytes` is its size."""

    kind: str
    name: str
    sha256: str
    bytes: int
    path: str | None = None


def named(folder: Path, start: str) -> tuple[Named, ...]:
    """The parts that the manifest whose hash begins with `start` names. Raises `PartLost`."""
    try:
        told = json.loads(blobs.get(folder, blobs.find(folder, start)))
        return tuple(_named(one) for one in told["parts"])
    except blobs.BlobLost as error:
        raise PartLost(f"the list of the prompt's parts cannot be read: {error}") from None
    except (ValueError, TypeError, KeyError):
        raise PartLost(f"the list of the prompt's parts ({start}) is in a form this agentmem does not read") from None


def read(folder: Path, start: str) -> tuple[Section, ...]:
    """The parts themselves, each checked against its hash. Raises `PartLost`, naming the first part that is lost."""
    return tuple(section(folder, one) for one in named(folder, start))


def section(folder: Path, part: Named) -> Section:
    """A part with its text, checked against its hash. Raises `PartLost`, naming it."""
    try:
        text = blobs.get(folder, part.sha256).decode()
    except (blobs.BlobLost, UnicodeDecodeError) as error:
        raise PartLost(f"the part {part.name} of the prompt is lost: {error}") from None
    return Section(part.kind, part.name, text, part.path)


def tools(sections: Iterable[Section]) -> tuple[ToolSpec, ...]:
    """The tools among these parts. Raises `PartLost` when they are not in the form that manifests have."""
    text = next((one.text for one in sections if one.kind == TOOLS), "[]")
    try:
        return tuple(ToolSpec(one["name"], one["description"], one["schema"]) for one in json.loads(text))
    except (ValueError, TypeError, KeyError):
        raise PartLost("the tools of the prompt are in a form this agentmem does not read") from None


def _named(value: Mapping[str, Any]) -> Named:
    path = value.get("path")
    return Named(
        str(value["kind"]),
        str(value["name"]),
        str(value["sha256"]),
        int(value["bytes"]),
        path if isinstance(path, str) else None,
    )
