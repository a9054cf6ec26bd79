"""The yardstick: a second reading of what a session names, which shares no line with the product's own.

It walks words, where the product matches runs: what both find is named, whoever looks. A word is what stands between
blanks, without the signs around it.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.message import Text, Thinking, ToolCall

KINDS = ("path", "command", "hash", "number", "url", "host", "error", "decision")
_AROUND = "\"'`“”‘’()[]{}<>,;:!?*|=."
_BREAKS = str.maketrans(dict.fromkeys("\"'`<>()[]{}|,;=→│\\", " "))
_QUOTES = str.maketrans("\"'`<>\\", "      ")
_ENDINGS_WORDS = (
    "py ts tsx js jsx json jsonl md ex exs heex eex html css yaml yml toml sh txt rs go c h cpp java rb lock sql "
    "log cfg ini vue svelte kt swift php png svg csv xml"
)
_ENDINGS = frozenset(_ENDINGS_WORDS.split())
_UNITS_WORDS = (
    "% ms s sec seconds min minutes hours days kb mb gb bytes px fps tokens lines files tests errors warnings "
    "failures passed failed rows columns items characters messages requests commits colors percent"
)
_UNITS = frozenset(_UNITS_WORDS.split())
_RUNNERS_WORDS = (
    "git npm npx pnpm yarn node python python3 pip uv pytest make cargo go docker mix ruff mypy tsc grep rg find "
    "sed ls cat cd curl gh bd bash sh head tail"
)
_RUNNERS = frozenset(_RUNNERS_WORDS.split())
_DECIDERS = ("decided", "decision", "from now on", "never ", "always ", "instead of", "rather than",
             "let's use", "we use ", "must ")  # fmt: skip
_WRITES = frozenset(("write", "edit", "multiedit"))
_NAME = tuple[str, str]


@dataclass(slots=True)
class Seen:
    """Where a name stands: the places of all entries, and whether one of the four reasons to keep it was met."""

    places: set[int] = field(default_factory=set)
    weighty: bool = False
    agent: set[int] = field(default_factory=set)


def names(text: str) -> set[_NAME]:
    """What a text names, as (kind, text); ``code`` are names in code."""
    found: set[_NAME] = set()
    for line in text.split("\n"):
        found.update(_of_line(line))
    return found


def _of_line(line: str) -> Iterator[_NAME]:
    if "Error: " in line or "error: " in line or "fatal: " in line:
        told = line.strip()
        if len(told) <= 160 and not told.endswith((";", "{", ",")) and "${" not in told and told[:1].isalpha():
            yield "error", told
    for word in line.split():
        start = word.find("http")
        if "://" in word and start >= 0:
            yield "url", word[start:].translate(_QUOTES).split()[0].rstrip(_AROUND)
    words = line.translate(_BREAKS).split()
    for at, raw in enumerate(words):
        word = raw.strip(_AROUND) if not raw.startswith(".") else "." + raw.strip(_AROUND)
        if "://" not in raw and 2 <= len(word) <= 160:
            yield from _of_word(word, raw, words[at + 1 : at + 2], line)


def _of_word(word: str, raw: str, after: Sequence[str], line: str) -> Iterator[_NAME]:
    if (kind := _kind(word)) is not None:
        yield kind, word
    elif word.replace(".", "").isdigit() and raw[-1].isdigit() and raw[0].isdigit() and after:
        unit = after[0].rstrip(_AROUND)
        if unit.lower() in _UNITS and f"{word} {unit}" in line:
            yield "number", f"{word} {unit}"


def _kind(word: str) -> str | None:
    for kind, is_one in (("path", _is_path), ("host", _is_host), ("hash", _is_hash), ("code", _is_code)):
        if is_one(word):
            return kind
    return None


def _is_path(word: str) -> bool:
    ending = word.rpartition(".")[2].lower()
    if "/" in word:
        if word.startswith(("//", "/>")) or word[0].isdigit() or any(sign in word for sign in "*$?:#^%@&+~!"):
            return False
        parts = [one for one in word.split("/") if one]
        known = len(parts) > 2 or (len(parts) == 2 and ending in _ENDINGS)
        return known and all(any(map(str.isalnum, one)) for one in parts)
    return "." in word and ending in _ENDINGS and word[0] != "." and all(one.isalnum() or one in "._-" for one in word)


def _is_host(word: str) -> bool:
    name, colon, port = word.rpartition(":")
    return bool(colon) and port.isdigit() and (name == "localhost" or name.replace(".", "").isdigit())


def _is_hash(word: str) -> bool:
    digits = sum(map(str.isdigit, word))
    if word[0] == "#" and word[1:].isdigit():
        return True
    return 7 <= len(word) <= 40 and set(word) <= set("0123456789abcdef") and 0 < digits < len(word)


def _is_code(word: str) -> bool:
    inner = any(one.islower() and two.isupper() for one, two in pairwise(word))
    return word.isidentifier() and len(word) > 4 and (inner or "_" in word.strip("_"))


def survey(entries: Sequence[Entry]) -> dict[_NAME, Seen]:
    """Every name of some entries and where it stands."""
    failed = {
        message.call_id
        for one in entries
        if (message := one.message()) is not None and message.role == "tool" and message.error
    }
    answered = {message.call_id for one in entries if (message := one.message()) is not None and message.role == "tool"}
    seen: dict[_NAME, Seen] = defaultdict(Seen)
    for place, entry in enumerate(entries):
        message = entry.message()
        if message is None:
            continue
        for part in message.parts:
            for text, weighty, more in _texts(part, message.role, failed, answered):
                for name in names(text) | more:
                    one = seen[name]
                    one.places.add(place)
                    one.weighty |= weighty
                    if message.role == "assistant":
                        one.agent.add(place)
    return seen


def _texts(part: Any, role: str, failed: set[Any], answered: set[Any]) -> Iterator[tuple[str, bool, set[_NAME]]]:
    if isinstance(part, Text):
        said = role != "tool" and part.origin not in ("harness", "file")
        yield part.text, said, _sentences(part.text) if said else set()
    elif isinstance(part, ToolCall):
        good = part.id in answered and part.id not in failed
        for key, value in part.arguments.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            command = key in ("command", "cmd")
            path = key in ("path", "file_path")
            more: set[_NAME] = {("command", text)} if command and len(text) <= 200 and "\n" not in text else set()
            yield text, good and (command or (path and part.name.lower() in _WRITES)), more
    elif isinstance(part, Thinking):
        yield part.text, False, set()


def _sentences(text: str) -> set[_NAME]:
    found: set[_NAME] = set()
    for number, piece in enumerate(text.split("`")):
        if number % 2 and piece.split(" ")[0] in _RUNNERS and " " in piece.strip() and "\n" not in piece:
            found.add(("command", piece.strip()))
    for line in text.split("\n"):
        line = line.strip(" -*>#")
        if (
            15 <= len(line) <= 250
            and any(word in line.lower() for word in _DECIDERS)
            and "?" not in line
            and "```" not in line
        ):
            found.add(("decision", line))
    return found


def salient(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """By kind, what must survive of some entries."""
    out: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for (kind, text), seen in survey(entries).items():
        if kind != "code" and (seen.weighty or (len(seen.places) > 1 and kind != "decision")):
            out[kind].append(text)
    return out


def stands(name: str, text: str) -> bool:
    """Whether a name stands in a text byte for byte, and is no piece of a longer one."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or (before in ("_", "-") and before)) and not (after.isalnum() or after == "_"):
            return True
        at = text.find(name, at + 1)
    return False


