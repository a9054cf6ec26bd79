"""Erasing: what `agentmem forget` does: show where the words stand, ask, have them forgotten, prove it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmem.agent.forgetting import MANY, Forgetting, broad, found_lines, receipt_lines, to_json
from agentmem.app.consent import NobodyToAsk, NotAgreed, agree, require_person
from agentmem.app.home import places_of
from agentmem.domain.clock import Clock
from agentmem.memory.memory import oversight

if TYPE_CHECKING:
    from agentmem.memory.oversight import Sightings, Wanted

_SOON = 1.0  # seconds after which it is told what is being looked at
Ask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line said: the id or the words, a yes ahead of the question, and how many places are expected
    (needed with `yes` where the words are short or stand in very much)."""

    query: str
    yes: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Erased:
    """What to print: `lines` for people, `document` for programs; `failed` when words are left or none were there."""

    lines: tuple[str, ...]
    document: dict[str, Any]
    failed: bool = False


def erase(wish: Wish, env: Mapping[str, str], say: Callable[[str], None], ask: Ask | None) -> Erased:
    """Have words forgotten; `say` shows the list before the question, `ask` (None without a terminal) puts it.

    Raises `NotThePerson`, `NotAgreed`, `NobodyToAsk`, `NoPhrase`, `StillOpen`, `MemoryBusy`, `LogWriteError`.
    """
    require_person(env, "have something forgotten")
    places = places_of(env)
    forgetting = Forgetting(places, Clock(), tell=_slowly(say))
    wanted, seen = forgetting.look(wish.query)
    found = tuple(found_lines(wanted, seen, places))
    if not seen.found:
        when = oversight.forgotten_on(places, wanted)
        told = (f"it was forgotten on {when[:10]}; nothing that is kept holds it",) if when else found
        return Erased(told, to_json(seen, places) | {"done": bool(when)}, failed=not when or bool(seen.unreadable))
    for line in found:
        say(line)
    _agreed(wish, wanted, seen, ask)
    receipt = forgetting.perform(wanted)
    return Erased(tuple(receipt_lines(receipt, places)), to_json(seen, places, receipt), failed=not receipt.done)


def _agreed(wish: Wish, wanted: Wanted, seen: Sightings, ask: Ask | None) -> None:
    """Raises `NotAgreed`, `NobodyToAsk`."""
    if not broad(wanted, seen):
        if not wish.yes:
            agree("Forget it for good?", ask)
        return
    if wish.count is None and ask is not None:
        typed = ask(f"Forget {seen.count:,} places for good? Type their number to agree: ")
        if typed.strip().replace(",", "") != str(seen.count):
            raise NotAgreed("nothing was done")
    elif not wish.yes or wish.count is None:
        why = "it is a short phrase" if wanted.short else f"it stands in over {MANY:,} places"
        raise NobodyToAsk(f"{why}: this also needs --yes --count {seen.count}")
    elif wish.count != seen.count:
        raise NotAgreed(f"nothing was done: it stands in {seen.count} places, not in {wish.count}")


def _slowly(say: Callable[[str], None]) -> Callable[[str], None]:
    """Tells what is being looked at once a second, from the second one on."""
    last = time.monotonic()

    def tell(text: str) -> None:
        nonlocal last
        if (now := time.monotonic()) - last > _SOON:
            last = now
            say(f"… {text}")

    return tell
