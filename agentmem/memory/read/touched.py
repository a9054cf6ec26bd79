"""Touched: the files that a command which ended well is known to have written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

_MOST = 4_000  # characters of a command that are looked at
# What may not have run, or runs what cannot be seen: then nothing is known.
_UNSURE = re.compile(r"\|\||;|\n|\$\(|`|&(?![&>\d])")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")
_WRITES = re.compile(r">|\b(?:tee|touch|rm|cp|mv|ln|install|sed)\b")
_ALL = frozenset({"touch", "rm", "tee"})
_LAST = frozenset({"cp", "install", "ln"})


def touched(command: str) -> tuple[str, ...]:
    """The files that a shell command wrote, as it names them, given that it ended well. What is not certain is left
    out: lists with ``;`` or ``||``, substitutions, patterns, what a program does by itself."""
    if len(command) > _MOST or not _WRITES.search(command):
        return ()
    found: list[str] = []
    for stage in _without_documents(command).split("&&"):
        if not _UNSURE.search(stage.strip()):
            for part in re.split(r"\|(?!&)", stage):
                if _WRITES.search(part.replace("2>&1", "")):
                    found += _written(part)
    return tuple(dict.fromkeys(path for path in found if _certain(path)))


def _without_documents(command: str) -> str:
    """A command without the text of its here-documents."""
    found = _HEREDOC.search(command)
    if found is None:
        return command
    head, _, rest = command.partition("\n")
    lines = rest.split("\n")
    end = next((at for at, line in enumerate(lines) if line.strip() == found[1]), len(lines))
    tail = "\n".join(lines[end + 1 :]).strip()
    return head if not tail else f"{head} && {tail}"


def _written(part: str) -> Iterator[str]:
    try:
        words = list(shlex.shlex(part, posix=True, punctuation_chars="<>&"))
    except ValueError:
        return
    plain: list[str] = []
    waits = False
    for at, word in enumerate(words):
        if waits:
            waits = False
            if not word.isdigit():
                yield word
        elif word in (">", ">>", "&>", ">|"):
            waits = not (at and words[at - 1] == "2" and word == ">")
        elif word not in ("<", "<<", "2", ">&", "1", "&"):
            plain.append(word)
    yield from _of_program(plain)


def _of_program(words: list[str]) -> Iterator[str]:
    if words[:1] == ["git"] and words[1:2] in (["mv"], ["rm"]):
        words = words[1:]
    name = words[0] if words else ""
    names = [word for word in words[1:] if not word.startswith("-")]
    if name in _ALL and "--cached" not in words:
        yield from names
    elif name in _LAST and len(names) > 1:
        yield names[-1]
    elif name == "mv" and len(names) == 2:
        yield from names
    elif name == "sed" and any(word.startswith(("-i", "--in-place")) for word in words[1:]):
        yield from (word for word in names[1:] if word)


def _certain(path: str) -> bool:
    return bool(path) and not any(sign in path for sign in "*?[$(){}~\\ ") and path not in ("/dev/null", "-", ".", "..")
