"""Content: what a file's bytes are (text, other encodings, binary), and how they are shown without changing them.

Bytes are never guessed into an encoding: UTF-8 is checked, UTF-16 is believed for its byte order mark, all else is "not
UTF-8". Only a line feed ends a line; a carriage return before it belongs to the line's end.
"""

from __future__ import annotations

import codecs
import re
from typing import Literal

from agentmem.workspace.plain import is_utf8

BOM = codecs.BOM_UTF8
HEAD = 8_192  # bytes at the start of a file that tell text from binary

Kind = Literal["utf-8", "not utf-8", "utf-16", "binary"]

_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_BINARY_SHARE = 0.3  # of the head in bytes that no text of ours has


def wide(data: bytes) -> str | None:
    """The UTF-16 or UTF-32 codec that a byte order mark names, None without one."""
    marks = (
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    )
    return next((codec for mark, codec in marks if data.startswith(mark)), None)


def looks_binary(head: bytes) -> bool:
    """Whether the start of a file (at most `HEAD` bytes are looked at) is no text: a NUL byte, or too many bytes that
    are control signs or not UTF-8."""
    head = head[:HEAD]
    if b"\0" in head:
        return True
    foreign = len(head) - len(head.decode("utf-8", "ignore").encode())
    return foreign + len(_CONTROL.findall(head)) > _BINARY_SHARE * len(head) + 4


def kind_of(data: bytes) -> Kind:
    """What all the bytes of a file are. A NUL byte anywhere makes it binary, but in text that begins with the mark of a
    wide encoding."""
    codec = wide(data)
    if codec is not None:
        try:
            data.decode(codec)
        except UnicodeDecodeError:
            return "binary"
        return "utf-16"
    if b"\0" in data:
        return "binary"
    return "utf-8" if is_utf8(data) else "not utf-8"


def shown(data: bytes) -> str:
    """Bytes as text that can go anywhere: what is not UTF-8 stands as `\\xNN`, a NUL as `\\x00`."""
    return data.decode("utf-8", "backslashreplace").replace("\0", "\\x00")


def lines(data: bytes) -> list[bytes]:
    """The lines with their ends; joined they are the bytes again."""
    parts = data.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


def line_at(data: bytes, position: int) -> int:
    """The number, from 1, of the line that the byte at `position` stands in."""
    return data.count(b"\n", 0, position) + 1


def only_crlf(data: bytes) -> bool:
    """Whether there are line ends, and all of them are CRLF."""
    breaks = data.count(b"\n")
    return breaks > 0 and breaks == data.count(b"\r\n")
