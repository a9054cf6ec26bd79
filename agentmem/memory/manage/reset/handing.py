"""Handing: the handoff of a work tree, read from its files, written to them, and as a model is told of it."""

from __future__ import annotations

from dataclasses import fields

from agentmem.domain.handoff import Handoff
from agentmem.domain.places import Places
from agentmem.memory.read import fence
from agentmem.memory.stores import blobs, progress, seal
from agentmem.memory.write.redact import Redactor

NAMES = ("progress.md", "brief.md")


def read_handoff(places: Places) -> Handoff | None:
    """What the handoff files say, None where there is no progress.md. Raises `OSError`."""
    return progress.read(places.own)


def write_handoff(places: Places, handoff: Handoff) -> dict[str, str]:
    """Put the handoff files in place, without the secrets that someone wrote into it; gives the SHA-256 of each. Raises
    `OSError`."""
    clean = Redactor(lambda: seal.key(places.home)).text
    progress.write(places.own, Handoff(*(clean(getattr(handoff, one.name)) for one in fields(handoff))))
    return {name: blobs.digest((places.own / "handoff" / name).read_bytes()) for name in NAMES}


def handoff_of(text: str) -> Handoff:
    """The handoff that a model's Markdown says."""
    return progress.parse(text)


def handoff_text(handoff: Handoff) -> str:
    """The handoff as Markdown, both files in one."""
    return f"{progress.render(handoff)}\n# Brief\n\n{handoff.brief.strip()}\n"


def handoff_block(name: str, text: str, by: str) -> str:
    """A part of what a fresh session is told, as data between marks; `by` is whose word it is."""
    return fence.block(fence.HANDOFF, text, source=name, by=by)
