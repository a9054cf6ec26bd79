"""Wanted: what a person wants forgotten, by an id or by the words themselves, and the phrases to look for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.domain.phrase import Phrases, fold, phrases
from agentmem.domain.places import Places
from agentmem.memory.stores import lines, queue, seal
from agentmem.memory.stores.bullets import parse
from agentmem.memory.stores.estate import holdings
from agentmem.memory.write import marking

SHORT = 4
"""Characters under which a phrase is so short that it stands in much that nobody means."""

_MOST = 1 << 24  # bytes of a MEMORY.md
_ID = re.compile(r"\^?([a-z][0-9a-f]{5,40})")
_BLOCK = re.compile(r"\s\^([A-Za-z0-9-]+)\s*$")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+")
_OWN_WORDS = 3  # content words from which on a quote is told from what is said every day


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be forgotten. `texts` are the words, `facts` the id that was named, if one was; `mark` is an HMAC by
    which the same wish is recognised."""

    texts: tuple[str, ...]
    phrases: Phrases
    facts: tuple[str, ...]
    mark: str

    @property
    def short(self) -> bool:
        """Whether a phrase is so short that it stands in much that nobody means."""
        return any(len(needle) < SHORT for needle in self.phrases.needles)


def wanted(query: str, places: Places) -> Wanted:
    """What `query` means: an id of a fact, an episode or a claim that waits (or the only one that begins so), else the
    words as they are. Raises `NoPhrase`, `OSError`."""
    texts: list[str] = [query]
    facts: list[str] = []
    if match := _ID.fullmatch(query.strip()):
        said = _said(places)
        facts = [own for own in said if own == match[1]] or [own for own in said if own.startswith(match[1])]
        facts = facts if len(facts) == 1 else []
        texts = [text for own in facts for text in said[own]] or texts
    texts = list(dict.fromkeys(texts))
    found = phrases(texts)
    return Wanted(tuple(texts), found, tuple(facts), _mark(found, places))


def _mark(found: Phrases, places: Places) -> str:
    import hashlib
    import hmac

    text = "\n".join(sorted(found.needles))
    return hmac.new(seal.key(places.home), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _said(places: Places) -> dict[str, list[str]]:
    """The words of everything that has an id."""
    said: dict[str, list[str]] = {}
    for one in holdings(places):
        if one.kind == "ledger":
            for _, record in lines.read(one.path)[0]:
                _add(said, record.get("fact"), _record_texts(record))
        elif one.kind in ("memory", "page"):
            for own, texts in (*_blocks(one.path), *(_secret(one.path, places) if one.kind == "memory" else ())):
                _add(said, own, texts)
    for item in queue.waiting(places.queue):
        _add(said, item.get("id"), [text for key in ("text",) if isinstance(text := item.get(key), str)])
    return {own: texts for own, texts in said.items() if texts}


def _secret(path: Path, places: Places) -> Iterator[tuple[str, list[str]]]:
    """The ids that lines with a secret are listed under, with their words as the person's file has them."""
    data = regular.read(path, _MOST)
    found = marking.marked(data, "user" if path.parent == places.home else "project", places)
    raw = parse(data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")) if found.secrets else []
    for own, line in found.withheld().items():
        yield own, [one.text for one in raw if line.at <= one.at <= max(line.end, _last(found, line.at))]


def _last(found: marking.Marked, line: int) -> int:
    """The last line of the secret that begins on a line; the line itself where none does."""
    return max((one.last for one in found.secrets if one.line == line), default=line)


def _add(said: dict[str, list[str]], own: object, texts: list[str]) -> None:
    if isinstance(own, str):
        said.setdefault(own, []).extend(text for text in texts if text and text not in said[own])


def _record_texts(record: Mapping[str, Any]) -> list[str]:
    """The words of a ledger's line; what was quoted too, unless it is as good as nothing (``yes, do that``)."""
    origin = record.get("origin")
    quote = origin.get("quote") if isinstance(origin, dict) else None
    text = record.get("text")
    texts = [text] if isinstance(text, str) and fold(text).strip() else []
    if isinstance(quote, str) and len([word for word in fold(quote).split() if len(word) > 3]) >= _OWN_WORDS:
        texts.append(quote)
    return texts


def _blocks(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The id at a line's end and the line's words; under a heading with an id those of its block too."""
    heading: str | None = None
    for line in path.read_bytes().decode("utf-8", "replace").splitlines():
        found = _BLOCK.search(line)
        text = _BULLET.sub("", line[: found.start()] if found else line).strip()
        if line.startswith("#"):
            heading = found[1] if found else None
            text = re.sub(r"^\d\d:\d\d\s+", "", text)
        if found and text:
            yield found[1], [text]
        elif heading and not line.startswith(("#", "session ")):
            label, colon, rest = text.partition(": ")  # what was done is told in words that other blocks use too
            yield heading, [rest] if colon and label == "Wanted" and rest.strip() else []
