"""The job, `.agent/work.json`: what long-running work is at, so that it goes on after it was stopped in any way.

{"goal":"rename every command","branch":"agentmem/rename-every-command","feature":"F3","head":"8c41…","session":"…"}
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.memory.stores import folder

NAME = "work.json"


def read(own: Path) -> dict[str, Any]:
    """The job of the work tree whose `.agent/` is `own`; empty where there is none, or what stands there is none."""
    try:
        value = json.loads(regular.read(own / NAME, 1 << 20))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write(own: Path, job: dict[str, Any]) -> None:
    """Put it in place at once, durably. Raises `OSError`."""
    folder.make_agent_folder(own)
    staged = own / f".{NAME}.new"
    folder.write_new(
        staged, json.dumps(job, ensure_ascii=False).encode("utf-8", "replace") + b"\n", 0o600, durable=True
    )
    staged.replace(own / NAME)
