"""Repository: `.agent/checkpoints.git`, a bare git directory of our own that no program of the user looks into.

    HEAD  config  objects/  refs/agentmem/<work tree>/<session>     the last checkpoint of a session, a chain of commits

    git --git-dir=.agent/checkpoints.git log --all --stat           what is kept, for people

Written without git, so that it works where git is missing. A commit holds `files/` (paths below the root), `outside/`
(all others), `seen` (files that were only looked at) and `names/` (of files that no log may tell).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from agentmem import objects, regular
from agentmem.domain.clock import Clock

_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[gc]\n\tauto = 0\n"
STORE = "checkpoints.git"
_HEAD = b"ref: refs/heads/none\n"
_OBJECT = re.compile(rb"[0-9a-f]{40}\n?")


class Unusable(Exception):
    """The private git directory cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The private git directory at `path`, as one session of the work tree `root` uses it."""

    path: Path
    root: Path
    session: str
    clock: Clock

    @property
    def objects(self) -> Path:
        """Where objects lie."""
        return self.path / "objects"

    @property
    def work_tree(self) -> str:
        """A name for the work tree that no other on this machine has."""
        from hashlib import sha256

        return f"{_quoted(self.root.name) or 'root'}-{sha256(os.fsencode(self.root)).hexdigest()[:10]}"

    @property
    def ref(self) -> Path:
        """The file that holds the session's last checkpoint."""
        return self.path / "refs" / "agentmem" / self.work_tree / _quoted(self.session)

    def make(self) -> None:
        """Make what is missing. Raises `OSError`, and `Unusable` for a directory that is not ours alone."""
        for folder in (self.path, self.objects, self.path / "refs"):
            try:
                os.mkdir(folder, 0o700)
            except FileExistsError:
                self._check(folder)
        for name, data in (("config", _CONFIG), ("HEAD", _HEAD)):
            if not os.path.lexists(self.path / name):
                _write(self.path / name, data)

    def put(self, data: bytes, *, durable: bool = True) -> str:
        """Keep bytes and give their name. Raises `OSError`."""
        return objects.put(self.objects, "blob", data, durable=durable)

    def anchor(self, tree: str, message: str) -> str:
        """A commit of `tree` after the session's last one, so that git counts all of it as used. Raises `OSError`."""
        before = self.head()
        who = f"agentmem <agentmem@localhost> {int(self.clock.now())} +0000"
        lines = [f"tree {tree}", *([f"parent {before}"] if before else []), f"author {who}", f"committer {who}"]
        text = "\n".join([*lines, "", message, ""])
        commit = objects.put(self.objects, "commit", text.encode("utf-8", "replace"))
        self.ref.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(self.ref, f"{commit}\n".encode())
        return commit

    def head(self) -> str | None:
        """The session's last checkpoint, None before the first."""
        try:
            data = regular.read(self.ref, 4096)
        except OSError:
            return None
        return data.decode().strip() if _OBJECT.fullmatch(data) else None

    def _check(self, folder: Path) -> None:
        """What came with a clone may be a link into the user's own repository, or anything else."""
        if folder.is_symlink() or not folder.is_dir():
            raise Unusable(f"{folder} is no directory")
        if folder.stat().st_uid != os.geteuid():
            raise Unusable(f"{folder} belongs to another user")


def forget(path: Path, session: str) -> None:
    """Let go of a session's checkpoints in the private git directory at `path`; git's gc then frees what only they
    needed. Raises `OSError`."""
    for ref in path.glob(f"refs/agentmem/*/{_quoted(session)}"):
        ref.unlink()


def _quoted(name: str) -> str:
    """A name as one part of a ref: letters, digits, `-` and `_`, all else as its bytes in hex."""
    return "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "-_") else f"%{os.fsencode(letter).hex()}"
        for letter in name
    )[:120]


def _write(path: Path, data: bytes) -> None:
    beside = path.with_name(f"{path.name[:100]}.{os.urandom(6).hex()}.lock")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