def mutated(summary: str, entries: Sequence[Entry]) -> list[str]:
    """What a summary names that stands nowhere in the entries."""
    source = "\n".join(
        text
        for entry in entries
        if (message := entry.message()) is not None
        for part in message.parts
        for text in _raw(part)
    )
    return sorted(text for kind, text in names(summary) if kind != "code" and not stands(text, source))


def _raw(part: Any) -> Iterator[str]:
    if isinstance(part, ToolCall):
        for value in part.arguments.values():
            yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    elif isinstance(part, Text | Thinking):
        yield part.text


def carried(before: Sequence[Entry], after: Sequence[Entry], text: str) -> float | None:
    """The share of the names seen before a cut and used by the agent after it that stand in `text`; None where nothing
    was used again."""
    seen = survey(before)
    later = survey(after)
    again = [name for kind, name in seen if (kind, name) in later and later[kind, name].agent and kind != "decision"]
    return sum(stands(name, text) for name in again) / len(again) if again else None


def plain_list(before: Sequence[Entry], most: int) -> str:
    """The names ranked by square root of frequency times recency, nothing else: what others got 0.38 with."""
    seen = survey(before)
    end = max(1, len(before))

    def score(one: Seen) -> float:
        return math.sqrt(len(one.places)) * math.exp(-(end - max(one.places)) / (0.25 * end))

    kept, room = [], most
    for (kind, name), _ in sorted(seen.items(), key=lambda pair: (-score(pair[1]), pair[0])):
        if kind != "decision" and len(name) < room:
            kept.append(name)
            room -= len(name) + 1
    return "\n".join(kept)
