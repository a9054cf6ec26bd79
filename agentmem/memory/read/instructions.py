"""Instructions: AGENT.md, AGENTS.md and CLAUDE.md with what they import, each real file once, in a fixed order."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.memory.read import fence
from agentmem.memory.stores import texts

PROFILE = "AGENT.md"
NAMES = ("AGENTS.md", "CLAUDE.md")
FILE_LIMIT = 64 * 1024
ALL_LIMIT = 128 * 1024
HOPS = 5

# Other people's code and our own files: what lies in there instructs nobody here.
_FOREIGN = frozenset({".git", ".agent", "node_modules", "site-packages", ".venv", "venv", ".tox"})


@dataclass(frozen=True, slots=True)
class Instruction:
    """A file that was loaded: `path` absolute with links resolved, `name` as people see it, `size` in bytes on disk."""

    path: str
    name: str
    text: str
    size: int
    mark: str = fence.INSTRUCTIONS
    imported_by: str | None = None

    @property
    def block(self) -> str:
        """The file between its marks, as a prompt or a notice holds it."""
        by = {} if self.imported_by is None else {"imported_by": self.imported_by}
        return fence.block(self.mark, self.text, source=self.name, **by)


class Loader:
    """Loads instruction files for one session; what it gave once it never gives again.

    `notes` tell the person what was not loaded or cut, and why. `limit` is what all files together may hold, in bytes.
    """

    def __init__(self, places: Places, limit: int = ALL_LIMIT, seen: Iterable[str] = ()):
        self._places = places
        self._left = min(limit, ALL_LIMIT)
        self._seen = set(seen)
        self._walked: set[str] = set()
        self._top = _top(places)
        self.notes: list[str] = []

    def first(self) -> tuple[Instruction, ...]:
        """What a session starts with: profiles, then instructions; the person's level, then the top directory down to
        the working directory."""
        home, root = str(self._places.home), str(self._places.root)
        found = self._load(home, PROFILE, None, fence.PROFILE) + self._load(root, PROFILE, root, fence.PROFILE)
        for name in NAMES:
            found += self._load(home, name, None, fence.INSTRUCTIONS)
        for directory in _chain(self._top, str(self._places.cwd)):
            # A directory above the project vouches for itself alone.
            inside = self._top if _within(directory, self._top) else directory
            for name in NAMES:
                found += self._load(directory, name, inside, fence.INSTRUCTIONS)
        return tuple(found)

    def again(self, paths: Iterable[str]) -> tuple[Instruction, ...]:
        """Files that were told in a part of the history that is not shown any more, as they are now."""
        found: list[Instruction] = []
        for path in paths:
            if _within(path, self._top):
                self._take(path, _Ask(self._top, fence.INSTRUCTIONS), found)
        return tuple(found)

    def nested(self, path: Path) -> tuple[Instruction, ...]:
        """The files of the directories down to `path` (a file or a directory) that were not loaded yet."""
        target = os.path.normpath(os.path.join(self._places.cwd, path))
        directory = target if os.path.isdir(target) else os.path.dirname(target)
        if not _within(directory, self._top):
            return ()
        below = os.path.relpath(directory, self._top).split(os.sep)
        if directory in self._walked or not _FOREIGN.isdisjoint(below):
            return ()
        found: list[Instruction] = []
        for one in _steps(self._top, directory):
            self._walked.add(one)
            for name in NAMES:
                found += self._load(one, name, self._top, fence.INSTRUCTIONS)
        return tuple(found)

    def _load(self, directory: str, name: str, inside: str | None, mark: str) -> list[Instruction]:
        found: list[Instruction] = []
        self._take(os.path.join(directory, name), _Ask(inside, mark), found)
        return found

    def _take(self, path: str, ask: _Ask, found: list[Instruction]) -> None:
        """Load `path` and what it imports into `found`, if a file is there and may be loaded."""
        real = os.path.realpath(path)
        if not os.path.isfile(real) or real in self._seen or not self._admits(path, real, ask):
            return
        file = texts.read(real, min(FILE_LIMIT, self._left))
        if file is None:
            return
        self._seen.add(real)
        if (link := _link(file.text, real)) is not None:
            self._take(link, ask, found)
            return
        name = self._shown(path)
        self.notes += [f"{name} {note}" for note in file.notes]
        self._left -= len(file.text.encode())
        from agentmem.memory.read import marked  # most projects have no file to look through

        text = marked.shown(file.text, self._places.home)
        if text is not file.text:
            self.notes.append(f"{name} holds a secret: a mark stands in its place; take it out")
        self._add(Instruction(real, name, text, file.size, ask.mark, ask.by), ask, found)

    def _admits(self, path: str, real: str, ask: _Ask) -> bool:
        if ask.inside is not None and not _within(real, os.path.realpath(ask.inside)):
            self.notes.append(f"{self._shown(path)} leads out of the project, to {real}: not loaded")
        elif self._left <= 0:
            self.notes.append(f"{self._shown(path)} was left out: the instruction files before it fill the limit")
        else:
            return True
        return False

    def _add(self, instruction: Instruction, ask: _Ask, found: list[Instruction]) -> None:
        at = len(found)
        from agentmem.memory.read import imports  # most projects have no file to look into

        for target in imports.targets(instruction.text):
            there = os.path.join(os.path.dirname(instruction.path), os.path.expanduser(target))
            if not os.path.isfile(there):
                if imports.looks_like_a_file(target):
                    self.notes.append(f"{instruction.name} imports {target}, which is not there")
            elif os.path.realpath(there) in self._seen:
                continue
            elif ask.hop == HOPS:
                self.notes.append(f"{instruction.name} imports {target} over more than {HOPS} hops: not loaded")
            else:
                self._take(there, _Ask(ask.inside, ask.mark, instruction.name, ask.hop + 1), found)
        if instruction.text.strip() and not self._says_nothing_itself(instruction):
            found.insert(at, instruction)

    def _says_nothing_itself(self, instruction: Instruction) -> bool:
        """True for a file that only names others, all of them loaded."""
        from agentmem.memory.read import imports

        folder = os.path.dirname(instruction.path)
        named = (os.path.join(folder, os.path.expanduser(target)) for target in imports.targets(instruction.text))
        return imports.only_imports(instruction.text) and all(os.path.realpath(one) in self._seen for one in named)

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self._places.root) if _within(path, self._top) else os.path.normpath(path)


@dataclass(frozen=True, slots=True)
class _Ask:
    """Why a file is loaded: it must lie `inside` (None: anywhere), `by` names the file that imports it."""

    inside: str | None
    mark: str
    by: str | None = None
    hop: int = 0


def _link(text: str, real: str) -> str | None:
    """Where a file points that a checkout without symbolic links made of one: its whole text is the target's path."""
    target = text.strip()
    if not target.endswith(".md") or len(target) > 255 or any(char.isspace() or char == "@" for char in target):
        return None
    there = os.path.join(os.path.dirname(real), target)
    return there if os.path.isfile(there) and os.path.realpath(there) != real else None


def _top(places: Places) -> str:
    """The top directory of the project: git's top where that lies above the root, else the root."""
    root, at = str(places.root), str(places.cwd)
    while not os.path.exists(os.path.join(at, ".git")):
        if at == os.path.dirname(at):
            return root
        at = os.path.dirname(at)
    return at if _within(root, at) else root


def _chain(top: str, cwd: str) -> list[str]:
    """The directories from the top down to the working directory. Without a marked project around it (no git, the root
    is where the person stands) the directories above count too, as long as they are the person's own."""
    if not _within(cwd, top):
        return [top, cwd]
    above: list[str] = []
    at = os.path.dirname(top)
    if top == cwd and not os.path.exists(os.path.join(top, ".git")):
        while _own(at):
            above.insert(0, at)
            at = os.path.dirname(at)
    return above + _steps(top, cwd)


def _own(directory: str) -> bool:
    """True for a directory of this person's that nobody else can write. The home directory and / end the walk."""
    if directory in (os.path.dirname(directory), os.path.expanduser("~")):
        return False
    status = os.stat(directory)
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def _steps(top: str, below: str) -> list[str]:
    steps = [below]
    while steps[0] != top:
        steps.insert(0, os.path.dirname(steps[0]))
    return steps


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
