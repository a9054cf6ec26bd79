"""Lines: JSON objects one a line, written sound and read in spite of any damage.

Lines end in ``\n`` alone (``splitlines`` would also cut at U+2028, which JSON leaves as it is).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from json.scanner import make_scanner
from math import isfinite
from pathlib import Path
from typing import Any

from agentmem import regular

# NaN and Infinity are no JSON, yet Python reads them; they come in as text so that they can be written again.
_DECODER = json.JSONDecoder(parse_constant=str)
_SCAN = make_scanner(_DECODER)  # type: ignore[arg-type]  # a decoder is what it wants; its stub says another
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_HALVES = re.compile("[\ud800-\udfff]")
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with line `number` (from 1). `lost` is False where the line's objects were read all the same."""

    number: int
    what: str
    lost: bool = True


Line = tuple[int, dict[str, Any]]


def dump(value: Mapping[str, Any]) -> bytes:
    """One line with its ``\n``. Raises `ValueError` or `RecursionError` for what `sound` would mend."""
    return _ENCODER.encode(value).encode() + b"\n"


def sound(value: Any, depth: int = 0) -> Any:
    """The same value as what every JSON reader takes: half surrogates become U+FFFD (two halves in a row their
    character), NaN and infinities text, keys text, and what is nested deeper than 64 levels or no JSON a mark."""
    match value:
        case str() if _HALVES.search(value):
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case str() | int() | None:
            return value
        case float():
            return value if isfinite(value) else str(value)
        case Mapping() if depth < _DEEPEST:
            return {sound(str(key)): sound(item, depth + 1) for key, item in value.items()}
        case list() | tuple() if depth < _DEEPEST:
            return [sound(item, depth + 1) for item in value]
    return f"[{type(value).__name__}: not kept]"


def read(path: Path) -> tuple[list[Line], list[Fault]]:
    """Every whole object of a file with its line number, and what is wrong with the rest. Raises `OSError`."""
    found: list[Line] = []
    faults: list[Fault] = []
    with os.fdopen(regular.opened(path), "rb") as file:
        for number, raw in enumerate(file, 1):
            objects, fault = parse(raw)
            found.extend((number, value) for value in objects)
            if fault is not None:
                faults.append(Fault(number, fault, not objects))
    return found, faults


def sound_lines(path: Path) -> Iterator[bytes]:
    """Each object of a file as a line of its own: the bytes that stand there where they are one sound object. Raises
    `OSError`."""
    with os.fdopen(regular.opened(path), "rb") as file:
        for raw in file:
            objects, fault = parse(raw)
            if fault is None and len(objects) == 1:
                yield raw.strip(b"\0 \t\r\n") + b"\n"
            else:
                yield from map(dump, objects)


def parse(raw: bytes) -> tuple[list[dict[str, Any]], str | None]:
    """The objects that one line holds, and what is wrong with it.

    NUL bytes around an object (a hole left by a power cut) are passed over, several whole objects on one line all
    count. An object *inside* a damaged one never does: a tool call's arguments could pose as a record.
    """
    body = raw.strip(b"\0 \t\r\n")
    if not body:
        return [], ("NUL bytes" if b"\0" in raw else "only blanks") if raw.strip(b"\r\n") else None
    fault: str | None = None
    try:
        text = body.decode()
        value, end = _SCAN(text, 0)
        if end == len(text) and isinstance(value, dict):
            # One sign is looked for ten times as fast as two.
            return [value if "\\" not in text else _whole(value, text)], None
    except (ValueError, RecursionError, StopIteration):
        pass  # whatever is wrong is looked at below
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text, fault = body.decode(errors="replace"), "damaged characters"
    values, rest = _objects(text.removeprefix("\ufeff"))
    objects = [_whole(value, text) for value in values if isinstance(value, dict)]
    if rest or len(objects) < len(values):
        fault = "cut short or no JSON" if rest else "no object"
    return objects, fault


def _objects(text: str) -> tuple[list[Any], bool]:
    try:
        return [_DECODER.decode(text)], False
    except (ValueError, RecursionError):
        pass
    values = list(_in_a_row(text))
    return [value for value, _ in values], not values or values[-1][1] < len(text)


def _in_a_row(text: str) -> Iterator[tuple[Any, int]]:
    at = 0
    while text.startswith("{", at):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        while at < len(text) and text[at] in " \t\r\0":
            at += 1
        yield value, at


def _whole(value: dict[str, Any], text: str) -> dict[str, Any]:
    if "\\u" not in text or ("\\ud" not in text and "\\uD" not in text):
        return value
    whole: dict[str, Any] = sound(value)
    return whole
