"""Work trees of git: which folder is the top of one, and the `.agent` that linked ones have in common.

Git is not asked (a process costs more than a start-up may): `.git`, its `gitdir:` line and `commondir` are read, as
gitrepository-layout(5) describes them. A folder that came from elsewhere can claim anything about itself, so a kinship
counts only where both sides name each other.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from agentmem import regular

_FILE_MOST = 65_536  # bytes of a .git file, commondir or config that are looked at


@dataclass(frozen=True, slots=True)
class WorkTree:
    """A git work tree: its top, and for a linked one the git directory that all its siblings have in common."""

    top: str
    common: str | None


def work_tree(folder: str) -> WorkTree | None:
    """The work tree whose top is `folder`, None when it is no top. `.git` may be a directory, a link to one, or a file
    that names one; a linked work tree's git directory holds a `commondir`."""
    git = _git_directory(folder)
    if git is None:
        return None
    return WorkTree(folder, _common(git) if _is_recorded(git, folder) else None)


def git_directories(folder: Path) -> tuple[str, str, str] | None:
    """The top of the work tree that `folder` lies in, its git directory, and the one it shares with its siblings (the
    same where it has none); None outside of one."""
    above = os.path.realpath(folder)
    while (git := _git_directory(above)) is None:
        parent = os.path.dirname(above)
        if parent == above:
            return None
        above = parent
    common = _common(git) if _is_recorded(git, above) else None
    return above, git, common or git


def _git_directory(folder: str) -> str | None:
    mark = os.path.join(folder, ".git")
    if is_directory(mark):
        git = os.path.realpath(mark)
        return git if os.path.lexists(os.path.join(git, "HEAD")) else None
    line = _read(mark)
    if line is None or not line.startswith("gitdir:"):
        return None
    return os.path.realpath(os.path.join(folder, line.removeprefix("gitdir:").strip()))


def _common(git: str) -> str | None:
    common = _read(os.path.join(git, "commondir"))
    if common is None or not common.strip():
        return None
    shared = os.path.realpath(os.path.join(git, common.strip()))
    # Git keeps a linked tree's directory in the common one; anything else is not git's doing.
    return shared if os.path.dirname(git) == os.path.join(shared, "worktrees") else None


def _is_recorded(git: str, top: str) -> bool:
    """Whether a linked work tree's git directory names `top` as its place (in `gitdir`), as git keeps it there."""
    back = (_read(os.path.join(git, "gitdir")) or "").strip()
    if not back:
        return False
    # The place is compared, not what lies there: a `.git` that is a link to another tree's leads to the same file.
    place, name = os.path.split(os.path.join(git, back))
    return name == ".git" and os.path.realpath(place) == os.path.realpath(top)


def shared_agent(tree: WorkTree, root: str) -> str:
    """The `.agent` that linked work trees have in common: of the main one, or of the root's twin in it.

    Without a main work tree (worktrees of a bare repository that stands alone) it lies in the common git directory."""
    common = str(tree.common)
    main = _main_tree(common)
    if main is None:
        return os.path.join(common, ".agent")
    twin = os.path.join(main, os.path.relpath(root, tree.top))
    return os.path.join(os.path.normpath(twin) if is_directory(twin) else main, ".agent")


def siblings(root: str) -> list[str]:
    """The places of `root` in the repository's other work trees, those that are there; none without a repository."""
    top, tree = root, work_tree(root)
    while tree is None and top != os.path.dirname(top):
        top = os.path.dirname(top)
        tree = work_tree(top)
    if tree is None:
        return []
    common = tree.common or str(_git_directory(top))
    main = _main_tree(common)
    found = [main] if main is not None else []
    linked = os.path.join(common, "worktrees")
    for name in sorted(os.listdir(linked)) if is_directory(linked) else ():
        mark = (_read(os.path.join(linked, name, "gitdir")) or "").strip()
        place = os.path.dirname(os.path.join(linked, name, mark)) if mark else ""
        if place and _git_directory(place) == os.path.join(os.path.realpath(linked), name):
            found.append(place)
    inner = os.path.relpath(root, top)
    twins = [os.path.realpath(os.path.join(one, inner)) for one in found]
    return [twin for twin in dict.fromkeys(twins) if twin != os.path.realpath(root) and is_directory(twin)]


def _main_tree(common: str) -> str | None:
    """The folder that the common git directory belongs to: where its `.git` stands, or what its config names (that of a
    submodule)."""
    parent, name = os.path.split(common)
    if name == ".git":
        return parent
    line = _read(os.path.join(parent, ".git")) or ""
    named = line.removeprefix("gitdir:").strip()
    if line.startswith("gitdir:") and os.path.realpath(os.path.join(parent, named)) == common:
        return parent
    worktree = _core_worktree(_read(os.path.join(common, "config")) or "")
    main = os.path.realpath(os.path.join(common, worktree)) if worktree else ""
    return main if main and _git_directory(main) == common else None


def _core_worktree(config: str) -> str | None:
    """`core.worktree` of a git config file, None when it is not set."""
    section = ""
    for line in config.split("\n"):
        line = line.strip()
        if line.startswith("["):
            section = line.lower()
        key, _, value = line.partition("=")
        if section == "[core]" and key.strip().lower() == "worktree":
            return value.strip().strip('"')
    return None


def _read(path: str) -> str | None:
    """The start of a small text file, None when there is none to read."""
    try:
        with os.fdopen(regular.opened(path), "rb") as file:
            return os.fsdecode(file.read(_FILE_MOST))
    except (OSError, ValueError):
        return None


def is_directory(path: str) -> bool:
    """Whether a directory, or a link to one, is at `path`."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
