"""Scan: what ripgrep does, in Python, where it is missing or cannot say a pattern. Runs as a process of its own.

A regular expression cannot be stopped while it runs, a process can. It is started by its path, needs nothing but the
standard library, and takes a JSON object (`python`, `whole`, `ignore_case`) and the files to search. It prints what
`rg` is asked to print: `path NUL line:column:offset:` and a line feed for each matching line, counted from 1, from 1
and from 0, in bytes.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence

BINARY_BYTES = 65_536
"""A file with a NUL byte in its first bytes is binary and not searched."""

Search = Callable[[str], Iterator[int]]


def main(arguments: Sequence[str]) -> None:
    """Search the files after the first argument as that says."""
    order = json.loads(arguments[0])
    flags = re.IGNORECASE if order["ignore_case"] else 0
    if order["whole"]:
        search = whole_search(re.compile(order["python"], flags | re.MULTILINE))
    else:
        search = line_search(re.compile(order["python"], flags))
    out = sys.stdout.buffer
    for path in arguments[1:]:
        try:
            data = _text_of(path)
        except OSError as error:
            sys.stderr.write(f"{path!r}: {error.strerror} (os error {error.errno})\n")
            continue
        for place in places(data, search):
            out.write(os.fsencode(path) + b"\0" + b"%d:%d:%d:\n" % place)
            out.flush()


def places(data: bytes, search: Search) -> Iterator[tuple[int, int, int]]:
    """Line, column and offset of the line for each line that `search` finds something in. As ripgrep has it, an empty
    match at the very end of a file has column 1."""
    text = data.decode("utf-8", "surrogateescape")
    line, seen, offset = 1, 0, 0
    for at in search(text):
        begin = text.rfind("\n", 0, at) + 1
        line += text.count("\n", seen, begin)
        offset += _bytes(text[seen:begin])
        seen = begin
        yield line, 1 if at == len(text) else _bytes(text[begin:at]) + 1, offset


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


def _text_of(path: str) -> bytes:
    """The bytes of a file, none of a binary one."""
    with open(path, "rb") as file:
        start = file.read(BINARY_BYTES)
        return b"" if b"\0" in start else start + file.read()


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    main(sys.argv[1:])
