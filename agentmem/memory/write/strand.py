"""Strand: the drafts of one imported session as a skeleton, from which each gets its place in our tree.

A reply and the results of its calls are one step: what hung on any of them hangs on the step's end, so that every call
is answered next to it on every branch. The bodies lie in a spool; only keys and places are held in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from agentmem.memory.stores import lines
from agentmem.memory.stores.staged import Spool, Spot
from agentmem.memory.write.foreign.draft import BEFORE, Draft, Kind, Skip

Tell = Callable[[Skip], None]


@dataclass(slots=True)
class Node:
    """A record's place. `up` is the node it hangs on; `home` the step that a result belongs to; `trail` the meta drafts
    that joined it; `answered` maps a call's place in the reply to its result."""

    number: int
    kind: Kind
    line: int
    leaf: bool
    before: int | None
    spots: list[Spot]
    parent: str | None = None
    up: int | None = None
    home: int | None = None
    answers: str | None = None
    calls: list[str] = field(default_factory=list)
    answered: dict[int, int] = field(default_factory=dict)
    trail: list[Spot] = field(default_factory=list)


class Strand:
    """Take every draft, then `settle`; the nodes are then fit to be written in the order that `order` gives."""

    def __init__(self, spool: Spool, tell: Tell) -> None:
        self.nodes: list[Node] = []
        self.head: list[Spot] = []  # what stands before the first node
        self._spool = spool
        self._tell = tell
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._joined: dict[str, int] = {}
        self._asked: dict[str, list[tuple[int, int]]] = {}
        self._latest: int | None = None  # what stands before the next draft
        self._previous: int | None = None  # the node of the draft before, for one that follows it
        self._skipping = False
        self._stood: int | None = None  # the node of the last draft that can be a leaf

    def take(self, draft: Draft) -> None:
        """Give a draft its node, or join it to the one that it belongs to."""
        if draft.kind in ("meta", "session_info") and draft.key is None and draft.parent is BEFORE and not draft.beside:
            self._trail().append(self._put_aside(draft))
            return
        if not draft.follows:
            self._skipping = draft.key in self._last and self._is_again(draft, self._last[draft.key])
            if self._skipping:
                self._tell(Skip(draft.line, "the same record again"))
        if self._skipping:
            return
        up = self._up_of(draft)
        joined = self._joined.get(draft.joins) if draft.joins else None
        if joined is not None and up is not None and self._stands_on(up) == joined:
            self._join(draft, self.nodes[joined])
        elif _only_counts(draft):
            return
        else:
            self._add(draft, up)
        if draft.leaf and draft.kind != "link":
            self._stood = self._previous

    def settle(self) -> None:
        """Pair what came before its call, and find what hangs on what came later."""
        for node in self.nodes:
            if node.answers is not None and node.home is None:
                self._pair(node, late=True)
        for node in self.nodes:
            if isinstance(node.parent, str) and node.home is None:
                node.up = self._last.get(node.parent)
                if node.up is None or self._stands_on(node.up) == node.number:
                    self._tell(
                        Skip(node.line, "joined to what stands before it: its parent is not in the file", kept=True)
                    )
                    node.up = node.before
            if node.up is not None:
                node.up = self._stands_on(node.up)

    def node_of(self, key: object) -> Node | None:
        """The node that a record of the source became."""
        number = self._first.get(key) if isinstance(key, str) else None
        return None if number is None else self.nodes[number]

    def leaf(self) -> int | None:
        """The node where the conversation stands: the last that can be a leaf."""
        if self._stood is None:
            return None
        last = self._stands_on(self._stood)
        # A late piece of an earlier step does not take back what came after it.
        newest = next((node.number for node in reversed(self.nodes) if node.leaf and _is_written(node)), last)
        at = newest
        while at is not None and at != last:
            at = self.nodes[at].up
        return last if at is None else newest

    def order(self) -> list[int]:
        """The nodes to be written, each after the one it hangs on. A ring of parents tells of no order: its records
        follow each other as they do in the file."""
        done = [False] * len(self.nodes)
        out: list[int] = []
        placed: set[int] = set()
        for node in self.nodes:
            chain: list[Node] = []
            at: Node | None = node if _is_written(node) else None
            while at is not None and not done[at.number]:
                done[at.number] = True
                chain.append(at)
                at = None if at.up is None else self.nodes[at.up]
            for place, one in enumerate(chain):
                if one is at:
                    chain[place:] = reversed(self._unrolled(chain[place:], placed, out[-1] if out else None))
                    break
            out += [one.number for one in reversed(chain)]
            placed.update(one.number for one in chain)
        return out

    def _unrolled(self, ring: list[Node], placed: set[int], latest: int | None) -> list[Node]:
        """The nodes of a ring in the file's order, each on the one before; the first on what is placed already."""
        ring.sort(key=lambda node: node.number)
        first = ring[0]
        before = None if first.before is None else self._stands_on(first.before)
        first.up = before if before in placed else latest
        for node, following in pairwise(ring):
            following.up = node.number
        self._tell(Skip(first.line, "joined to what stands before it: its parents form a ring", kept=True))
        return ring

    def _put_aside(self, draft: Draft) -> Spot:
        return self._spool.add(
            {"type": draft.kind, "at": draft.at, "line": draft.line, "source": draft.source, "body": draft.body}
        )

    def _trail(self) -> list[Spot]:
        return self.head if self._latest is None else self.nodes[self._latest].trail

    def _up_of(self, draft: Draft) -> int | None:
        """The node that a draft hangs on, as far as it is known yet."""
        if draft.follows:
            return self._previous
        if draft.beside is not None and (beside := self.node_of(draft.beside)) is not None:
            return beside.up
        if draft.parent is BEFORE:
            return self._latest
        return self._last.get(draft.parent) if isinstance(draft.parent, str) else None

    def _is_again(self, draft: Draft, number: int) -> bool:
        """True when a record with this id was read, and says the same; its line may be another."""
        return any(
            (told := self._spool.get(spot))["body"] == lines.sound(draft.body) and told["at"] == draft.at
            for spot in self.nodes[number].spots
        )

    def _join(self, draft: Draft, node: Node) -> None:
        self._name(draft, node.number)
        if any(call in node.calls for call in draft.calls):
            self._tell(Skip(draft.line, "the same call again"))
            return
        node.spots.append(self._put_aside(draft))
        self._ask(node, draft)

    def _add(self, draft: Draft, up: int | None) -> None:
        node = Node(len(self.nodes), draft.kind, draft.line, draft.leaf, self._latest, [], up=up)
        if draft.kind != "link":
            node.spots.append(self._put_aside(draft))
        if up is None and isinstance(draft.parent, str) and not draft.follows and draft.beside is None:
            node.parent = draft.parent
        self.nodes.append(node)
        self._ask(node, draft)
        self._name(draft, node.number)
        if draft.joins:
            self._joined[draft.joins] = node.number
        node.answers = draft.answers
        if node.answers is not None:
            self._pair(node, late=False)
        # A paired result stands in its step; what comes next stands after all that is there already.
        if node.home is None and draft.kind != "link":
            self._latest = node.number

    def _name(self, draft: Draft, number: int) -> None:
        self._previous = number
        if draft.key is None:
            return
        if not draft.follows:
            self._first[draft.key] = number
        self._last[draft.key] = number

    def _ask(self, node: Node, draft: Draft) -> None:
        for call in draft.calls:
            self._asked.setdefault(call, []).append((node.number, len(node.calls)))
            node.calls.append(call)

    def _pair(self, node: Node, *, late: bool) -> None:
        """A result answers the last call of its id that has none yet: some providers count from 1 in every reply."""
        for number, place in reversed(self._asked.get(node.answers or "", ())):
            step = self.nodes[number]
            if place not in step.answered and (late or number < node.number):
                step.answered[place] = node.number
                node.home = number
                step.trail += node.trail
                node.trail = []
                return

    def _stands_on(self, number: int) -> int | None:
        """The written node at this place: links are walked up, a result's place is its step."""
        seen: set[int] = set()
        at: int | None = number
        while at is not None and at not in seen:
            seen.add(at)
            node = self.nodes[at]
            if node.home is not None:
                return node.home
            if node.kind != "link":
                return at
            if isinstance(node.parent, str) and node.up is None:
                node.up = self._last.get(node.parent, node.before)
            at = node.up
        # Links that form a ring lead nowhere.
        return None if at is None else self.nodes[number].before


def _is_written(node: Node) -> bool:
    return node.kind != "link" and node.home is None


def _only_counts(draft: Draft) -> bool:
    """True for what says nothing by itself: a link nobody can name, the usage of a reply that did not come in."""
    if draft.key is not None:
        return False
    return draft.kind == "link" or (draft.kind == "message" and bool(draft.joins) and not draft.body.get("content"))
