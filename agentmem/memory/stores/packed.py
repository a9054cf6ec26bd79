"""Packed: objects of a private git directory that git has put into packs, read through one git process.

The directory's config is made ours first: what stands in there could run a program.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem import objects, regular
from agentmem.memory.stores import folder
from agentmem.objects import Damaged
from agentmem.programs import alone, find_program

if TYPE_CHECKING:
    from subprocess import Popen

_SWITCHES = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.attributesFile=/dev/null")


class Packed:
    """Reads objects below `path`. `config` is what its config must say; `env` has the PATH that git is found on."""

    def __init__(self, path: Path, config: bytes, env: Mapping[str, str]) -> None:
        self._path = path
        self._config = config
        self._env = env
        self._process: Popen[bytes] | None = None

    def get(self, name: str) -> bytes:
        """The bytes of an object. Raises `Damaged` where it is not there, or git is not."""
        if self._process is None:
            self._process = self._start()
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:
            raise Damaged("git cannot be asked")
        try:
            into.write(name.encode() + b"\n")
            into.flush()
            said = out.readline().split()
            if len(said) != 3:
                raise Damaged(f"the object {name} is not there")
            data = out.read(int(said[2]))
            out.read(1)
        except BrokenPipeError as error:
            raise Damaged("git ended before its answer") from error
        return objects.checked(name, said[1].decode("ascii", "replace"), data)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _start(self) -> Popen[bytes]:
        from subprocess import DEVNULL, PIPE, Popen

        if not any(name.endswith(".pack") for name in _listed(self._path / "objects" / "pack")):
            raise Damaged("an object is not there")
        program = find_program("git", self._env)
        if program is None:
            raise Damaged("git is not installed, and only git reads what it has packed")
        settle(self._path, self._config)
        command = (program, *_SWITCHES, "cat-file", "--batch")
        env = alone(self._env) | {"GIT_DIR": str(self._path)}
        return Popen(command, env=env, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)


def pack(path: Path, config: bytes, env: Mapping[str, str]) -> None:
    """Put all that is used and lies apart into a pack; what goes wrong changes nothing. Raises `OSError`."""
    from subprocess import DEVNULL, run

    if (program := find_program("git", env)) is None:
        return
    settle(path, config)
    command = (program, *_SWITCHES, "repack", "-d", "-q")
    env = alone(env) | {"GIT_DIR": str(path)}
    run(command, cwd=path, env=env, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, check=False)


def settle(path: Path, config: bytes) -> None:
    """Make the config of a private git directory say what we want, whatever was there. Raises `OSError`."""
    try:
        if regular.read(path / "config", 65_536) == config:
            return
    except OSError:
        pass  # whatever it is goes
    folder.write_private(path / "config", config)


def _listed(place: Path) -> list[str]:
    try:
        return os.listdir(place)
    except OSError:
        return []
