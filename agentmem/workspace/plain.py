"""Plain: what a command printed, as text that is safe to read: valid Unicode without escape codes and controls."""

from __future__ import annotations

from dataclasses import dataclass

_ORDINARY = bytes(range(0x20, 0x7F)) + b"\t\n"

_ESCAPES = (
    r"\x1b\[[0-?]*[ -/]*(?:[@-~]|\Z)"  # control sequences: colours, cursor; one may be cut
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # strings: window titles, links, the clipboard
    r"|\x1b[ -/]*[0-~]"  # the rest
)

_CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\r"}


@dataclass(frozen=True, slots=True)
class Plain:
    """Text made of bytes. `undecodable`: some bytes are no UTF-8 text and show as U+FFFD, as control characters do.
    `reduced`: escape codes, or what a progress bar wrote over, were left out."""

    text: str
    undecodable: bool = False
    reduced: bool = False


def plain(data: bytes) -> Plain:
    """Make text of bytes. Line ends stay as they are, CRLF too."""
    if not data.translate(None, _ORDINARY):
        return Plain(data.decode("ascii"))
    text = data.decode("utf-8", "replace")
    shown = _without_escapes(text) if "\x1b" in text else text
    shown = _overwritten(shown) if "\r" in shown or "\b" in shown else shown
    reduced = shown != text
    clean = shown.translate(_CONTROLS)
    return Plain(clean, undecodable=clean != shown or not is_utf8(data), reduced=reduced)


def is_utf8(data: bytes) -> bool:
    """Whether all of the bytes are valid UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _without_escapes(text: str) -> str:
    import re

    return re.sub(_ESCAPES, "", text)


def _overwritten(text: str) -> str:
    """Each line as a terminal would leave it: what stands before a lone carriage return is written over, a backspace
    takes the character before it."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        body = line.rstrip("\r")
        if "\r" in body:
            body = body[body.rindex("\r") + 1 :]
        if "\b" in body:
            body = _struck(body)
        lines[index] = body + "\r" if line.endswith("\r") and index < len(lines) - 1 else body
    return "\n".join(lines)


def _struck(line: str) -> str:
    kept: list[str] = []
    for letter in line:
        if letter != "\b":
            kept.append(letter)
        elif kept:
            kept.pop()
    return "".join(kept)
