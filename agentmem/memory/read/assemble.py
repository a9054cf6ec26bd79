"""Assemble: the part of a prompt that holds still for an epoch, a function of files alone.

No clock, no counts of a session, no directory order: a resume over unchanged files gives the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from agentmem import regular
from agentmem.domain.places import Places
from agentmem.domain.prompt import ToolSpec
from agentmem.memory.read import fence, manifest
from agentmem.memory.read.instructions import Instruction, Loader
from agentmem.memory.read.manifest import BYTES_A_TOKEN, Section
from agentmem.memory.stores import blobs, lines

# Of the window, what instruction files may fill at most.
INSTRUCTION_SHARE = 0.25

Cards: TypeAlias = tuple[tuple[Section, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Epoch:
    """What holds still. `manifest` names its `sections` by their hashes; it and they are kept under
    `.agent/blobs/<SHA-256>`, and `id` is the first 16 hex digits of the manifest's.

    `loaded` are the instruction files in it; `notes` tell the person what was cut or left out; `window` is in tokens.
    """

    id: str
    system: str
    tools: tuple[ToolSpec, ...]
    sections: tuple[Section, ...]
    manifest: bytes
    loaded: tuple[Instruction, ...]
    notes: tuple[str, ...]
    window: int


class Shown(NamedTuple):
    """How memory is shown: `caps` of the sections that are always shown whole (heading: characters), and what tells
    whether the person vouched for this folder; else its memory is the project's word."""

    caps: Mapping[str, int] = MappingProxyType({})
    trusted: Callable[[], bool] = lambda: True


PLAIN = Shown()


def loader(places: Places, window: int, seen: tuple[str, ...] = ()) -> Loader:
    """The loader of a session whose model has `window` tokens; files in `seen` are in its history already."""
    return Loader(places, int(window * INSTRUCTION_SHARE * BYTES_A_TOKEN), seen)


@dataclass(frozen=True, slots=True)
class Frame:
    """What an epoch must know of its branch: the instruction files that its messages hold (`told`), those that they
    held and that are to be read `again`, the `state` that the harness set, how memory is `shown`; and the `cards` of
    skills, with what the person should know of them."""

    told: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    state: Mapping[str, str] = field(default_factory=dict)
    cards: Cards = ((), ())
    shown: Shown = PLAIN


BARE = Frame()


def begin(places: Places, files: Loader, tools: tuple[ToolSpec, ...], window: int, frame: Frame = BARE) -> Epoch:
    """Read all that goes before the messages."""
    loaded = (*files.first(), *files.again(frame.again))
    memory, left_out = _memory(places, window, frame.shown)
    rules = Path(__file__).with_name("rules.md").read_text(encoding="utf-8").strip()
    sections = tuple(
        map(
            _sound,
            (
                manifest.tools_section(tools),
                Section("rules", "agentmem's own rules", rules),
                *(Section(_KINDS[one.mark], one.name, one.block, one.path) for one in loaded),
                *memory,
                Section("state", "the working directory", _state(places, frame.state)),
                *frame.cards[0],
            ),
        )
    )
    system, listed = manifest.system(sections), manifest.write(sections)
    notes = (*files.notes, *left_out, *frame.cards[1])
    return Epoch(blobs.digest(listed)[:16], system, tools, sections, listed, loaded, notes, window)


_KINDS = {fence.PROFILE: "profile", fence.INSTRUCTIONS: "instructions"}


def _sound(section: Section) -> Section:
    """The part as UTF-8 can hold it: names of files may be no text."""
    return Section(*(lines.sound(one) for one in (section.kind, section.name, section.text, section.path)))


def _memory(places: Places, window: int, shown: Shown) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """The memory of both levels, and what the person should know of it."""
    if not any(os.path.lexists(folder / "MEMORY.md") for folder in (places.home, places.root)):
        return (), ()
    from agentmem.memory.read.selection import Wanted, remembered  # nothing to select from: nothing to load

    chosen = remembered(places, Wanted(window, shown.caps, shown.trusted()))
    parts = (Section("memory", name, block) for name, block in zip(chosen.names, chosen.blocks, strict=True))
    return tuple(parts), chosen.left_out


def _state(places: Places, state: Mapping[str, str]) -> str:
    system = os.uname()
    rows = [f"Working directory: {places.cwd}"]
    if places.root != places.cwd:
        rows.append(f"Project root: {places.root}")
    rows.append(f"System: {system.sysname} {system.machine}")
    if branch := _branch(places.root / ".git"):
        rows.append(f"Git branch: {branch}")
    rows += [f"{key}: {value}" for key, value in state.items()]
    return fence.block(fence.STATE, "\n".join(rows))


def _branch(git: Path) -> str:
    """The branch that is checked out, "" where there is none, or what is there is no repository."""
    try:
        if git.is_file():  # a linked work tree names its own directory
            git = git.parent / regular.read(git, 4096).decode().removeprefix("gitdir:").strip()
        head = regular.read(git / "HEAD", 4096).decode().strip()
    except (OSError, ValueError):
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""
