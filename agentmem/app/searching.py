"""Searching: what is remembered here, for a person at the command line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from agentmem.app.home import places_of
from agentmem.app.remembering import take_over
from agentmem.config import load_config
from agentmem.domain.clock import Clock
from agentmem.memory.memory import recalled
from agentmem.workspace.trust import trusted

_PATIENCE = 1.0  # seconds before progress is told
_OTHERS = 10.0  # seconds that another process may take to bring the index up to date


def search(wanted: recalled.Wanted, env: Mapping[str, str]) -> recalled.Page:
    """The page of hits; the index is brought up to date before, with progress on stderr. Raises `ConfigError`,
    `NoDirectory`, `OSError`."""
    for text in take_over(env):
        sys.stderr.write(text + "\n")
    places = places_of(env)
    config = load_config(places.home, places.own)
    finder = recalled.Finder(places, Clock(), config.knowledge, trusted=trusted(places.home, places.root))
    try:
        until = time.monotonic() + _OTHERS
        while not finder.catch_up(None, _progress()) and time.monotonic() < until:
            time.sleep(0.05)
        return finder.find(wanted)
    finally:
        finder.close()


def _progress() -> Callable[[int, int], None]:
    begun = time.monotonic()
    last = [begun]

    def told(done: int, whole: int) -> None:
        now = time.monotonic()
        if now - begun > _PATIENCE and now - last[0] > 0.2 and sys.stderr.isatty():
            last[0] = now
            end = "\n" if done >= whole else ""
            with suppress(OSError):
                sys.stderr.write(f"\rindexing sessions: {done / 1e6:.0f} of {whole / 1e6:.0f} MB {end}")
                sys.stderr.flush()

    return told


def told(page: recalled.Page, *, why: bool, number: int) -> str:
    """The page for a person."""
    if not page.hits:
        nothing = "nothing in memory answers this" if page.first == 0 else "there are no more hits"
        return "\n".join([nothing, *page.notes])
    rows = [_row(place, hit, why) for place, hit in enumerate(page.hits, page.first + 1)]
    more = f"{page.remaining} more: --page {number + 1}" if page.remaining else "that is all"
    return "\n\n".join([*rows, "\n".join([more, *page.notes])])


def _row(place: int, hit: recalled.Hit, why: bool) -> str:
    head, *rest = recalled.row(hit)
    if why:
        signals = " · ".join(f"{name} {value:.2f}" for name, value in hit.signals.items())
        rest.append(f"  score {hit.score:.3f} · {signals}")
    return "\n".join([f"{place}. {head}", *(f" {line}" for line in rest)])


def to_json(page: recalled.Page) -> dict[str, Any]:
    """The page as the object of `agentmem recall --json`."""
    return {
        "hits": [hit.to_json() for hit in page.hits],
        "first": page.first,
        "remaining": page.remaining,
        "notes": list(page.notes),
    }
