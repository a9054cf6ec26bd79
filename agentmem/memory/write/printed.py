"""Printed: what a program printed outside of a session, kept whole beside the outputs of sessions."""

from __future__ import annotations

import os

from agentmem.domain.places import Places
from agentmem.memory.stores import folder, offload, seal
from agentmem.memory.write.redact import Redactor


def keep_output(places: Places, owner: str, name: str, data: bytes) -> str:
    """Keep it in the folder of `owner`; gives the path relative to the root. Raises `OSError`."""
    folder.make_agent_folder(places.shared)
    path = offload.put(places.offload, owner, name, Redactor(lambda: seal.key(places.home)).data(data))
    return os.path.relpath(path, places.root)
