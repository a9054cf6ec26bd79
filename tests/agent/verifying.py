"""A verifier over an empty work tree, and its feature list as it lies there."""

from __future__ import annotations

import json
from pathlib import Path

from agentmem.agent.verify import Verifier
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.feature import Feature
from agentmem.domain.places import Places

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}


def verifier_in(folder: Path) -> Verifier:
    root = folder / "work"
    root.mkdir()
    places = Places(root, root, folder / "home", root / ".agent")
    return Verifier(places, Clock(), ENV, Cancel())


def items(verifier: Verifier) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(path_of(verifier).read_text())
    return found


def path_of(verifier: Verifier) -> Path:
    return verifier.places.own / "handoff" / "features.json"


def begun(verifier: Verifier, *features: Feature) -> None:
    verifier.desk.add(features)
    verifier.guards.begin()
