"""Bare: a private git directory of ours, all of its objects and refs read and rewritten without git."""

from __future__ import annotations

import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from agentmem import objects, regular
from agentmem.memory.stores import folder
from agentmem.memory.stores.packfile import Pack
from agentmem.objects import Damaged

_HEX = re.compile(r"[0-9a-f]{40}")
_FAN = re.compile(r"[0-9a-f]{2}")
_MOST = 1 << 28  # bytes of one loose object, or of a file beside them
_REF_MOST = 1 << 26
_GRAPHS = ("pack/multi-pack-index", "info/commit-graph", "info/commit-graphs", "info/packs")


class Bare:
    """The git directory at `path`. What cannot be read is in `unreadable`, a line each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unreadable: list[str] = []
        self._objects = path / "objects"

    @cached_property
    def _packs(self) -> list[Pack]:
        found = []
        for index in sorted((self._objects / "pack").glob("*.idx")):
            try:
                found.append(Pack(index))
            except FileNotFoundError:
                continue  # its pack was removed; git passes it over too
            except (Damaged, OSError) as error:
                self.unreadable.append(f"{index}: {error}")
        whole = {pack.path.stem for pack in found}
        for pack in sorted((self._objects / "pack").glob("*pack*")):
            if pack.suffix in (".pack", "") and pack.stem not in whole:
                self.unreadable.append(f"{pack}: a pack without an index that can be read")
        return found

    def names(self) -> list[str]:
        """Every object that is there, loose or packed, each once."""
        if os.path.lexists(self._objects / "info" / "alternates"):
            self.unreadable.append(f"{self._objects}/info/alternates names objects elsewhere; it is not followed")
        return sorted({*self._loose(), *(name for pack in self._packs for name in pack.places)})

    def read(self, name: str) -> tuple[str, bytes]:
        """An object's kind and bytes, checked against its name. Raises `Damaged`, `OSError`."""
        kind, data = self._read(name)
        return kind, objects.checked(name, kind, data)

    def put(self, kind: str, data: bytes) -> str:
        """Keep an object, durably; gives its name. Raises `OSError`."""
        return objects.put(self._objects, kind, data, durable=True)

    def refs(self) -> Mapping[str, str]:
        """What each ref names, packed ones too, and a HEAD that names a commit itself."""
        found = {}
        with suppress(OSError):
            for line in regular.read(self.path / "packed-refs", _REF_MOST).decode("utf-8", "replace").split("\n"):
                name, _, ref = line.partition(" ")
                if _HEX.fullmatch(name) and ref:
                    found[ref] = name
        for path in (self.path / "HEAD", *_files(self.path / "refs")):
            with suppress(OSError):
                said = regular.read(path, 4096).decode("ascii", "replace").strip()
                if _HEX.fullmatch(said):
                    found[os.path.relpath(path, self.path)] = said
        return found

    def set_refs(self, new: Mapping[str, str | None]) -> None:
        """Let refs name other commits; one without goes. Raises `OSError`."""
        if not new:
            return
        for ref, name in new.items():
            path = self.path / ref
            if name is None:
                path.unlink(missing_ok=True)
            else:
                folder.make_private(path.parent)
                folder.write_private(path, f"{name}\n".encode())
        packed = self.path / "packed-refs"
        with suppress(FileNotFoundError):
            rows = regular.read(packed, _REF_MOST).decode("utf-8", "surrogateescape").split("\n")
            kept = [row for row in rows if not row.startswith("^") and row.partition(" ")[2] not in new]
            folder.write_private(packed, "\n".join(kept).encode("utf-8", "surrogateescape"))

    def remove(self, gone: set[str]) -> None:
        """Remove objects for good: packs that hold one are taken apart first. Raises `Damaged`, `OSError`."""
        for pack in [one for one in self._packs if gone & one.places.keys()]:
            for name in sorted(pack.places.keys() - gone):
                objects.put(self._objects, *pack.read(name))
            pack.close()
            self._packs.remove(pack)
            stem = pack.path.with_suffix("")
            for beside in (stem.with_suffix(".pack"), *self._objects.glob(f"pack/{stem.name}.*")):
                beside.unlink(missing_ok=True)
        for name in gone:
            (self._objects / name[:2] / name[2:]).unlink(missing_ok=True)
        for graph in _GRAPHS:
            for path in _files(self._objects / graph):
                path.unlink(missing_ok=True)

    def beside(self) -> Iterator[tuple[Path, bytes]]:
        """The files beside objects and refs (logs, config, messages), and objects that were left half-written, as they
        can be read."""
        for path in _files(self.path):
            inner = path.relative_to(self.path).parts
            if inner[0] in ("refs", "packed-refs", "HEAD"):
                continue
            if inner[0] != "objects":
                yield path, regular.read(path, _MOST)
            elif inner[-1].startswith("tmp_"):
                with suppress(zlib.error):
                    yield path, zlib.decompressobj().decompress(regular.read(path, _MOST))

    def close(self) -> None:
        """Let the packs go."""
        for pack in self._packs:
            pack.close()

    def _loose(self) -> Iterator[str]:
        for fan in os.listdir(self._objects) if self._objects.is_dir() else ():
            place = self._objects / fan
            if _FAN.fullmatch(fan) and not place.is_symlink() and place.is_dir():
                yield from (fan + rest for rest in os.listdir(place) if _HEX.fullmatch(fan + rest))

    def _read(self, name: str) -> tuple[str, bytes]:
        path = self._objects / name[:2] / name[2:]
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):
                raise Damaged(f"the object {path} is no file")
            whole = zlib.decompress(regular.read(path, _MOST))
        except FileNotFoundError:
            pack = next((one for one in self._packs if name in one.places), None)
            if pack is None:
                raise Damaged(f"the object {name} is not there") from None
            return pack.read(name)
        except zlib.error as error:
            raise Damaged(f"the object {path} is damaged") from error
        head, _, data = whole.partition(b"\0")
        return head.split(b" ")[0].decode("ascii", "replace"), data


def _files(place: Path) -> Iterator[Path]:
    """The regular files below a folder, or the file itself; links are passed over."""
    if place.is_symlink():
        return
    if place.is_file():
        yield place
    for above, folders, names in os.walk(place):
        folders.sort()
        for name in sorted(names):
            path = Path(above) / name
            if stat.S_ISREG(os.lstat(path).st_mode):
                yield path
