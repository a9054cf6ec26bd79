"""Printed: what a program printed outside of a session, kept whole beside the outputs of sessions."""

from __future__ import annotations

import os
import re

from agentmem.domain.places import Places
from agentmem.memory.stores import folder, offload, seal
from agentmem.memory.write.redact import Redactor

_SIGNS = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 120


def keep_output(places: Places, owner: str, name: str, data: bytes) -> str:
    """Keep it in the folder of `owner`; gives the path relative to the root. What cannot be in the name of a file
    anywhere is left out of `name`. Raises `OSError`."""
    folder.make_agent_folder(places.shared)
    name = _SIGNS.sub("-", name).lstrip(".-")[-_LONGEST:]
    path = offload.put(places.offload, owner, name, Redactor(lambda: seal.key(places.home)).data(data))
    return os.path.relpath(path, places.root)
