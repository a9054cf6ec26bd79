"""Skill places: the folders that may hold skills. Path arithmetic, and a look whether one is there."""

from __future__ import annotations

import os

from agentmem.domain.places import Places

PROJECT = ("skills", os.path.join(".agents", "skills"), os.path.join(".claude", "skills"))
"""Below the root, in the order in which they count."""


def project(places: Places) -> list[str]:
    """The project's folders that are there."""
    return [path for name in PROJECT if os.path.isdir(path := os.path.join(places.root, name))]


def person(places: Places) -> list[str]:
    """The person's folders that are there."""
    named = (os.path.join(places.home, "skills"), os.path.join(os.path.expanduser("~"), ".agents", "skills"))
    return [path for path in named if os.path.isdir(path)]
