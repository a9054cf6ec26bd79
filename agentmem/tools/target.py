"""Target: the file or directory that a call names, and in words what the system has against it."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentmem.domain.tool import Access, AccessKind, ToolContext
from agentmem.tools.arguments import AccessOf
from agentmem.workspace.paths import BadPath, resolve

_SUGGESTED = 5
_LISTED_MOST = 2_000  # entries of a directory looked through for a like name

_WORDS: Mapping[int, str] = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EISDIR: "is a directory",
    errno.ENOTDIR: "a part of the path is a file, not a directory",
    errno.EEXIST: "a part of the path is a file, not a directory",
    errno.ENOSPC: "the disk is full; nothing was changed",
    errno.EDQUOT: "the disk quota is used up; nothing was changed",
    errno.EROFS: "the disk is mounted read-only",
    errno.ENAMETOOLONG: "the name is too long for this disk",
    errno.ELOOP: "its links go round in a circle",
}


def target(arguments: Mapping[str, Any], context: ToolContext) -> Path:
    """The resolved path of the argument `path`. Raises `BadPath`."""
    return resolve(arguments["path"], context.cwd)


def access_of(kind: AccessKind) -> AccessOf:
    """The one access of a tool whose argument `path` it reads or writes; none for a path no file can have."""

    def access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
        try:
            return (Access(kind, str(target(arguments, context)), arguments["path"]),)
        except BadPath:
            return ()

    return access


def name_in(context: ToolContext, path: Path) -> str:
    """The path as a result calls it: relative to the root where it lies below, else absolute."""
    root = context.places.root
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def printable(name: str) -> str:
    """A file name in one line of valid text: line ends, control signs and bytes that are not UTF-8 are escaped."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def trouble(error: OSError, named: str, path: Path) -> str:
    """What the system refused, with what may help."""
    if error.errno == errno.ENOENT:
        return missing(named, path)
    number = error.errno or 0
    ours = error.strerror if error.strerror and error.strerror != os.strerror(number) else None
    words = ours or _WORDS.get(number) or error.strerror or type(error).__name__
    return f"{printable(named)}: {words}"


def missing(named: str, path: Path) -> str:
    """That there is no such file, and which names nearby are like it."""
    message = f"{printable(named)}: no such file or directory"
    folder = path.parent
    if not folder.is_dir():
        while not folder.is_dir() and folder != folder.parent:
            folder = folder.parent
        return f"{message}; there is no {printable(str(path.parent))}, only {printable(str(folder))}"
    like = _like(path.name, folder)
    return f"{message}; near it: {', '.join(printable(name) for name in like)}" if like else message


def _like(name: str, folder: Path) -> list[str]:
    """Names in the folder that differ little from `name`."""
    from difflib import get_close_matches

    try:
        with os.scandir(folder) as entries:
            names = {entry.name: entry.name.casefold() for entry, _ in zip(entries, range(_LISTED_MOST), strict=False)}
    except OSError:
        return []
    wanted = name.casefold()
    stem = wanted.split(".")[0]
    same = [
        entry for entry, folded in sorted(names.items()) if folded == wanted or (stem and folded.split(".")[0] == stem)
    ]
    close = get_close_matches(wanted, sorted(set(names.values())), _SUGGESTED, 0.6)
    ranked = same + [entry for folded in close for entry in sorted(names) if names[entry] == folded]
    return list(dict.fromkeys(ranked))[:_SUGGESTED]
