"""Git: the program run on a work tree so that nothing in it, nor in the person's settings, has a say.

The work tree's own repository is not opened at all: GIT_DIR is a directory of ours below the person's level, so no
config, hook, signing or identity of theirs is read. What a `.gitattributes` file asks for (filters, line ends,
encodings) is unset in `info/attributes`, which outranks it; there is no config that would define a filter either.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem.programs import alone

if TYPE_CHECKING:
    from subprocess import Popen

MANY = 200
"""From so many files on, new objects go into one pack: a quarter of the time, a tenth of the space."""

_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = false
\tfilemode = true
\tsymlinks = true
\tautocrlf = false
\tsafecrlf = false
\tignorecase = false
\tprecomposeunicode = false
\tfsmonitor = false
\tuntrackedcache = false
\thooksPath = /dev/null
\texcludesFile = /dev/null
\tattributesFile = /dev/null
\tcompression = 1
\tfsync = none
[gc]
\tauto = 0
[commit]
\tgpgsign = false
"""
_ATTRIBUTES = "* -text -eol -ident !filter !working-tree-encoding -crlf !diff !merge !export-subst\n"
_EXCLUDE = ".agent/\n"
_SETTINGS: Mapping[str, str] = {
    "HEAD": "ref: refs/heads/none\n",
    "config": _CONFIG,
    "info/attributes": _ATTRIBUTES,
    "info/exclude": _EXCLUDE,
}
_SWITCHES = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false",
    "-c", "core.attributesFile=/dev/null", "-c", "core.excludesFile=/dev/null",
)  # fmt: skip


class GitFailed(Exception):
    """Git ended with an error; the message is its last line, or why it could not be started."""


@dataclass(slots=True)
class Git:
    """Git at `program` for the work tree `root`, with settings in `settings` and objects in `objects`. `stop` ends
    what runs, from any thread; `stopped` tells that it was called."""

    program: str
    root: Path
    settings: Path
    objects: Path
    env: Mapping[str, str]
    _running: list[Popen[bytes]] = field(default_factory=list)
    stopped: bool = False
    _prepared: bool = False

    def prepare(self) -> None:
        """Make the settings, whatever was there. Raises `OSError`."""
        for folder in ("", "info", "refs", "index"):
            (self.settings / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in _SETTINGS.items():
            path = self.settings / name
            if not path.is_file() or path.is_symlink() or path.read_text(errors="replace") != text:
                beside = path.with_name(f"{path.name}.{os.getpid()}.new")
                beside.write_text(text)
                beside.replace(path)
        self._prepared = True

    def run(self, *words: str, index: Path, stdin: bytes = b"", many: bool = False) -> bytes:
        """What a git command printed. Raises `GitFailed`."""
        from subprocess import PIPE, Popen

        packed = ("-c", "core.bigFileThreshold=1") if many else ()
        try:
            if not self._prepared:
                self.prepare()
            process = Popen(
                (self.program, *_SWITCHES, *packed, *words),
                cwd=self.root,
                env=self._environment(index),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise GitFailed(error.strerror or str(error)) from error
        self._running.append(process)
        if self.stopped:
            process.kill()
        try:
            out, err = process.communicate(stdin)
        finally:
            self._running.remove(process)
        if process.returncode != 0:
            told = err.decode("utf-8", "replace").strip().splitlines()
            raise GitFailed(told[-1] if told else f"git ended with {process.returncode}")
        return out

    def calm(self) -> None:
        """Let what runs give way to everything else."""
        for process in list(self._running):
            try:
                os.setpriority(os.PRIO_PROCESS, process.pid, 10)
            except OSError:
                continue  # it has just ended

    def stop(self) -> None:
        """End what runs, and all that would be started yet."""
        self.stopped = True
        for process in list(self._running):
            process.kill()

    def _environment(self, index: Path) -> dict[str, str]:
        return alone(self.env) | {
            "GIT_DIR": str(self.settings),
            "GIT_WORK_TREE": str(self.root),
            "GIT_INDEX_FILE": str(index),
            "GIT_OBJECT_DIRECTORY": str(self.objects),
        }
