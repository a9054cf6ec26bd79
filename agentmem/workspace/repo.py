"""Repo: the person's own repository through git itself, so that their hooks, signing and identity hold for a commit.

What only looks (status, log, HEAD) runs without fsmonitor and hooks: a repository's config must not run code for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentmem.programs import find_program

OURS = (".agent", "MEMORY.md", "memory", "skills", "AGENT.md")
"""What is never staged and never makes a tree dirty: the agent's memory."""
TRAILER = "Feature"
_CALM = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")
_LOOKING = 60.0
_COMMITTING = 600.0


class RepoFailed(Exception):
    """Git refused or could not be run; the message is what it said."""


@dataclass(frozen=True, slots=True)
class Repo:
    """The repository whose top is `top`."""

    program: str
    top: Path
    env: Mapping[str, str]

    def head(self) -> str | None:
        """The commit that HEAD names, None before the first."""
        return self._look("rev-parse", "--verify", "--quiet", "HEAD", none=True)

    def branch(self) -> str | None:
        """The branch that is checked out, None for a detached HEAD."""
        return self._look("symbolic-ref", "--quiet", "--short", "HEAD", none=True)

    def dirty(self) -> tuple[str, ...]:
        """The paths that differ from HEAD, staged, changed or untracked, the agent's memory aside. Raises
        `RepoFailed`."""
        out = self._run(("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"), _LOOKING)
        paths = [entry[3:] for entry in out.split("\0") if entry]
        return tuple(path for path in paths if not is_ours(path))

    def operation(self) -> str | None:
        """What is under way in it (a merge, a rebase, …), None when nothing is."""
        git = self._look("rev-parse", "--absolute-git-dir") or ""
        marks = {
            "MERGE_HEAD": "merge",
            "rebase-merge": "rebase",
            "rebase-apply": "rebase",
            "CHERRY_PICK_HEAD": "cherry-pick",
        }
        marks |= {"REVERT_HEAD": "revert", "BISECT_LOG": "bisection"}
        return next((name for mark, name in marks.items() if os.path.lexists(os.path.join(git, mark))), None)

    def switch(self, branch: str) -> None:
        """Check a branch out, made from HEAD where it is new. Raises `RepoFailed`."""
        there = self._look("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}", none=True)
        words = ("switch", "--quiet", branch) if there else ("switch", "--quiet", "--create", branch)
        try:
            self._run(words, _COMMITTING, calm=False)
        except RepoFailed as error:
            above = branch.rpartition("/")[0]
            if above and self._look("rev-parse", "--verify", "--quiet", f"refs/heads/{above}", none=True):
                raise RepoFailed(
                    f"git has a branch {above}, beside which there cannot be a branch {branch}: rename it "
                    f"(git branch -m {above} NAME)"
                ) from error
            raise

    def begin(self) -> None:
        """Make a first commit with nothing in it: without one there is nothing to compare with, and no stash. Raises
        `RepoFailed`."""
        self._run(("commit", "--quiet", "--allow-empty", "--message", "Begin"), _COMMITTING, calm=False)

    def anonymous(self) -> str | None:
        """What to do so that git can name who commits, None where it can."""
        if all(self._look("var", name, none=True) for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT")):
            return None
        return 'git config user.name "Your Name"; git config user.email you@example.org'

    def commit(self, message: str) -> str:
        """Commit all that differs, the agent's memory aside, as the person would: their hooks run, their key signs.
        Gives the new commit, after a look at it. Raises `RepoFailed`, with what a hook said."""
        before = self.head()
        spec = (".", *(f":(exclude,top){name}" for name in OURS))
        self._run(("add", "--all", "--", *spec), _COMMITTING, calm=False)
        self._run(("commit", "--quiet", "--message", message), _COMMITTING, calm=False)
        after = self.head()
        if after is None or after == before:
            raise RepoFailed("git commit said it was done, and HEAD did not move")
        return after

    def changed_since(self, commit: str | None) -> tuple[str, ...]:
        """The paths that differ from a commit (None: from HEAD), untracked ones too, the agent's memory aside. Raises
        `RepoFailed`."""
        found = set(self.dirty())
        if commit is not None and commit != self.head():
            out = self._run(("diff", "--name-only", "--no-ext-diff", "-z", commit, "HEAD"), _LOOKING)
            found.update(path for path in out.split("\0") if path and not is_ours(path))
        return tuple(sorted(found))

    def stash(self, why: str) -> str | None:
        """Put all that differs, the agent's memory aside, on git's stash; gives the stash's commit, None where nothing
        differed. Raises `RepoFailed`."""
        if not self.dirty():
            return None
        spec = (".", *(f":(exclude,top){name}" for name in OURS))
        self._run(
            ("stash", "push", "--quiet", "--include-untracked", "--message", why, "--", *spec), _COMMITTING, calm=False
        )
        return self._look("rev-parse", "refs/stash")

    def log(self, most: int) -> str:
        """The last commits, a line each; "" before the first."""
        return self._look("log", f"--max-count={most}", "--format=%h %s", none=True) or ""

    def carries(self, feature: str, since: str | None) -> str | None:
        """The last commit since `since` whose trailer names the feature, None for none."""
        span = ("HEAD",) if since is None else (f"{since}..HEAD",)
        pattern = f"^{TRAILER}: {re.escape(feature)}$"
        return self._look("log", "--max-count=1", "--format=%H", f"--grep={pattern}", "-E", *span, none=True)

    def touched(self, feature: str) -> tuple[str, ...]:
        """The files that the feature's own commits changed and that are still there."""
        pattern = f"^{TRAILER}: {re.escape(feature)}$"
        words = ("log", "--max-count=50", "--format=", "--name-only", "-z", "-E", f"--grep={pattern}", "HEAD")
        out = self._look(*words, none=True) or ""
        found = sorted({path.strip("\n") for path in out.split("\0")} - {""})
        return tuple(path for path in found if not is_ours(path) and os.path.lexists(self.top / path))

    def _look(self, *words: str, none: bool = False) -> str | None:
        try:
            return self._run(words, _LOOKING).strip("\n") or None
        except RepoFailed:
            if none:
                return None
            raise

    def _run(self, words: Sequence[str], limit: float, *, calm: bool = True) -> str:
        from subprocess import TimeoutExpired, run

        env = {**self.env, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
        try:
            ran = run(
                (self.program, *(_CALM if calm else ()), *words),
                cwd=self.top,
                env=env,
                input=b"",
                capture_output=True,
                timeout=limit,
                check=False,
            )
        except TimeoutExpired as error:
            raise RepoFailed(f"git {words[0]} took longer than {limit:g} s") from error
        except OSError as error:
            raise RepoFailed(error.strerror or str(error)) from error
        if ran.returncode != 0:
            said = (ran.stderr + ran.stdout).decode("utf-8", "replace").strip()
            raise RepoFailed(said or f"git {words[0]} ended with {ran.returncode}")
        return ran.stdout.decode("utf-8", "surrogateescape")


def repo_of(root: Path, env: Mapping[str, str]) -> Repo | None:
    """The repository that a directory lies in, None without one or without git."""
    program = find_program("git", env)
    if program is None:
        return None
    try:
        top = Repo(program, root, env)._look("rev-parse", "--show-toplevel")
    except RepoFailed:
        return None
    return None if top is None else Repo(program, Path(top), env)


def is_ours(path: str) -> bool:
    """Whether a path from the top is the agent's memory."""
    return path.rstrip("/") in OURS or path.startswith(tuple(f"{name}/" for name in OURS))
