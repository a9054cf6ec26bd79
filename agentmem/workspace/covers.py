"""Covers: the files that paths and globs name in a work tree, with the hash of their bytes; and what looks like a test.

Directories count with all in them. What .gitignore leaves out is passed over unless it is named outright. A link counts
by where it leads and is not followed; `.git` and the agent's own files are never covered.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from agentmem import regular
from agentmem.domain.feature import Covered, Feature
from agentmem.workspace.glob import BadGlob, Wanted
from agentmem.workspace.walk import Ground, walk

_OURS = frozenset({".agent", ".git", "memory", "MEMORY.md"})
_MOST = 1 << 30
_BUILD = frozenset(
    (
        "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Taskfile.yml", "noxfile.py", "tox.ini",
        "pytest.ini", "pyproject.toml", "setup.cfg", "setup.py", "conftest.py", "sitecustomize.py",
        "usercustomize.py", ".pytest.ini", "pytest.toml", ".pytest.toml", "pytest.py", "unittest.py", ".coveragerc",
        "package.json", "tsconfig.json", ".mocharc.json", "Cargo.toml", "go.mod",
        "CMakeLists.txt", "meson.build", "build.gradle", "build.gradle.kts", "pom.xml", "Gemfile", "Rakefile",
        "Dockerfile", "compose.yaml", "docker-compose.yml",
    )
)  # fmt: skip
_BUILD_STEMS = ("jest.config.", "vitest.config.", "playwright.config.", "karma.conf.", "babel.config.", "requirements")
_BUILD_ENDS = (".mk", ".cmake", ".just", ".gradle", ".pth")
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "specs", "__tests__", "testing", "e2e"})
_TEST_ENDS = ("_test.py", "_test.go", ".test.js", ".test.ts", ".test.tsx", ".spec.js", ".spec.ts", ".spec.tsx")
_TEST_ENDS_MORE = ("_spec.rb", "_test.rb", "Test.java", "Tests.java", "Test.kt", "Tests.cs", "_test.exs", ".bats")


def is_build(path: str) -> bool:
    """Whether a path, relative to the root, is a file that says how tests are built and run."""
    name = path.rpartition("/")[2]
    return name in _BUILD or name.startswith(_BUILD_STEMS) or name.endswith(_BUILD_ENDS)


def is_test(path: str) -> bool:
    """Whether a path, relative to the root, looks like a test."""
    *folders, name = path.split("/")
    named = name.startswith(("test_", "test-")) or name.endswith((*_TEST_ENDS, *_TEST_ENDS_MORE))
    return named or not _TEST_FOLDERS.isdisjoint(folder.lower() for folder in folders)


def covered(root: Path, patterns: Sequence[str]) -> Covered:
    """The files that `patterns` (paths or globs from the root) name; none of them means the whole work tree. Raises
    `BadGlob`."""
    whole = not patterns
    wants = [_wanted(pattern) for pattern in patterns]
    outright = [path for pattern in patterns if (path := _plain(root, pattern)) is not None]
    names = {path for path in _files(root) if whole or any(wanted(path) for wanted in wants)}
    return _hashed(root, names.union(outright))


def guarding(root: Path, feature: Feature, check: str) -> Callable[[str], bool]:
    """Whether a feature's check rests on a path, relative to the root and there or not: what `guards` name, or what
    looks like a test or a build file; and what the words of `check` name, unless that is what the feature covers: a
    check may well run the program that it checks. Raises `BadGlob`."""
    wants, about = ([_wanted(pattern) for pattern in patterns] for patterns in (feature.guards, feature.covers))
    named = frozenset(_named(root, check))

    def rests(path: str) -> bool:
        if any(wanted(path) for wanted in wants):
            return True
        if is_build(path) or is_test(path):
            return not wants or path in named
        return path in named and not any(wanted(path) for wanted in about)

    return rests


def guarded(root: Path, feature: Feature, check: str) -> Covered:
    """The files that a check rests on, as `guarding` tells. Raises `BadGlob`."""
    rests = guarding(root, feature, check)
    outright = (path for path in _named(root, check) if _plain(root, path) is not None)
    return _hashed(root, {path for path in (*_files(root), *outright) if rests(path)})


def _named(root: Path, check: str) -> Iterator[str]:
    try:
        words = shlex.split(check, comments=True)
    except ValueError:
        words = check.split()
    for word in words:
        name = word.partition("::")[0].strip("();|&<>\"'`")
        path = os.path.normpath(os.path.join(root, name)) if name and "\0" not in name else ""
        if path.startswith(os.path.join(root, "")):
            yield os.path.relpath(path, root)


def _plain(root: Path, named: str) -> str | None:
    """The path, relative to the root, of a file called by its plain name; None for anything else."""
    if not named or "\0" in named:
        return None
    path = os.path.normpath(os.path.join(root, named))
    inside = path.startswith(os.path.join(root, "")) and (os.path.isfile(path) or os.path.islink(path))
    relative = os.path.relpath(path, root)
    return relative if inside and relative.split("/")[0] not in _OURS else None


def _wanted(pattern: str) -> Callable[[str], bool]:
    plain = os.path.normpath(pattern).strip("/")
    if plain == ".":
        return lambda path: True
    try:
        glob = Wanted(pattern if "/" in pattern or "*" in pattern else f"./{pattern}")
    except BadGlob as error:
        raise BadGlob(f"{pattern!r}: {error}") from None
    return lambda path: path == plain or path.startswith(plain + "/") or glob.matches(path.split("/"))


def _files(root: Path) -> Iterator[str]:
    for found in walk(Ground(str(root)), lambda folder, error: None):
        if found.kind != "folder" and found.names[0] not in _OURS:
            yield "/".join(found.names)


def _hashed(root: Path, names: Iterable[str]) -> Covered:
    files = {name: digest for name in sorted(names, key=os.fsencode) if (digest := _digest(root / name)) is not None}
    return Covered(files, tree(files))


def tree(files: Mapping[str, str]) -> str:
    """One SHA-256 over paths and hashes."""
    whole = hashlib.sha256()
    for name in sorted(files, key=os.fsencode):
        whole.update(os.fsencode(name) + b"\0" + files[name].encode() + b"\n")
    return whole.hexdigest()


def _digest(path: Path) -> str | None:
    try:
        if path.is_symlink():
            return "link:" + hashlib.sha256(os.fsencode(os.readlink(path))).hexdigest()
        return hashlib.sha256(regular.read(path, _MOST)).hexdigest()
    except OSError:
        return None
