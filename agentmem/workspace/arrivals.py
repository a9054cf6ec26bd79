"""Arrivals: what git's own records say of how a file's text came into a work tree, the oldest step first.

    logs/HEAD                    each move of HEAD and why: commit, merge, pull, checkout, clone, reset, rebase …
    logs/refs/remotes/…          when text came with a fetch, before it was merged or checked out by path
    refs, MERGE_HEAD, …          what lies ready and may be checked out by path without any record
    logs/refs/stash              what git took out of the work tree and put aside

The repository is only read, and its settings have no say: its objects are opened from a git directory of our own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agentmem import regular
from agentmem.domain.gitstep import Arrival
from agentmem.programs import find_program
from agentmem.workspace.checkpoints.git import Git, GitFailed
from agentmem.workspace.worktree import git_directories

_MOST_STEPS, _MOST_REFS = 5_000, 1_000
_LOG_MOST = 1 << 26
_MOVE = re.compile(rb"([0-9a-f]{40}) ([0-9a-f]{40}) [^\t]*? (\d+) [-+]\d{4}(?:\t(.*))?")
_NAME = re.compile(rb"[0-9a-f]{40}")
_LOCAL = re.compile(rb"commit(?: \((?:initial|amend)\))?: ")
_READY = ("MERGE_HEAD", "FETCH_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "ORIG_HEAD", "HEAD")
_NONE = b"0" * 40


@dataclass(frozen=True, slots=True)
class _Move:
    at: int
    local: bool
    before: bytes
    after: bytes
    here: bool = True


def arrivals(path: Path, home: Path, env: Mapping[str, str]) -> list[Arrival] | None:
    """The steps in which the file at `path` got its text, as far as git tells; empty where it is in no work tree. None
    where git is there and cannot be asked: then nothing is known. `home` is the person's level."""
    found = git_directories(path.parent)
    if found is None:
        return []
    top, own, common = found
    moves = sorted(_moves(own, common), key=lambda move: move.at)[-_MOST_STEPS:]
    ready = list(dict.fromkeys(_ready(own, common)))[:_MOST_REFS]
    stashes = [move.after for move in _log(os.path.join(common, "logs", "refs", "stash"))][-_MOST_REFS:]
    untracked = [name + b"^3" for name in stashes]  # where `git stash -u` puts them
    head = next((move.after for move in reversed(list(_log(os.path.join(own, "logs", "HEAD"))))), _NONE)
    if not moves and not ready:
        return []
    program = find_program("git", env)
    if program is None:
        return None
    git = Git(program, Path(top), home / "checkpoints", Path(common, "objects"), env)
    named = dict.fromkeys(
        [*(name for move in moves for name in (move.before, move.after)), *ready, *stashes, *untracked]
    )
    try:
        texts = _texts(git, [name for name in named if name != _NONE], os.path.relpath(path, top))
    except GitFailed:
        return None
    steps = [_step(one, texts) for one in moves]
    steps += [Arrival(False, b"", texts.get(name, b"")) for name in ready]
    aside = [*(stashes if head in texts else []), *untracked]  # not known where HEAD is: lines may have gone in any way
    steps += [Arrival(False, texts[name], texts.get(head, b"")) for name in aside if name in texts]
    return [step for step in steps if step.before != step.after]


def _step(move: _Move, texts: Mapping[bytes, bytes]) -> Arrival:
    at = move.at if move.here else 0
    return Arrival(move.local, texts.get(move.before, b""), texts.get(move.after, b""), at)


def _moves(own: str, common: str) -> Iterator[_Move]:
    """What was fetched comes before what was done with it in the same second."""
    for folder, _, files in os.walk(os.path.join(common, "logs", "refs", "remotes")):
        for name in files:
            yield from (replace(move, here=False) for move in _log(os.path.join(folder, name)))
    yield from _log(os.path.join(own, "logs", "HEAD"))


def _log(path: str) -> Iterator[_Move]:
    for line in _read(path).split(b"\n"):
        found = _MOVE.fullmatch(line)
        if found is None or (why := found[4] or b"").startswith(b"update by push"):
            continue
        yield _Move(int(found[3]), _LOCAL.match(why) is not None, found[1], found[2])


def _ready(own: str, common: str) -> Iterator[bytes]:
    """Commits whose files may be put into the work tree; a stash is the person's own."""
    for name in _READY:
        for line in _read(os.path.join(own, name)).split(b"\n"):
            if found := _NAME.match(line):
                yield found[0]
    for line in _read(os.path.join(common, "packed-refs")).split(b"\n"):
        if (found := _NAME.match(line)) and not line.endswith(b" refs/stash"):
            yield found[0]
    for folder, _, files in os.walk(os.path.join(common, "refs")):
        for name in sorted(files):
            if name != "stash" and (found := _NAME.match(_read(os.path.join(folder, name)))):
                yield found[0]


def _texts(git: Git, commits: Sequence[bytes], path: str) -> dict[bytes, bytes]:
    """The file's bytes in each commit that holds it. Raises `GitFailed`."""
    if not commits:
        return {}
    asked = b"".join(name + b":" + os.fsencode(path) + b"\n" for name in commits)
    out = git.run("cat-file", "--batch", index=git.settings / "index" / "none", stdin=asked)
    return dict(_answers(out, commits))


def _answers(out: bytes, commits: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    for name in commits:
        end = out.find(b"\n", at)
        if end < 0:
            return
        said = out[at:end].split(b" ")
        at = end + 1
        if len(said) == 3 and said[1] in (b"blob", b"tree", b"commit", b"tag") and said[2].isdigit():
            size = int(said[2])
            if said[1] == b"blob":
                yield name, out[at : at + size]
            at += size + 1


def _read(path: str) -> bytes:
    try:
        return regular.read(path, _LOG_MOST)
    except OSError:
        return b""
