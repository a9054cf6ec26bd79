"""Steering: files that steer tools, shells or agents: settings, hooks, keys, start-up scripts, instructions.

A write to one can make something run, or be believed, later; it needs a yes of its own each time.
"""

from __future__ import annotations

import os
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.workspace.paths import folded, inside

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


def steering(target: Path, places: Places) -> str | None:
    """Why the resolved `target` needs a yes of its own, None when it does not. Names count in any case of letters; for
    a target in the work tree only those below its root do."""
    if inside(target, places.home):
        return "it is one of agentmem's own settings"
    within = target.is_relative_to(places.root)
    names = [folded(name) for name in (target.relative_to(places.root) if within else target).parts]
    for name, following in zip(names, [*names[1:], ""], strict=True):
        if name in _STEERING or name.startswith(".env") or (name, following) in _STEERING_PAIRS:
            return f"{name} steers tools, shells or agents, or holds secrets"
    if any(_is_git_directory(folder) for folder in target.parents if not within or folder.is_relative_to(places.root)):
        return "it lies in a git directory"
    person = Path(os.path.realpath(os.path.expanduser("~")))
    below = target.relative_to(person).parts if target.is_relative_to(person) else ()
    if below and folded(below[0]) in _PERSONAL and not places.root.is_relative_to(person / below[0]):
        return f"{below[0]} in the home directory holds settings"
    return None


def _is_git_directory(folder: Path) -> bool:
    """Whether the folder is what `.git` is elsewhere, under any name (a bare repository, a separate git directory)."""
    return os.path.isdir(folder / "objects") and os.path.lexists(folder / "HEAD") and os.path.isdir(folder / "refs")
