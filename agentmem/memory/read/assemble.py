"""Assemble: the part of a prompt that holds still for an epoch, a function of files alone.

No clock, no counts of a session, no directory order: a resume over unchanged files gives the same bytes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.places import Places
from agentmem.domain.prompt import ToolSpec
from agentmem.memory.read import fence
from agentmem.memory.read.instructions import Instruction, Loader
from agentmem.memory.stores import blobs, lines

# Of the window, what instruction files may fill at most.
INSTRUCTION_SHARE = 0.25
BYTES_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Epoch:
    """What holds still. `blob` is JSON, kept under `.agent/blobs/<its SHA-256>`; `id` is 16 hex digits of that.

    `loaded` are the instruction files in it; `notes` tell the person what was cut or left out; `window` is in tokens.
    """

    id: str
    system: str
    tools: tuple[ToolSpec, ...]
    blob: bytes
    loaded: tuple[Instruction, ...]
    notes: tuple[str, ...]
    window: int


def loader(places: Places, window: int, seen: tuple[str, ...] = ()) -> Loader:
    """The loader of a session whose model has `window` tokens; files in `seen` are in its history already."""
    return Loader(places, int(window * INSTRUCTION_SHARE * BYTES_A_TOKEN), seen)


def begin(places: Places, files: Loader, tools: tuple[ToolSpec, ...], window: int) -> Epoch:
    """Read all that goes before the messages."""
    loaded = files.first()
    memory, left_out = _memory(places, window)
    parts = [("rules", Path(__file__).with_name("rules.md").read_text(encoding="utf-8").strip())]
    parts += [(one.path, one.block) for one in loaded]
    parts += [("memory", block) for block in memory]
    parts.append(("state", _state(places)))
    system: str = lines.sound("\n\n".join(text for _, text in parts))
    blob = lines.dump(
        lines.sound(
            {
                "parts": [_part(name, text) for name, text in parts],
                "system": system,
                "tools": [{"name": t.name, "description": t.description, "schema": dict(t.schema)} for t in tools],
            }
        )
    )
    notes = (*files.notes, *left_out)
    return Epoch(blobs.digest(blob)[:16], system, tools, blob, loaded, notes, window)


def _part(name: str, text: str) -> dict[str, Any]:
    data = text.encode(errors="replace")
    return {"name": name, "sha256": blobs.digest(data), "bytes": len(data)}


def _memory(places: Places, window: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fenced memory blocks, and what the person should know of them."""
    if not any(os.path.lexists(folder / "MEMORY.md") for folder in (places.home, places.root)):
        return (), ()
    from agentmem.memory.read.selection import remembered  # nothing to select from: nothing to load

    chosen = remembered(places, window)
    return chosen.blocks, chosen.left_out


def _state(places: Places) -> str:
    system = os.uname()
    rows = [f"Working directory: {places.cwd}"]
    if places.root != places.cwd:
        rows.append(f"Project root: {places.root}")
    rows.append(f"System: {system.sysname} {system.machine}")
    return fence.block(fence.STATE, "\n".join(rows))
