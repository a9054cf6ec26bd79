from __future__ import annotations

import hashlib
from pathlib import Path

from agentmem.workspace.planted import hold, let_go, planted


def test_a_skill_is_held_as_a_command_left_it_until_it_was_seen(tmp_path: Path) -> None:
    home, path = tmp_path / "home", tmp_path / "SKILL.md"
    path.write_text("evil")
    assert not planted(home, str(path))
    let_go(home, str(path))
    assert not home.exists()
    hold(home, [(str(path), hashlib.sha256(b"evil").hexdigest()), ("/other", "x")], "2026-11-30T09:00:00Z")
    assert planted(home, str(path))
    assert (home / "skills.held").stat().st_mode & 0o777 == 0o600
    path.write_text("mine")  # what the person writes there is theirs
    assert not planted(home, str(path))
    path.write_text("evil")
    assert planted(home, str(path))
    let_go(home, str(path))
    assert not planted(home, str(path))
    assert '"/other"' in (home / "skills.held").read_text()
    path.unlink()
    assert not planted(home, str(path))
