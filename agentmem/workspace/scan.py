"""Scan: what ripgrep does, in Python, where it is missing or cannot say a pattern. Runs as a process of its own.

A regular expression or a pattern of names cannot be stopped while it runs, a process can. It is started with one
argument, a JSON object, and prints what `rg` is asked to print for the same search: `path NUL` for each file, or
`path NUL line:column:offset:` and a line feed for each matching line (counted from 1, from 1 and from 0, in bytes).
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from agentmem.workspace.glob import Wanted
from agentmem.workspace.walk import Ground, walk

BINARY_BYTES = 65_536
"""A file with a NUL byte in its first bytes is binary; one with a NUL later is searched up to it. (ripgrep's rule)"""

Search = Callable[[str], Iterator[int]]


def main(order: str) -> None:
    """Do what the JSON object says: root, start, ignored; for matches also python, whole, ignore_case, glob or file."""
    wanted = json.loads(order)
    out = sys.stdout.buffer
    ground = Ground(wanted["root"], tuple(wanted["start"]), wanted["ignored"])
    if "python" not in wanted:
        for names in walk(ground, _unreadable):
            out.write(os.fsencode("/".join(names)) + b"\0")
        out.flush()
        return
    search = _search(wanted)
    for names in _files(ground, wanted):
        path = os.path.join(ground.root, *names)
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            _unreadable(path, error)
            continue
        for place in places(_text_part(data, wanted.get("file") is not None), search):
            out.write(os.fsencode("/".join(names)) + b"\0" + b"%d:%d:%d:\n" % place)
            out.flush()


def places(data: bytes, search: Search) -> Iterator[tuple[int, int, int]]:
    """Line, column and offset of the line for each line that `search` finds something in."""
    text = data.decode("utf-8", "surrogateescape")
    line, seen, offset = 1, 0, 0
    for at in search(text):
        begin = text.rfind("\n", 0, at) + 1
        line += text.count("\n", seen, begin)
        offset += _bytes(text[seen:begin])
        seen = begin
        yield line, _bytes(text[begin:at]) + 1, offset


def _files(ground: Ground, wanted: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The files to search: the one that is named, or those of the tree that fit the glob."""
    if wanted.get("file") is not None:
        yield (*ground.start, wanted["file"])
        return
    glob = Wanted(wanted["glob"]) if wanted.get("glob") else None
    for names in walk(ground, _unreadable):
        if glob is None or glob.matches(names[len(ground.start) :]):
            yield names


def _search(wanted: dict[str, Any]) -> Search:
    flags = re.IGNORECASE if wanted["ignore_case"] else 0
    if wanted["whole"]:
        return whole_search(re.compile(wanted["python"], flags | re.MULTILINE))
    return line_search(re.compile(wanted["python"], flags))


def whole_search(expression: re.Pattern[str]) -> Search:
    """The first match of each line, for an expression that cannot match a line feed."""

    def search(text: str) -> Iterator[int]:
        at = 0
        while at < len(text) and (found := expression.search(text, at)) is not None:
            if found.start() == len(text) and text.endswith("\n"):
                return  # behind the last line feed there is no line
            yield found.start()
            at = text.find("\n", found.start()) + 1
            if not at:
                return

    return search


def line_search(expression: re.Pattern[str]) -> Search:
    """The first match of each line, each line on its own without its end."""

    def search(text: str) -> Iterator[int]:
        begin = 0
        while begin < len(text):
            end = text.find("\n", begin)
            end = len(text) if end < 0 else end
            found = expression.search(text[begin:end].removesuffix("\r"))
            if found is not None:
                yield begin + found.start()
            begin = end + 1

    return search


def _text_part(data: bytes, named: bool) -> bytes:
    """What is searched of a file: of one that was named all, unless it is binary; else what stands before a NUL."""
    nul = data.find(b"\0")
    if nul < 0 or (named and nul >= BINARY_BYTES):
        return data
    return data[:nul] if nul >= BINARY_BYTES else b""


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _unreadable(path: str, error: OSError) -> None:
    sys.stderr.write(f"{path!r}: {error.strerror}\n")
