"""Feature: one item of a long task, what checks it, and the evidence that it was seen to pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

LONGEST = 80
"""Characters of an id."""

State = Literal["passing", "stale", "unproven", "failing"]
"""passing: seen to pass, and nothing it covers has changed since. stale: it has. unproven: the file says so, but no
evidence that this machine made bears it out. failing: not seen to pass yet, or not any more."""


@dataclass(frozen=True, slots=True)
class Covered:
    """Files by their path relative to the root, with the SHA-256 of their bytes; `tree` is one hash over all."""

    files: Mapping[str, str]
    tree: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A check that the harness ran and saw end with 0. `commit` is where HEAD stood then (None without git), `seconds`
    how long it took, `tree` one hash over all covered files, `whole` that these were the whole work tree, `output`
    where what it printed lies, `seal` an HMAC over the item and all of this. `covers` and `guards` name the files with
    their hashes, up to 200 of each; beyond that they are empty."""

    command: str
    exit: int
    at: str
    seconds: float
    commit: str | None
    tree: str
    covers: Mapping[str, str]
    guards: Mapping[str, str]
    output: str | None
    whole: bool = False
    seal: str = ""

    def to_json(self) -> dict[str, Any]:
        """The value of `evidence` in features.json."""
        return {
            "command": self.command,
            "exit": self.exit,
            "at": self.at,
            "seconds": self.seconds,
            "commit": self.commit,
            "tree": self.tree,
            "covers": dict(self.covers),
            "guards": dict(self.guards),
            "output": self.output,
            "whole": self.whole,
            "seal": self.seal,
        }

    @classmethod
    def from_json(cls, value: object) -> Evidence | None:
        """What features.json holds, None for what is no evidence."""
        if not isinstance(value, Mapping):
            return None
        texts = [value.get(key) for key in ("command", "at", "tree", "seal")]
        exit_code, seconds = value.get("exit"), value.get("seconds")
        if not all(isinstance(text, str) for text in texts) or exit_code != 0 or not isinstance(seconds, int | float):
            return None
        command, at, tree, seal = map(str, texts)
        commit, output = (one if isinstance(one := value.get(key), str) else None for key in ("commit", "output"))
        covers, guards = (_hashes(value.get(key)) for key in ("covers", "guards"))
        whole = value.get("whole") is True
        return cls(command, 0, at, float(seconds), commit, tree, covers, guards, output, whole, seal)


@dataclass(frozen=True, slots=True)
class Feature:
    """An item of `features.json`. `check` is a shell command, "" for none. `covers` and `guards` are paths or globs
    from the root: what it is about, and the tests and build files its check rests on; empty: what its commits touched,
    and what looks like tests and build files. `passes` and `evidence` are the harness's, all else is the person's."""

    id: str
    description: str
    check: str = ""
    category: str = "functional"
    steps: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    passes: bool = False
    evidence: Evidence | None = None

    def text(self) -> dict[str, Any]:
        """The person's part of it, as in features.json."""
        return {
            "id": self.id,
            "category": self.category,
            "description": self.description,
            "steps": list(self.steps),
            "check": self.check,
            "covers": list(self.covers),
            "guards": list(self.guards),
        }

    def to_json(self) -> dict[str, Any]:
        """The whole item."""
        return {**self.text(), "passes": self.passes, "evidence": self.evidence and self.evidence.to_json()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Feature:
        """The item, what is missing by default. Raises `ValueError` that says what is wrong."""
        own, description = _id(value.get("id")), value.get("description")
        if not isinstance(description, str) or not description.strip():
            raise ValueError(f"{own}: `description` is missing")
        check, category = value.get("check") or "", value.get("category") or "functional"
        if not isinstance(check, str) or not isinstance(category, str):
            raise ValueError(f"{own}: `check` and `category` are texts")
        steps, covers, guards = (_texts(own, key, value.get(key)) for key in ("steps", "covers", "guards"))
        evidence = Evidence.from_json(value.get("evidence"))
        return cls(own, description, check, category, steps, covers, guards, value.get("passes") is True, evidence)


def _id(value: object) -> str:
    if value is None or value == "":
        raise ValueError("an item has no `id`")
    if not isinstance(value, str):
        raise ValueError(f"an `id` is a text: {str(value)[:LONGEST]!r}")
    if not value.isprintable() or value != value.strip() or len(value) > LONGEST:
        raise ValueError(f"an `id` is one line of at most {LONGEST} characters: {value[:LONGEST]!r}")
    return value


def _texts(own: str, key: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{own}: `{key}` is a list of texts")
    return tuple(value)


def _hashes(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {path: digest for path, digest in value.items() if isinstance(path, str) and isinstance(digest, str)}
