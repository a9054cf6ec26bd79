"""Skillwatch: which skill files came, or say something else, while a command of the agent ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agentmem import regular
from agentmem.domain.places import Places
from agentmem.memory.stores import skillplaces

_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Books:
    """How the skill files of the project and the person were: of each what tells that it was not touched since, and
    the digest of what it says. `known` are all (path, digest) that stood there on no command's word."""

    files: Mapping[str, tuple[regular.Sign, str]]
    known: frozenset[tuple[str, str]] = field(default=frozenset())


def look(places: Places, before: Books | None = None) -> Books:
    """Look at the skill files, only at those that changed since `before`."""
    files: dict[str, tuple[regular.Sign, str]] = {}
    for path in _listed(places):
        if (now := regular.sign(path)) is not None:
            had = before.files.get(path) if before is not None else None
            files[path] = had if had is not None and had[0] == now else (now, regular.digest(path, _MOST_BYTES) or "")
    own = frozenset((path, said) for path, (_, said) in files.items())
    return Books(files, own | (before.known if before is not None else frozenset()))


def by_tool(places: Places, before: Books) -> tuple[list[tuple[str, str]], Books]:
    """The files (path, digest) that came or changed since `before`, while a tool ran, and how all of them are now.
    What stood there before, and was only put back, is not among them."""
    now = look(places, before)
    came = [(path, said) for path, (_, said) in now.files.items() if (path, said) not in before.known]
    return came, Books(now.files, now.known - frozenset(came))


def since(places: Places, when: int) -> Books:
    """The skill files as far as they were not touched from `when` on (nanoseconds)."""
    files = {path: had for path, had in look(places).files.items() if had[0].changed < when}
    return Books(files, frozenset((path, said) for path, (_, said) in files.items()))


def _listed(places: Places) -> Iterator[str]:
    if not skillplaces.project(places) and not skillplaces.person(places):
        return
    from agentmem.memory.stores import skillroots  # a place without skills pays nothing
    from agentmem.memory.stores.skillroots import Spot

    for root in skillroots.roots(places):
        if root.level != "built-in":
            yield from (one.path for one in skillroots.walk(root) if isinstance(one, Spot))
