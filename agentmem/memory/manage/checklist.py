"""Checklist: the feature list of a long task; the person's text is kept, and only seen evidence makes a feature pass.

Which features there are and what they say is a person's. `passes` is a flag that the harness sets, and that nobody has
to believe: it counts where its evidence bears the seal of this machine's key over the item as it stands.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentmem.domain.clock import Clock
from agentmem.domain.feature import Evidence, Feature
from agentmem.domain.places import Places
from agentmem.memory.stores import blobs, features, folder, lock, seal
from agentmem.memory.stores.features import ListUnreadable


class FeatureMissing(Exception):
    """No feature, or more than one, is called so; the message names those there are."""


class FeatureTaken(Exception):
    """A new feature was given the id of another one."""


@dataclass(frozen=True, slots=True)
class Checklist:
    """The features in the order of the file. `edited` tells what a person changed in it by hand since it was last
    confirmed, `mended` which flags stood there without evidence."""

    features: tuple[Feature, ...]
    edited: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()

    def called(self, own: str) -> Feature:
        """The feature with this id, or the one whose id begins so. Raises `FeatureMissing`."""
        found = [one for one in self.features if one.id == own] or [
            one for one in self.features if one.id.lower().startswith(own.lower())
        ]
        if len(found) != 1:
            there = ", ".join(one.id for one in self.features) or "none yet: agentmem features add"
            several = "more than one" if found else "no"
            raise FeatureMissing(f"{several} feature is called {own!r} (there are: {there})")
        return found[0]


class FeatureList:
    """Reads and writes one work tree's list, under its lock."""

    def __init__(self, places: Places, clock: Clock) -> None:
        self._places = places
        self._clock = clock
        self._key = seal.key(places.home)

    def read(self) -> Checklist:
        """The list as it counts: flags without sealed evidence are off. Nothing is written. Raises `ListUnreadable`."""
        return self._checked(features.read(self._places.own))[0]

    def settle(self) -> Checklist:
        """The same, and flags without evidence are taken off in the file too; what a person edited is confirmed.
        Raises `ListUnreadable`, `MemoryBusy`, `OSError`."""
        with self._held():
            items = features.read(self._places.own)
            found, fixed = self._checked(items)
            if found.mended:
                features.write(self._places.own, fixed)
            if not self.broken and (found.edited or (items and features.confirmed(self._places.own) is None)):
                self._confirm(found.features, self.guards(), self.begun())
            return found

    def add(self, new: Sequence[Feature]) -> tuple[Feature, ...]:
        """Put features at the end of the list; those without an id get the next ``F…``. Raises `ListUnreadable`,
        `FeatureTaken`, `MemoryBusy`, `OSError`."""
        with self._held():
            items = features.read(self._places.own)
            taken = {item.get("id") for item in items}
            added = []
            for one in new:
                own = one.id or next(name for n in range(1, len(taken) + 2) if (name := f"F{n}") not in taken)
                if own in taken:
                    raise FeatureTaken(f"there is a feature {own} already: choose another --id")
                taken.add(own)
                added.append(self._feature(replace(one, id=own).text()))
            items = [*items, *(one.to_json() for one in added)]
            features.write(self._places.own, items)
            if not self.broken:
                self._confirm(self._checked(items)[0].features, self.guards(), self.begun())
            return tuple(added)

    def proven(self, own: str, evidence: Evidence) -> Feature:
        """Set a feature's flag on evidence that was just seen. Raises `FeatureMissing`, `ListUnreadable`, `MemoryBusy`,
        `OSError`."""
        return self._flip(own, evidence)

    def disproven(self, own: str) -> Feature:
        """Take a feature's flag off: its check was seen to fail. Raises as `proven`."""
        return self._flip(own, None)

    def guards(self) -> Mapping[str, str]:
        """The files that checks rest on as they were last accepted: paths from the root with SHA-256."""
        kept = self._kept()
        guards = kept.get("guards") if kept else None
        found = guards.items() if isinstance(guards, dict) else ()
        return {path: digest for path, digest in found if isinstance(digest, str)}

    def begun(self) -> frozenset[str]:
        """The ids of the features whose files were accepted when they came onto the list."""
        kept = self._kept()
        listed = kept.get("begun") if kept else None
        return frozenset(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else frozenset()

    @property
    def broken(self) -> bool:
        """Whether what was accepted is there and is not what this machine wrote: then nothing in it is known."""
        return self._kept() is None and features.confirmed(self._places.own) is not None

    def accept(self, files: Mapping[str, bytes | None], begun: Iterable[str] = ()) -> None:
        """Keep files that checks rest on as they are now, None for one that is gone, and that those of the features
        `begun` were looked at. Raises `ListUnreadable`, `MemoryBusy`, `OSError`."""
        with self._held():
            guards = dict(self.guards())
            for path, data in files.items():
                if data is None:
                    guards.pop(path, None)
                else:
                    guards[path] = blobs.put(self._places.blobs, data)[0].name
            self._confirm(self.read().features, guards, self.begun().union(begun))

    def accepted(self, digest: str) -> bytes | None:
        """The bytes of a file as it was accepted, None where they are gone."""
        try:
            return blobs.get(self._places.blobs, digest)
        except blobs.BlobLost:
            return None

    def _flip(self, own: str, evidence: Evidence | None) -> Feature:
        with self._held():
            items = features.read(self._places.own)
            found, items = self._checked(items)
            feature = found.called(own)
            sealed = None if evidence is None else replace(evidence, seal=self._seal(feature, evidence))
            flipped = replace(feature, passes=sealed is not None, evidence=sealed)
            for item in items:
                if item.get("id") == feature.id:
                    item.update(passes=flipped.passes, evidence=sealed and sealed.to_json())
            features.write(self._places.own, items)
            return flipped

    def _checked(self, items: Sequence[Mapping[str, Any]]) -> tuple[Checklist, list[dict[str, Any]]]:
        """The list as it counts, and its items with the flags that count."""
        found: list[Feature] = []
        fixed: list[dict[str, Any]] = []
        mended: list[str] = []
        seen: set[str] = set()
        for item in items:
            feature = self._feature(item)
            if feature.id in seen:
                raise ListUnreadable(f"{features.LIST} has two features {feature.id}: give one of them another id")
            seen.add(feature.id)
            claims = item.get("passes") is True or item.get("evidence") is not None
            if claims and not self._bears_out(feature):
                mended.append(feature.id)
                feature = replace(feature, passes=False, evidence=None)
            found.append(feature)
            fixed.append({**item, "passes": feature.passes, "evidence": feature.evidence and item.get("evidence")})
        return Checklist(tuple(found), self._edited(found), tuple(mended)), fixed

    def _feature(self, item: Mapping[str, Any]) -> Feature:
        try:
            return Feature.from_json(item)
        except ValueError as error:
            raise ListUnreadable(f"{self._places.own / features.LIST}: {error}") from error

    def _bears_out(self, feature: Feature) -> bool:
        """Whether its flag is set, and its evidence is this machine's, of the item as it stands."""
        evidence = feature.evidence
        if not feature.passes or evidence is None:
            return False
        return hmac.compare_digest(self._seal(feature, evidence).encode(), evidence.seal.encode("utf-8", "replace"))

    def _edited(self, found: Sequence[Feature]) -> tuple[str, ...]:
        kept = self._kept()
        listed = kept.get("features") if kept else None
        if not isinstance(listed, list):
            return ()
        before = {item.get("id"): item for item in listed if isinstance(item, dict)}
        now = {one.id: one.text() for one in found}
        return (
            *(f"{own} was removed" for own in before if own not in now),
            *(f"{own} was added" for own in now if own not in before),
            *(f"{own} was changed" for own in now if own in before and now[own] != before[own]),
        )

    def _confirm(self, found: Sequence[Feature], guards: Mapping[str, str], begun: Iterable[str]) -> None:
        ids = {one.id for one in found}
        value = {
            "features": [one.text() for one in found],
            "guards": dict(guards),
            "begun": sorted(ids.intersection(begun)),
        }
        features.confirm(self._places.own, {**value, "seal": self._sealed("confirmed", value)})

    def _kept(self) -> Mapping[str, Any] | None:
        """What was confirmed, None where nothing was or where it does not bear the seal."""
        kept = features.confirmed(self._places.own)
        if kept is None:
            return None
        said = str(kept.get("seal")).encode("utf-8", "replace")
        value = {key: one for key, one in kept.items() if key != "seal"}
        return kept if hmac.compare_digest(self._sealed("confirmed", value).encode(), said) else None

    def _seal(self, feature: Feature, evidence: Evidence) -> str:
        return self._sealed("feature", {**feature.text(), "evidence": {**evidence.to_json(), "seal": ""}})

    def _sealed(self, kind: str, value: Mapping[str, Any]) -> str:
        """The seal of a value, bound to this work tree's kind of record."""
        said = json.dumps(value, sort_keys=True, ensure_ascii=True).encode()
        return hmac.new(self._key, kind.encode() + b"\0" + said, hashlib.sha256).hexdigest()

    def _held(self) -> Any:
        return lock.held(self._places.own / "features.lock")


def put_list_back(path: Path, data: bytes | None) -> None:
    """Give a feature list, or what is kept beside it, the bytes it had, None for no file. A link or a file where its
    folder belongs goes; a folder where it belongs is moved aside. Raises `OSError`."""
    if path.parent.is_symlink() or path.parent.is_file():
        path.parent.unlink()
    if path.is_dir() and not path.is_symlink():
        path.rename(path.with_name(f"{path.name}.{os.urandom(3).hex()}"))
    if data is None:
        path.unlink(missing_ok=True)
        return
    folder.make_private(path.parent)
    folder.write_private(path, data)
