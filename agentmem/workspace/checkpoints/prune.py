"""Prune: what old sessions kept goes, by age and by the size of it all; what a session that runs needs stays.

A session lets go of its checkpoints when its ref goes; then all goes that no ref leads to. Nothing goes while another
session has the store open (see `held`), and what is younger than an hour is left alone whatever leads to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from agentmem.domain.bounds import Bounds
from agentmem.domain.places import Places
from agentmem.programs import find_program
from agentmem.workspace.checkpoints.git import Git, GitFailed
from agentmem.workspace.checkpoints.holding import InUse, alone
from agentmem.workspace.checkpoints.repository import STORE

DAY = 86_400.0
RECENT = DAY
"""Seconds: what a session kept since then stays, whatever the bounds say."""
_YOUNG = 3_600.0  # seconds
_STAMP = "pruned"
_LOOSE = re.compile(r"[0-9a-f]{38}|tmp_obj_\w+")


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went: of how many sessions, and how many bytes; `left` bytes are there. `why` says what hindered, "" for
    nothing."""

    sessions: int
    freed: int
    left: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Ref:
    path: Path
    at: float
    commit: str


def due(store: Path, now: float) -> bool:
    """Whether a day has gone by since the store was last pruned."""
    try:
        return abs(now - (store / _STAMP).lstat().st_mtime) >= DAY
    except OSError:
        return True


def kept(store: Path) -> tuple[int, int]:
    """Of how many sessions the store keeps something, and its size in bytes."""
    return len(_refs(store)), _size(store / "objects")


@dataclass(frozen=True, slots=True)
class Pruning:
    """How to prune the store of `places`. `runs` tells whether a session, called by its id, is being written."""

    places: Places
    bounds: Bounds
    env: Mapping[str, str]
    runs: Callable[[str], bool]

    @property
    def store(self) -> Path:
        """Where the checkpoints lie."""
        return self.places.shared / STORE

    def run(self, now: float, seconds: float | None = None) -> Pruned:
        """Prune; git works for at most so many `seconds`. `now` is in seconds since 1970. Raises `OSError`."""
        if not _folders(self.store):
            return Pruned(0, 0, 0)
        program = find_program("git", self.env)
        if program is None:
            return Pruned(0, 0, _size(self.store / "objects"), "git is not installed")
        git = Git(program, self.places.root, self.places.home / "checkpoints", self.store / "objects", self.env)
        timer = Timer(seconds, git.stop) if seconds is not None else None
        if timer is not None:
            timer.start()
        try:
            return self._prune(git, now)
        finally:
            if timer is not None:
                timer.cancel()

    def _prune(self, git: Git, now: float) -> Pruned:
        store = self.store
        _stamp(store, now)
        before = _size(store / "objects")
        refs = sorted(_refs(store), key=lambda ref: ref.at)
        free = [ref for ref in refs if now - ref.at > RECENT and not self.runs(ref.path.name)]
        going = [ref for ref in free if now - ref.at > self.bounds.days * DAY]
        why = ""
        try:
            if before > self.bounds.size:
                staying = [ref for ref in refs if ref not in going]
                going += _oldest(git, [ref for ref in free if ref in staying], staying, self.bounds.size)
            for ref in going:
                ref.path.unlink(missing_ok=True)
            _sweep(store, git, now)
        except (GitFailed, InUse) as error:
            why = str(error)
        left = _size(store / "objects")
        return Pruned(len(going), before - left, left, why)


