"""Guarded: which files are the agent's memory, which only the gate writes, and which steer tools, shells and agents.

A memory file is never written by write or edit. A steering file (settings, hooks, keys, start-up scripts, instructions)
can make something run, or be believed, later; it needs a yes of its own each time.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.workspace.paths import folds_case, identities, inside

_FILES = ("MEMORY.md", "AGENT.md")
_FOLDERS = ("memory", "skills")
_LINKS_MOST = 5_000  # files of the memory folders looked through for a hard link

# Names of a file or of a whole folder, wherever they stand; in lower case.
# Hooks, filters, what a checkout runs:
_VERSION_CONTROL = (
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".gitconfig",
    ".gitmodules",
    ".githooks",
    ".husky",
    ".pre-commit-config.yaml",
    "lefthook.yml",
)
# What a shell or a login runs:
_SHELL = (
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".vimrc",
    ".exrc",
    ".mise.toml",
)
# Secrets, and where programs are told to fetch from:
_KEYS = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".docker",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
)
# What an editor, a container or a build server runs:
_BUILDS = (
    ".vscode",
    ".idea",
    ".devcontainer",
    ".circleci",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".drone.yml",
    "azure-pipelines.yml",
    "jenkinsfile",
)
# What this and other agents obey:
_AGENTS = (
    ".agent",
    ".agents",
    ".claude",
    ".codex",
    ".cursor",
    ".cursorrules",
    ".gemini",
    ".opencode",
    ".windsurf",
    ".clinerules",
    ".mcp.json",
    "agents.md",
    "claude.md",
    "claude.local.md",
    "gemini.md",
)
_STEERING = frozenset((*_VERSION_CONTROL, *_SHELL, *_KEYS, *_BUILDS, *_AGENTS))
_STEERING_PAIRS = frozenset({(".github", "workflows"), (".github", "actions"), (".github", "copilot-instructions.md")})
_PERSONAL = frozenset({".config", ".local", "library"})  # below the home directory: units, autostart, shells, desktops


def memory_file(target: Path, places: Places) -> str | None:
    """How a person calls the memory that the resolved `target` belongs to (`MEMORY.md`, `skills/`, …), None when it is
    none. Links, hard links, second mounts and, where the disk folds case, other spellings are seen through."""
    spots = dict(_memory(places))
    for spot, name in spots.items():
        if target.is_relative_to(spot) or _same_name(target, spot):
            return name
    marks = identities(target)
    for spot, name in spots.items():
        mark = _identity(spot)
        if mark is not None and mark in marks:
            return name
    return _hard_link(target, spots)


def steering(target: Path, places: Places) -> str | None:
    """Why the resolved `target` needs a yes of its own, None when it does not. Names count in any case of letters; for
    a target in the work tree only those below its root do."""
    if inside(target, places.home):
        return "it is one of agentmem's own settings"
    within = target.is_relative_to(places.root)
    names = [_folded(name) for name in (target.relative_to(places.root) if within else target).parts]
    for name, following in zip(names, [*names[1:], ""], strict=True):
        if name in _STEERING or name.startswith(".env") or (name, following) in _STEERING_PAIRS:
            return f"{name} steers tools, shells or agents, or holds secrets"
    person = Path(os.path.realpath(os.path.expanduser("~")))
    below = target.relative_to(person).parts if target.is_relative_to(person) else ()
    if below and _folded(below[0]) in _PERSONAL and not places.root.is_relative_to(person / below[0]):
        return f"{below[0]} in the home directory holds settings"
    return None


def _memory(places: Places) -> Iterator[tuple[Path, str]]:
    """Every place that holds memory, with its name for people: the work tree's, the main one's, the person's."""
    for level in dict.fromkeys((places.root, places.shared.parent, Path(os.path.realpath(places.home)))):
        for name in _FILES:
            yield level / name, name
        for name in _FOLDERS:
            yield level / name, f"{name}/"
    yield places.own, ".agent/"
    yield places.shared, ".agent/"


def _same_name(target: Path, spot: Path) -> bool:
    """Whether `target` is `spot` or below it in other letters of the same names.

    A file such as `memory.md` counts on every disk: a checkout elsewhere may fold it into MEMORY.md. A folder such as
    `Memory/` may be the project's own, and counts where this disk folds it.
    """
    parts = target.parts[: len(spot.parts)]
    if [_folded(name) for name in parts] != [_folded(name) for name in spot.parts]:
        return False
    if parts[:-1] == spot.parts[:-1] and spot.name not in _FOLDERS:
        return True
    return folds_case(spot.parent)


def _folded(name: str) -> str:
    """The name as a disk that folds case, composes letters and passes over invisible ones compares it."""
    if name.isascii():
        return name.lower()
    plain = unicodedata.normalize("NFKC", name)
    return "".join(letter for letter in plain if unicodedata.category(letter) != "Cf").casefold()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        mark = os.stat(path)
    except OSError:
        return None
    return mark.st_dev, mark.st_ino


def _hard_link(target: Path, spots: dict[Path, str]) -> str | None:
    """The memory that a file with several names also belongs to."""
    try:
        mark = os.stat(target)
    except OSError:
        return None
    if mark.st_nlink < 2 or os.path.isdir(target):
        return None
    left = _LINKS_MOST
    for spot, name in spots.items():
        for folder, _, files in os.walk(spot):
            left -= len(files)
            if any(_identity(Path(folder, file)) == (mark.st_dev, mark.st_ino) for file in files):
                return name
            if left < 0:
                return None
    return None
