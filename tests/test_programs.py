"""Programs are found where the working directory cannot pose as one; git alone reads nobody's settings."""

from __future__ import annotations

import os
from pathlib import Path

from gitting import git

from agentmem.programs import alone, find_program, find_shell


def test_programs_are_found_by_absolute_folders_only(tmp_path: Path) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tool").write_text("#!/bin/sh\n")
        (tmp_path / folder / "tool").chmod(0o755)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "tool").write_text("no program")
    here, found = os.path.relpath(tmp_path / "here"), str(tmp_path / "there" / "tool")
    path = os.pathsep.join(["", here, str(tmp_path / "plain"), str(tmp_path / "there")])
    assert find_program("tool", {"PATH": path}) == found
    assert find_program("tool", {"PATH": here}) is None
    assert find_program("sh", {}) in ("/bin/sh", "/usr/bin/sh")


def test_a_shell_is_always_named(tmp_path: Path) -> None:
    (tmp_path / "sh").write_text("#!/bin/sh\n")
    (tmp_path / "sh").chmod(0o755)
    assert find_shell({"PATH": str(tmp_path)}) == str(tmp_path / "sh")
    assert find_shell({"PATH": "relative"}) == "/bin/sh"


def test_git_alone_has_no_settings_of_anybody(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = somebody\n")
    told = {"HOME": str(tmp_path), "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}
    env = alone({"PATH": os.environ["PATH"], **told, "GIT_DIR": "/nowhere"})
    assert {
        line.partition("\t")[0] for line in git(tmp_path, "config", "-l", "--show-origin", env=env).split("\n")
    } == {"file:.git/config"}
