"""Retrieval: the bytes of an object, loose or packed, checked against its name."""

from __future__ import annotations

from collections.abc import Iterable
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


def lost(folder: Path, names: Iterable[str], git: Git | None) -> dict[str, str]:
    """Which of these blobs `retrieve` would not give, and why; git is asked once. A packed one counts as sound."""
    found: dict[str, str] = {}
    packed = []
    for name in dict.fromkeys(names):
        try:
            objects.get(folder, name)
        except FileNotFoundError:
            packed.append(name)
        except (Damaged, OSError):
            found[name] = "its earlier bytes are damaged"
    for name in packed if git is None else _unknown(packed, git):
        found[name] = "its earlier bytes are no longer kept"
    return found


def _unknown(names: list[str], git: Git) -> list[str]:
    """The objects that git has not."""
    if not names:
        return []
    try:
        told = git.run(
            "cat-file",
            "--batch-check=%(objecttype)",
            index=git.settings / "index" / "none",
            stdin="".join(f"{name}\n" for name in names).encode(),
        )
    except GitFailed:
        return names
    return [name for name, line in zip(names, told.split(b"\n"), strict=False) if line != b"blob"]
