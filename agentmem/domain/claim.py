"""Claims and verdicts: what someone wants remembered, what the gate made of it, and what a store is given to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agentmem.domain.category import Category

Principal = Literal["user", "curator", "agent", "tool", "project", "import", "dream"]
Outcome = Literal["added", "updated", "known", "queued", "refused", "expired"]
Scope = Literal["user", "project"]
Operation = Literal["ADD", "UPDATE", "EXPIRE", "FORGET"]

PRINCIPALS: tuple[Principal, ...] = ("user", "curator", "agent", "tool", "project", "import", "dream")


@dataclass(frozen=True, slots=True)
class Claim:
    """Something someone wants remembered. Who said it is not part of the claim: the gate reads that off the log.

    `entry` and `quote` are hints where it was said, and prove nothing. `scope` is the level it goes to, None: by what
    it says. `replaces` is the id of the fact it takes the place of. `current` marks what only matters now.
    """

    text: str
    category: Category | None = None
    entry: str | None = None
    quote: str | None = None
    scope: Scope | None = None
    replaces: str | None = None
    current: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate made of a claim. `id` names the fact (added, updated, known, expired) or the queue file (queued).

    `path` is where it stands. `text` is the belief as it was written, and `diff` what changed in that file; both None
    where nothing was. `replaced` is the fact that was closed for it. `withheld` stands for the words of a refused or
    queued claim: equal words have equal marks. `category` is the one the gate found, None where it came to none.
    `unkept` says what the disk could not take: of a refused claim nothing was written, else only the history lacks it.
    """

    outcome: Outcome
    id: str | None
    reason: str
    principal: Principal
    path: str | None = None
    text: str | None = None
    diff: str | None = None
    replaced: str | None = None
    withheld: str | None = None
    category: Category | None = None
    unkept: str = ""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A change of durable memory that the gate lets in: what a durable store's write takes. Only the gate makes one.

    `fact` is the belief's id, `text` its one line, `section` the heading it stands under. `replaces` is the fact whose
    line it takes (UPDATE) or that goes (EXPIRE, FORGET). `record` is the ledger's line.
    """

    op: Operation
    fact: str
    text: str
    section: str
    replaces: str | None = None
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that someone made to a MEMORY.md past the gate, found by comparing what stood there with what stands
    there now. `before` is the text of a belief that was removed or changed, `after` of one added or changed; `fact` is
    its id: of the old line where there was one, else of the new one. `becomes` is its id afterwards where that is
    another: a line without an id has that of its text."""

    scope: Scope
    fact: str
    before: str | None
    after: str | None
    section: str = ""
    becomes: str | None = None
