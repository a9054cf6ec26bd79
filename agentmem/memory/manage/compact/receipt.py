"""The receipt: how many of a span's salient identifiers a summary holds byte for byte, which it lost or made up."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message
from agentmem.memory.read import weight
from agentmem.memory.read.actions import Actions, of_deeds
from agentmem.memory.read.contained import within
from agentmem.memory.read.identifiers import KINDS, Kind, Salient, salient, stands

FLOOR = 0.9
"""Of all salient identifiers; of decisions, changed files and failing checks it is all of them."""
TOLD = 50
"""Missing names a kind that a log entry lists."""
_LINE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


@dataclass(frozen=True)
class Ground:
    """A span read once, for all that is asked of it: its `salient` identifiers and its structured `actions`."""

    span: tuple[Entry, ...]
    salient: Salient
    actions: Actions

    @cached_property
    def before(self) -> int:
        """Its tokens in a request, an estimate as before a provider has counted."""
        return _tokens(self.salient.messages)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of its entries, each as its JSON line, in hex."""
        made = hashlib.sha256()
        for entry in self.span:
            made.update(_LINE.encode(entry.to_json()).encode("utf-8", "surrogatepass"))
            made.update(b"\n")
        return made.hexdigest()

    @cached_property
    def within(self) -> Mapping[str, tuple[str, ...]]:
        """Of each name, salient or not, the others that stand in it."""
        names = (*self.salient.every, *self.salient.rest)
        return within(((one.text, one.kind in ("command", "decision", "error")) for one in names), self.salient.memo)

    @cached_property
    def must(self) -> tuple[str, ...]:
        """What no summary may lack: decisions, changed files, failing checks with what they failed with."""
        failing = [text for one in self.actions.failing for text in (head(one.command), one.error)]
        decisions = [one.text for one in self.salient.found.get("decision", ())]
        return tuple(
            dict.fromkeys(one for one in (*decisions, *(x.path for x in self.actions.changed), *failing) if one)
        )


def ground(span: Sequence[Entry]) -> Ground:
    """Read a span."""
    found = salient(span)
    return Ground(tuple(span), found, of_deeds(span, found.messages, found.done))


def span_tokens(span: Sequence[Entry]) -> int:
    """The tokens of a span in a request, an estimate as before a provider has counted."""
    return _tokens(entry.message() for entry in span)


def head(command: str) -> str:
    """A command's first line, at most 200 characters of it: what stands for it in a summary."""
    return command.split("\n", 1)[0][:200].strip()


def _tokens(messages: Iterable[Message | None]) -> int:
    return math.ceil(weight.total(one for one in messages if one is not None) / weight.BYTES_A_TOKEN)


def tokens_of(text: str) -> int:
    """An estimate of a text's tokens."""
    return math.ceil(len(text.encode("utf-8", "replace")) / weight.BYTES_A_TOKEN)


@dataclass(frozen=True, slots=True)
class Count:
    """Of one kind: how many are salient in the span, how many survive, and those that do not, the likeliest to be
    needed first."""

    salient: int
    kept: int
    missing: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The log's form: at most 50 missing ones by name."""
        out: dict[str, Any] = {"salient": self.salient, "kept": self.kept}
        if self.missing:
            out["missing"] = list(self.missing[:TOLD])
        return out


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a summary kept of its span. `span` is the SHA-256 of the span's entries, each as its JSON line; `before` and
    `after` are tokens. `must` are the missing ones whose floor is 1.0 (decisions, changed files, failing checks);
    `invented` are those that the model made up, which were taken out of the text."""

    span: str
    kinds: Mapping[Kind, Count]
    must: tuple[str, ...]
    invented: tuple[str, ...]
    before: int
    after: int

    @property
    def survival(self) -> float:
        """The share of all salient identifiers that survive; 1.0 where there are none."""
        all_ = sum(count.salient for count in self.kinds.values())
        return sum(count.kept for count in self.kinds.values()) / all_ if all_ else 1.0

    @property
    def passed(self) -> bool:
        """Whether it is over both floors."""
        return self.survival >= FLOOR and not self.must

    @property
    def missing(self) -> tuple[str, ...]:
        """All that is missing, first what must not be."""
        rest = (one for count in self.kinds.values() for one in count.missing)
        return tuple(dict.fromkeys((*self.must, *rest)))

    def to_json(self) -> dict[str, Any]:
        """The form in a compaction entry's `receipt`; kinds of which the span holds none are left out."""
        return {
            "span": self.span,
            "survival": round(self.survival, 4),
            "passed": self.passed,
            "kinds": {kind: count.to_json() for kind, count in self.kinds.items() if count.salient},
            "must": list(self.must[:TOLD]),
            "invented": list(self.invented[:TOLD]),
            "tokens": {"before": self.before, "after": self.after},
        }


def receipt(of: Ground, text: str, invented: tuple[str, ...] = ()) -> Receipt:
    """The receipt of a summary `text`, out of which `invented` was taken."""
    kinds: dict[Kind, Count] = {}
    for kind in KINDS:
        all_ = of.salient.found.get(kind, ())
        missing = sorted((one for one in all_ if not stands(one.text, text)), key=lambda one: (-one.weight, one.text))
        kinds[kind] = Count(len(all_), len(all_) - len(missing), tuple(one.text for one in missing))
    must = tuple(one for one in of.must if not stands(one, text))
    return Receipt(of.digest, kinds, must, invented, of.before, tokens_of(text))