def _stamp(store: Path, now: float) -> None:
    handle = os.open(store / _STAMP, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        os.utime(handle, (now, now))
    finally:
        os.close(handle)


def _oldest(git: Git, free: list[_Ref], staying: Sequence[_Ref], most: int) -> list[_Ref]:
    """The fewest of the oldest of `free` that must go so that what stays is small enough; all where that is too few."""
    low, high = 0, len(free)
    while low < high:
        middle = (low + high) // 2
        if _usage(git, [ref.commit for ref in staying if ref not in free[:middle]]) <= most:
            high = middle
        else:
            low = middle + 1
    return free[:low]


def _sweep(store: Path, git: Git, now: float) -> None:
    """Remove what no ref leads to. Raises `GitFailed`, `InUse`, `OSError`."""
    roots = sorted(ref.commit for ref in _refs(store))
    used = _reachable(git, roots)
    folder = store / "objects" / "pack"
    packs = [path for path in folder.glob("pack-*.pack") if _old(path, now)] if not folder.is_symlink() else []
    mixed = [path for path in packs if len(inner := _inside(git, path)) > 0 and not inner <= used]
    packed = _repacked(store, git, used) if mixed else None
    with alone(store):
        if sorted(ref.commit for ref in _refs(store)) != roots:
            raise InUse("a session kept something meanwhile")
        for path in packs if packed is not None else ():
            if path.stem != packed:
                for one in path.parent.glob(f"{path.stem}.*"):
                    one.unlink(missing_ok=True)
        for path in _loose(store / "objects"):
            if f"{path.parent.name}{path.name}" not in used and _old(path, now):
                path.unlink(missing_ok=True)


def _repacked(store: Path, git: Git, used: set[str]) -> str:
    """All that is used in one new pack; gives its name. Empty where nothing is used."""
    if not used:
        return ""
    names = "".join(f"{name}\n" for name in sorted(used)).encode()
    target = str(store / "objects" / "pack" / "pack")
    digest = git.run("pack-objects", "-q", target, index=_no_index(git), stdin=names).decode().strip()
    return f"pack-{digest}"


def _reachable(git: Git, commits: Sequence[str]) -> set[str]:
    if not commits:
        return set()
    words = ("rev-list", "--objects", "--no-object-names", "--stdin")
    told = git.run(*words, index=_no_index(git), stdin="".join(f"{one}\n" for one in commits).encode())
    return set(told.decode().split())


def _usage(git: Git, commits: Sequence[str]) -> int:
    """Bytes on disk of all that these commits lead to."""
    if not commits:
        return 0
    words = ("rev-list", "--objects", "--disk-usage", "--stdin")
    return int(git.run(*words, index=_no_index(git), stdin="".join(f"{one}\n" for one in commits).encode()))


def _inside(git: Git, pack: Path) -> set[str]:
    told = git.run("show-index", index=_no_index(git), stdin=pack.with_suffix(".idx").read_bytes())
    return {line.split(" ")[1] for line in told.decode().splitlines()}


def _no_index(git: Git) -> Path:
    return git.settings / "index" / "none"


def _refs(store: Path) -> list[_Ref]:
    found = []
    for path in (one for tree in _folders(store / "refs" / "agentmem") for one in tree.iterdir()):
        try:
            commit = path.read_text("ascii").strip() if path.is_file() and not path.is_symlink() else ""
            if re.fullmatch("[0-9a-f]{40}", commit):
                found.append(_Ref(path, path.stat().st_mtime, commit))
        except (OSError, ValueError):
            continue  # one that is just written, or no ref of ours
    return found


def _loose(objects: Path) -> Iterator[Path]:
    """Loose objects, and what was left of some that were half written."""
    for folder in _folders(objects):
        if re.fullmatch("[0-9a-f]{2}", folder.name):
            yield from (path for path in folder.iterdir() if _LOOSE.fullmatch(path.name))


def _folders(above: Path) -> list[Path]:
    """The directories in one, no links: what came with a clone may lead anywhere."""
    if above.is_symlink() or not above.is_dir():
        return []
    return [path for path in above.iterdir() if path.is_dir() and not path.is_symlink()]


def _old(path: Path, now: float) -> bool:
    try:
        return now - path.lstat().st_mtime > _YOUNG
    except OSError:
        return False


def _size(folder: Path) -> int:
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(where, name)).st_size
            except OSError:
                continue  # gone meanwhile
    return total
