"""Corpus: which files are searched here, and the records in those that are not logs.

Sessions, the day files of both levels, and the knowledge folders that the person named. Nothing else: not the queue,
the inbox, offloaded output, archives, blobs or the index itself, which only repeat what stands in these.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentmem import regular
from agentmem.domain.places import Places
from agentmem.memory.read import marked
from agentmem.memory.read.recall.passages import FILE, Record

Kind = Literal["session", "episode", "knowledge"]
LARGEST = 4 << 20  # bytes of a day file or a file of knowledge
_READABLE = (".md", ".markdown", ".rst", ".txt", ".adoc")
_MOST_FILES = 5_000
_SECTION = 1_500  # characters of a section without headings
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.md")
_BLOCK = re.compile(r"##\s+(?:(\d\d:\d\d)\s+)?(.*?)\s*(?:\s\^([A-Za-z0-9-]+))?\s*")


@dataclass(frozen=True, slots=True)
class File:
    """A file to be searched, as it is now; `home` has the key of the marks that stand for secrets in it."""

    path: str
    kind: Kind
    size: int
    mtime: int
    inode: int
    home: Path


def files(places: Places, knowledge: Sequence[str] = ()) -> list[File]:
    """The files to be searched, in the order of their paths. What cannot be read is passed over."""
    found = [*_listed(places.sessions, "session", re.compile(r".+\.jsonl"), places.home)]
    for level in dict.fromkeys((places.root, places.home)):
        found += _listed(level / "memory", "episode", _DAY, places.home)
    for name in knowledge:
        if (folder := _folder(places.root, name)) is not None:
            found += _below(folder, places.home)
    return sorted(found, key=lambda file: (file.kind, file.path))


def not_searched(places: Places, knowledge: Sequence[str]) -> list[str]:
    """The names in `knowledge` that are no folder below the root."""
    return [name for name in knowledge if (folder := _folder(places.root, name)) is None or not folder.is_dir()]


def _folder(root: Path, name: str) -> Path | None:
    """A folder of knowledge; None where it lies outside the root or in our own."""
    root = Path(os.path.realpath(root))
    folder = Path(os.path.realpath(root / name))
    return folder if folder.is_relative_to(root) and not folder.is_relative_to(root / ".agent") else None


def _listed(folder: Path, kind: Kind, name: re.Pattern[str], home: Path) -> Iterator[File]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if name.fullmatch(entry.name) and (file := _file(entry, kind, home)) is not None:
            yield file


def _file(entry: os.DirEntry[str], kind: Kind, home: Path) -> File | None:
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        stat = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return File(entry.path, kind, stat.st_size, stat.st_mtime_ns, stat.st_ino, home)


def _below(folder: Path, home: Path) -> list[File]:
    """The readable files below a folder; hidden ones and links are left out."""
    found: list[File] = []
    for path, folders, _ in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [file for file in _listed(Path(path), "knowledge", _NAMED, home) if file.size <= LARGEST]
        if len(found) > _MOST_FILES:
            break
    return found[:_MOST_FILES]


_NAMED = re.compile(rf"[^.].*(?:{'|'.join(map(re.escape, _READABLE))})", re.I)


def records(file: File, start: int = 0) -> Iterator[Record]:
    """What a day file or a file of knowledge holds from byte `start` on, with marks where secrets stand; places and
    sizes are those of the file, whatever its bytes are. The file is read at once. Raises `OSError`."""
    text = regular.read(Path(file.path), LARGEST).decode("utf-8", "surrogateescape")
    found = _episodes(text, Path(file.path).stem) if file.kind == "episode" else _sections(text, file)
    return (_clean(one, file.home) for one in found if one.place >= start)


def _clean(record: Record, home: Path) -> Record:
    return record._replace(text=marked.shown(_bytes(record.text).decode("utf-8", "replace"), home))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _episodes(text: str, day: str) -> Iterator[Record]:
    place = 0
    for block in _blocks(text):
        size = len(_bytes(block))
        head, _, body = block.partition("\n")
        found = _BLOCK.fullmatch(head.rstrip("\r"))
        if found and block.startswith("##"):
            at = f"{day}T{found[1]}:00Z" if found[1] else day
            ref = found[3] or f"{day}-{place}"
            yield Record(ref, at, FILE, f"{found[2]}\n{body.strip()}", place, size)
        place += size


def _blocks(text: str) -> list[str]:
    return re.split(r"(?m)^(?=## )", text)


def _sections(text: str, file: File) -> Iterator[Record]:
    """A file of knowledge by its headings, long sections by paragraphs."""
    place = 0
    for section in re.split(r"(?m)^(?=#{1,6} )", text):
        for part in _parts(section):
            size = len(_bytes(part))
            if part.strip():
                yield Record(f"{os.path.basename(file.path)}:{place}", "", FILE, part.strip(), place, size)
            place += size


def _parts(section: str) -> Iterator[str]:
    now = ""
    for paragraph in re.split(r"(?<=\n)(?=\s*\n)", section):
        if now and len(now) + len(paragraph) > _SECTION:
            yield now
            now = ""
        now += paragraph
    yield now
