"""Guards: the files that a feature's check rests on, compared with what was last accepted of them.

A test that may have become weaker, a build file that may steer it: a person has to see it before the check counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentmem.domain.feature import Covered, Feature
from agentmem.domain.places import Places
from agentmem.memory.memory import FeatureList
from agentmem.programs import find_program
from agentmem.workspace import covers
from agentmem.workspace.weaker import Weaker, fronts, weaker


@dataclass(frozen=True, slots=True)
class Guards:
    """The guards of the features on a `desk`; `env` has the PATH that programs are found on."""

    places: Places
    env: Mapping[str, str]
    desk: FeatureList

    def begin(self) -> None:
        """Accept, as they are, the files that checks rest on and that no one has accepted yet: what is changed from now
        on is compared with them. Once a list was begun, what came later and may steer tests is left for a person, and
        what a check only names counts as the program that is being made. Raises `ListUnreadable`, `BadGlob`,
        `MemoryBusy`, `OSError`."""
        desk, root = self.desk, self.places.root
        found = desk.settle()
        if desk.broken:
            return
        known, begun = desk.guards(), desk.begun()
        fresh: dict[str, bytes | None] = {}
        for feature in found.features:
            for path in self.of(feature).files:
                if path in known or path in fresh:
                    continue
                data = _bytes(root / path)
                if begun and _new(path, data, known) is not None:
                    continue
                if feature.id not in begun or self._lasting(feature, path):
                    fresh[path] = data
        if fresh or not begun.issuperset(one.id for one in found.features):
            desk.accept(fresh, (one.id for one in found.features))

    def of(self, feature: Feature) -> Covered:
        """The files that the check of a feature rests on, as they are now."""
        return covers.guarded(self.places.root, feature, self._check(feature))

    def accept(self, feature: Feature) -> None:
        """Keep what a feature's check rests on as it is now."""
        desk, root, rests = self.desk, self.places.root, self._rests(feature)
        known = set(filter(rests, desk.guards()))
        there = self.of(feature).files
        kept = {path for path in there if path in known or self._lasting(feature, path)}
        desk.accept({path: _bytes(root / path) for path in (*kept, *(known - set(there)))}, (feature.id,))

    def weakened(self, feature: Feature) -> tuple[Weaker, ...]:
        """What a person has to see of a feature's guards: what is no longer as it was accepted and may be weaker."""
        if self.desk.broken:
            why = (
                "is not as agentmem left it, so nobody knows how tests and build files were: look at them (git log -p)"
            )
            return (Weaker(".agent/confirmed.json", why),)
        rests, guards = self._rests(feature), self.of(feature)
        before = {path: digest for path, digest in self.desk.guards().items() if rests(path)}
        found = []
        for path in sorted({*before, *guards.files}):
            if before.get(path) == guards.files.get(path):
                continue
            old = self.desk.accepted(before[path]) if path in before else None
            if path in before and old is None:
                found.append(Weaker(path, "has changed, and how it was before is not kept"))
                continue
            data = _bytes(self.places.root / path)
            one = weaker(path, old, data) if path in before else _new(path, data, before)
            if one is not None:
                found.append(one)
        return tuple(found)

    def _check(self, feature: Feature) -> str:
        """A feature's check, and behind it the programs of this work tree that its words call by name alone."""
        words = (word.strip("();|&") for word in feature.check.split())
        programs = {find_program(word, self.env) for word in words if word and "/" not in word and "\0" not in word}
        inside = os.path.join(self.places.root, "")
        return " ".join((feature.check, *sorted(f"\n{one}" for one in programs if one and one.startswith(inside))))

    def _rests(self, feature: Feature) -> Callable[[str], bool]:
        return covers.guarding(self.places.root, feature, self._check(feature))

    def _lasting(self, feature: Feature, path: str) -> bool:
        """Whether a file that came after its feature is guarded from then on: not what the check only names."""
        return covers.guarding(self.places.root, feature, "")(path) or covers.is_test(path) or covers.is_build(path)


def _new(path: str, data: bytes | None, accepted: Mapping[str, str]) -> Weaker | None:
    """What a person should see of a file that was not there when `accepted` was."""
    return weaker(path, None, data) or (fronts(path, data, accepted) if accepted else None)


def _bytes(path: Path) -> bytes | None:
    """What a guard is compared by: its bytes, or where a link leads."""
    try:
        return os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
    except OSError:
        return None
