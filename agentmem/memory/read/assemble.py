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
from agentmem.memory.read.selection import BYTES_A_TOKEN, MemoryFile, Selection, fits, select
from agentmem.memory.stores import blobs, ledger, lines, semantic

# Of the window, what instruction files may fill at most.
INSTRUCTION_SHARE = 0.25


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
    memory = _memory(places, window)
    parts = [("rules", Path(__file__).with_name("rules.md").read_text(encoding="utf-8").strip())]
    parts += [(one.path, one.block) for one in loaded]
    parts += [("memory", block) for block in memory.blocks]
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
    notes = (*files.notes, *memory.left_out)
    return Epoch(blobs.digest(blob)[:16], system, tools, blob, loaded, notes, window)


def _part(name: str, text: str) -> dict[str, Any]:
    data = text.encode(errors="replace")
    return {"name": name, "sha256": blobs.digest(data), "bytes": len(data)}


def _memory(places: Places, window: int) -> Selection:
    root = places.root.resolve()
    levels = (
        _Level(places.home / "MEMORY.md", places.home / "memory" / "ledger.jsonl", str(places.home / "MEMORY.md")),
        _Level(places.memory_file, places.ledger, "MEMORY.md", root),
    )
    held: list[tuple[_Level, str]] = []
    notes: list[str] = []
    for level in levels:
        real = level.path.resolve()
        if level.inside is not None and not real.is_relative_to(level.inside):
            notes.append(f"{level.name} leads out of the project, to {real}: not loaded")
            continue
        try:
            text = semantic.read(real)
        except OSError as error:
            notes.append(f"{level.name} could not be read: {error.strerror}")
            continue
        if text.strip():
            held.append((level, text))
    ranked = not fits((text for _, text in held), window)
    files = tuple(MemoryFile(level.name, text, _order(level.ledger) if ranked else {}) for level, text in held)
    chosen = select(files, window)
    return Selection(chosen.blocks, (*notes, *chosen.left_out))


@dataclass(frozen=True, slots=True)
class _Level:
    """One level's MEMORY.md; the project's must lie `inside` its root."""

    path: Path
    ledger: Path
    name: str
    inside: Path | None = None


def _order(path: Path) -> dict[str, int]:
    try:
        return {fact: at for at, fact in enumerate(ledger.facts_in_order(path))}
    except OSError:
        return {}


def _state(places: Places) -> str:
    system = os.uname()
    rows = [f"Working directory: {places.cwd}"]
    if places.root != places.cwd:
        rows.append(f"Project root: {places.root}")
    rows.append(f"System: {system.sysname} {system.machine}")
    return fence.block(fence.STATE, "\n".join(rows))
