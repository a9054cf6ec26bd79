"""Paths: where a run's places lie, and what a path that a model named really is on this disk."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.workspace.worktree import WorkTree, is_directory, shared_agent, work_tree


class NoDirectory(Exception):
    """The working directory is gone or is none; the message says so to a person."""


class BadPath(Exception):
    """A path no file can have; the message says why."""


def find_places(cwd: Path, home: Path) -> Places:
    """The places of a run that starts in `cwd`, with `home` as the person's level. Nothing is written.

    The root is the nearest ancestor with a directory `.agent`, else git's top, else `cwd`. Two kinds of ancestor do not
    count: the person's own home directory and `/` (a stray `.agent` or a repository of dotfiles there would swallow
    every project), and what lies above the top of a linked work tree (it may stand in the main one, whose files are
    another branch's). `shared` is the main work tree's `.agent`. Raises `NoDirectory`.
    """
    here = _standing(cwd)
    above, trees = _up_to_linked(here)
    personal = {"/", os.path.realpath(os.path.expanduser("~"))}
    marked = (folder for folder in above if is_directory(os.path.join(folder, ".agent")))
    root = next((folder for folder in marked if folder == here or folder not in personal), None)
    if root is None:
        root = next((tree.top for tree in trees if tree.top == here or tree.top not in personal), here)
    holder = next((tree for tree in trees if len(tree.top) <= len(root)), None)
    shared = os.path.join(root, ".agent") if holder is None or holder.common is None else shared_agent(holder, root)
    return Places(root=Path(root), cwd=Path(here), home=Path(os.path.abspath(home)), shared=Path(shared))


def resolve(named: str, cwd: Path) -> Path:
    """The absolute path a model means by `named`, links resolved as the system does (`link/..` is the parent of
    what the link points to); what does not exist yet is appended as it is. `~` and `~/` are the home directory; blanks
    around a name are dropped unless a file has them. Raises `BadPath`."""
    if "\0" in named:
        raise BadPath("the path holds a NUL byte")
    try:
        os.fsencode(named)
    except UnicodeEncodeError as error:
        raise BadPath("the path holds half a character (a lone surrogate)") from error
    bare = named.strip()
    if not bare:
        raise BadPath("the path is empty")
    if bare != named and not os.path.lexists(_absolute(named, cwd)):
        named = bare
    return Path(os.path.realpath(_absolute(named, cwd)))


def inside(path: Path, root: Path) -> bool:
    """Whether the resolved `path` is `root` or below it, also under another spelling of the same directory (a disk that
    folds case, a second mount)."""
    if path.is_relative_to(root):
        return True
    try:
        mark = os.stat(root)
    except OSError:
        return False
    return (mark.st_dev, mark.st_ino) in identities(path)


def identities(path: Path) -> frozenset[tuple[int, int]]:
    """(device, inode) of `path` and each of its ancestors, as far as they exist and may be looked at."""
    found = set()
    for folder in _ancestors(str(path)):
        try:
            mark = os.stat(folder)
        except (OSError, ValueError):
            continue
        found.add((mark.st_dev, mark.st_ino))
    return frozenset(found)


def folds_case(folder: Path) -> bool:
    """Whether the disk under `folder` takes `A` and `a` for one name, told from a name that is there."""
    for path in _ancestors(str(folder)):
        parent, name = os.path.split(path)
        other = "".join(letter.swapcase() if letter.isascii() else letter for letter in name)
        if other == name or not os.path.lexists(path):
            continue
        try:
            return os.path.samefile(path, os.path.join(parent, other))
        except OSError:
            return False
    return False


def folded(name: str) -> str:
    """The name as a disk that folds case, composes letters and passes over invisible ones compares it."""
    if name.isascii():
        return name.lower()
    import unicodedata

    plain = unicodedata.normalize("NFKC", name)
    return "".join(letter for letter in plain if unicodedata.category(letter) != "Cf").casefold()


def _absolute(named: str, cwd: Path) -> str:
    if named == "~" or named.startswith("~/"):
        named = os.path.expanduser("~") + named[1:]
    return os.path.join(cwd, named)


def _standing(cwd: Path) -> str:
    """The real path of an existing working directory."""
    try:
        real = os.path.realpath(cwd)
        if stat.S_ISDIR(os.stat(real).st_mode):
            return real
    except OSError as error:
        raise NoDirectory(f"the working directory {cwd} no longer exists: go to one that does") from error
    raise NoDirectory(f"the working directory {cwd} is not a directory")


def _ancestors(path: str) -> list[str]:
    """The path itself, then its parents up to `/`."""
    found = [path]
    while (parent := os.path.dirname(found[-1])) != found[-1]:
        found.append(parent)
    return found


def _up_to_linked(here: str) -> tuple[list[str], list[WorkTree]]:
    """The folders from `here` up to `/`, or to the top of the first linked work tree; and the work trees among them."""
    above: list[str] = []
    trees: list[WorkTree] = []
    for folder in _ancestors(here):
        above.append(folder)
        tree = work_tree(folder)
        if tree is not None:
            trees.append(tree)
            if tree.common is not None:
                break
    return above, trees
