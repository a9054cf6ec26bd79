"""Founding: the files durable memory begins with, made where they are missing and never over what is there.

# Memory

<!-- What is true about this project, one bullet each. … -->
"""

from __future__ import annotations

from agentmem.domain.places import Places
from agentmem.memory.stores.folder import make_agent_folder

MEMORY = """\
# Memory

<!-- What is true about this project, one bullet each. A line written here by hand is a belief like any other.
Lines that end in an id such as ^m7f3a2c9d01 were remembered through agentmem; memory/ledger.jsonl says why. -->
"""


def found(places: Places) -> list[str]:
    """Make MEMORY.md, memory/ and .agent/ where missing; gives the names of what was made. Raises `OSError`."""
    made: list[str] = []
    try:
        with places.memory_file.open("x", encoding="utf-8") as file:
            file.write(MEMORY)
        made.append("MEMORY.md")
    except FileExistsError:
        pass  # the person's own file, whatever it holds
    folder = places.ledger.parent
    if not folder.is_dir():
        folder.mkdir()
        made.append("memory/")
    for agent in dict.fromkeys((places.own, places.shared)):
        if not (agent / ".gitignore").exists():
            make_agent_folder(agent)
            made.append(".agent/")
    return list(dict.fromkeys(made))
