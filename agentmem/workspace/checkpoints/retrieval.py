"""Retrieval: the bytes of an object, loose or packed, checked against its name."""

from __future__ import annotations

from pathlib import Path

from agentmem import objects
from agentmem.objects import Damaged
from agentmem.workspace.checkpoints.git import Git, GitFailed


def retrieve(folder: Path, name: str, git: Git | None) -> bytes:
    """The bytes of a blob below `folder`; without git only loose ones are found. Raises `Damaged`, `OSError`."""
    try:
        return objects.get(folder, name)
    except FileNotFoundError:
        if git is None:
            raise Damaged(f"the object {name} is not there, or only git can read it") from None
    try:
        data = git.run("cat-file", "blob", name, index=git.settings / "index" / "none")
    except GitFailed as error:
        raise Damaged(f"the object {name} is not there") from error
    return objects.checked(name, "blob", data)
