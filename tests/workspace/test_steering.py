from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentmem.domain.places import Places
from agentmem.workspace.paths import resolve
from agentmem.workspace.steering import steering


@pytest.mark.parametrize(
    "named",
    [
        ".git/hooks/pre-commit",
        ".GIT/config",
        "sub/.Git/config",
        ".g\u200cit/config",
        ".env",
        ".env.local",
        ".ENV",
        "sub/.envrc",
        ".bashrc",
        ".husky/pre-push",
        ".vscode/settings.json",
        ".github/workflows/ci.yml",
        ".github/copilot-instructions.md",
        ".claude/skills/x/SKILL.md",
        ".agents/skills/x/SKILL.md",
        "sub/AGENTS.md",
        "CLAUDE.md",
        "sub/.agent/config.yaml",
        "~/.agentmem/config.yaml",
        "~/.agentmem/trust",
        "~/.config/systemd/user/x.service",
        "~/.ssh/authorized_keys",
    ],
)
def test_steering(places: Places, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("HOME", str(places.home))
    places = replace(places, home=places.home / ".agentmem")
    assert steering(resolve(named, places.root), places) is not None


@pytest.mark.parametrize(
    "named", ["x.py", "git/x", ".gitignore", ".github/README.md", "env.py", "docs/agents.txt", "~/x", ".config/x"]
)
def test_plain(places: Places, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("HOME", str(places.home))
    places = replace(places, home=places.home / ".agentmem")
    assert steering(resolve(named, places.root), places) is None


def test_a_work_tree_below_a_guarded_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / ".config/nvim"
    places = Places(root=root, cwd=root, home=tmp_path / ".agentmem", shared=root / ".agent")
    assert steering(root / "init.lua", places) is None
    assert steering(tmp_path / ".config/fish/config.fish", places) is None
    assert steering(root / ".git/config", places) == ".git steers tools, shells or agents, or holds secrets"
    below = tmp_path / ".claude/trees/one"
    places = replace(places, root=below, cwd=below)
    assert steering(below / "x.py", places) is None
    assert steering(tmp_path / ".config/x", places) == ".config in the home directory holds settings"
    assert steering(tmp_path / ".agentmem/config.yaml", places) == "it is one of agentmem's own settings"


def test_a_git_directory_by_another_name(places: Places) -> None:
    for folder in ("objects", "refs", "hooks"):
        (places.root / ".bare" / folder).mkdir(parents=True)
    assert steering(places.root / ".bare/hooks/post-checkout", places) is None
    (places.root / ".bare/HEAD").write_text("ref: refs/heads/main\n")
    assert steering(places.root / ".bare/hooks/post-checkout", places) == "it lies in a git directory"
    assert steering(places.root / "x", places) is None
