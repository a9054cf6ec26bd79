"""Checkpoints: what a file held before a tool wrote it, as values; and their form in a session log.

    {"type":"checkpoint","kind":"before","turn":"a1…","call":"t1","files":[{"path":"a.py","before":"file 0644 3b18…"}]}
    {"type":"checkpoint","kind":"after","of":"c7…","files":[{"path":"a.py","after":"file 0644 9f2c…"}]}
    {"type":"checkpoint","kind":"tree","turn":"a1…","tree":"4b82…","seen":"77de…"}
    {"type":"checkpoint","kind":"rewind","to":"a1…","leaf":"k9…","moved":true,"files":[{"path":"a.py","before":"…","after":"…"}]}

A state is one word and what belongs to it: ``absent``, ``file <mode> <blob>``, ``link <blob>``, ``other <what>`` (no
file whose bytes could be kept). Blobs are git's, in `.agent/checkpoints.git`. A path is relative to the work
tree, which `root` (left out above) names, or absolute outside it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agentmem.domain.entry import Entry

Kind = Literal["absent", "file", "link", "other"]

TYPE = "checkpoint"
_OBJECT = re.compile(r"[0-9a-f]{40}")
_MODE = re.compile(r"[0-7]{3,4}")


@dataclass(frozen=True, slots=True)
class State:
    """What lies at a path: `blob` names the bytes of a file or the target of a link, `mode` a file's permission bits,
    `what` says what it is instead."""

    kind: Kind
    blob: str = ""
    mode: int = 0
    what: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "absent":
                return "absent"
            case "file":
                return f"file {self.mode:04o} {self.blob}"
            case "link":
                return f"link {self.blob}"
            case "other":
                return f"other {self.what}"

    @staticmethod
    def read(text: object) -> State | None:
        """The state a log tells of, None for what is none."""
        match text.split(" ", 2) if isinstance(text, str) else ():
            case ["absent"]:
                return ABSENT
            case ["file", mode, name] if _MODE.fullmatch(mode) and _OBJECT.fullmatch(name):
                return State("file", name, int(mode, 8))
            case ["link", name] if _OBJECT.fullmatch(name):
                return State("link", name)
            case ["other", *what]:
                return State("other", what=" ".join(what))
        return None


ABSENT = State("absent")


@dataclass(frozen=True, slots=True)
class Write:
    """One file that was written, by a tool or by a rewind. `path` is bytes; `after` is None while it is not known;
    `made` counts the directories above it that were not there before."""

    path: bytes
    before: State
    after: State | None = None
    made: int = 0

    def to_json(self) -> dict[str, Any]:
        """The log's form; a name that is no UTF-8 is told in hex."""
        out = name_to_json(self.path) | {"before": str(self.before)}
        if self.after is not None:
            out["after"] = str(self.after)
        return out | ({"made": self.made} if self.made else {})

    def after_json(self) -> dict[str, Any]:
        """The form of an ``after`` entry."""
        return name_to_json(self.path) | {"after": str(self.after)}


def name_to_json(path: bytes) -> dict[str, Any]:
    """A path for a log; a name that is no UTF-8 is told in hex."""
    try:
        return {"path": path.decode()}
    except UnicodeDecodeError:
        return {"path_hex": path.hex()}


def name_from_json(value: Mapping[str, Any]) -> bytes | None:
    """The path in a log, None where there is none that a file can have."""
    match value.get("path"), value.get("path_hex"):
        case str() as text, _:
            path = text.encode("utf-8", "replace")
        case _, str() as digits if re.fullmatch("([0-9a-f]{2})+", digits):
            path = bytes.fromhex(digits)
        case _:
            return None
    sound = path and b"\0" not in path and os.path.normpath(path) == path and not path.startswith((b"../", b"//"))
    return path if sound and path not in (b".", b"..") else None


def writes(entry: Entry) -> Iterator[Write]:
    """The files of a `before` or `rewind` entry; what is malformed is passed over."""
    for value in _files(entry):
        path, before = name_from_json(value), State.read(value.get("before"))
        made = value.get("made", 0)
        if path is not None and before is not None:
            yield Write(path, before, State.read(value.get("after")), made if isinstance(made, int) else 0)


def results(entry: Entry) -> Iterator[tuple[bytes, State]]:
    """What an `after` entry tells of each file."""
    for value in _files(entry):
        path, after = name_from_json(value), State.read(value.get("after"))
        if path is not None and after is not None:
            yield path, after


def _files(entry: Entry) -> Iterator[Mapping[str, Any]]:
    files = entry.body.get("files")
    for value in files if isinstance(files, list) else ():
        if isinstance(value, dict):
            yield value
