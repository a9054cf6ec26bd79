"""Exporting: a session as its log's lines or as a page, into a file or down a pipe."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from agentmem.app.home import places_of
from agentmem.memory.memory import exported, page, read_session

FORMATS = ("jsonl", "markdown")


def export(called: str, form: str, env: Mapping[str, str], *, whole_tree: bool = False) -> Iterator[bytes]:
    """The pieces of the export in order: lines of the log, or a Markdown page of the current branch (or of all).

    Raises `SessionMissing`, `LogWriteError` (the log cannot be read).
    """
    places = places_of(env)
    if form == "jsonl":
        yield from exported(places, called)
        return
    for number, block in enumerate(page(read_session(places, called), whole_tree=whole_tree)):
        yield (b"\n" if number else b"") + block.encode("utf-8", "replace") + b"\n"


class CannotExport(Exception):
    """The file to export to cannot be written; names it and the cause."""


def save(path: Path, pieces: Iterable[bytes]) -> int:
    """Write the pieces to a file that is there whole or not at all; gives its size in bytes. Raises `CannotExport`."""
    place = Path(os.path.realpath(path))
    staged = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        if place.exists() and not place.is_file():  # a device or a pipe takes what comes
            with place.open("wb") as file:
                return sum(map(file.write, pieces))
        try:
            # What a session holds is for its owner, wherever it is put.
            handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(handle, "wb") as file:
                size = sum(map(file.write, pieces))
            os.replace(staged, place)
            return size
        finally:
            staged.unlink(missing_ok=True)
    except OSError as error:
        raise CannotExport(f"{path} cannot be written: {error.strerror or error}") from error
