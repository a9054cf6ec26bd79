"""Straying: a link in a project's `.agent` that leads out of it would show, and go on with, another's sessions."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agentmem.domain.places import Places


class LeadsOut(Exception):
    """A link that nobody vouched for leads out of the project; the message says which, where to, and what to do."""


def require_within(places: Places) -> None:
    """Raises `LeadsOut` where `.agent`, or what lies right in it, is a link out of the project, unless the person
    trusts the folder: a clone can bring such a link along."""
    for path in _links(places):
        end = os.path.realpath(path)
        kept = (os.path.realpath(places.root), os.path.realpath(os.path.dirname(places.shared)))
        if any(end == one or end.startswith(one + os.sep) for one in kept):
            continue
        from agentmem.workspace.trust import trusted

        if trusted(places.home, places.root):
            return
        raise LeadsOut(
            f"{path} is a link that leads out of this project, to {end}: remove it, or, if it is your own, "
            "say `agentmem trust`"
        )


def _links(places: Places) -> Iterator[str]:
    for folder in dict.fromkeys((str(places.own), str(places.shared))):
        if os.path.islink(folder):
            yield folder
        try:
            with os.scandir(folder) as found:
                yield from sorted(one.path for one in found if one.is_symlink())
        except OSError:
            continue  # missing, or not to be listed: whoever needs it says so
