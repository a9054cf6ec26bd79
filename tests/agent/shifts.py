"""A shift of long-running work over a feature list, with a model that plays its sessions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scripts import call, driven, make_agent

from agentmem.agent.undertaking import Bounds, Report
from agentmem.agent.work import Shift
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.event import Answer, Event
from agentmem.domain.feature import Feature
from agentmem.domain.places import Places
from agentmem.memory.memory import FeatureList

HANDOFF = "# Progress\n## Goal\nmake files\n## Next\nmake the next file\n# Brief\ngo on"
READ = "## Goal\nmake files\n## Next\nmake the next file"


def listed(places: Places, *checks: str) -> None:
    FeatureList(places, Clock()).add([Feature("", f"file {n}", check) for n, check in enumerate(checks, 1)])


def session(command: str, said: str = "made it") -> list[dict[str, Any]]:
    """The replies of one session that passes or fails, with its reset."""
    return [
        {"tool_calls": [call("bash", command=command)]},
        {"text": said},
        {"text": HANDOFF},
        {"text": READ},
    ]


def shift(places: Places, script: Sequence[dict[str, Any]], goal: str = "make files", **bounds: Any) -> Shift:
    return Shift(make_agent(places, script), goal, Bounds(**bounds), Cancel(), Report())


def run(of: Shift, answer: Answer | None = None) -> list[Event]:
    return driven(of.run(), lambda asked: answer)


def passes(places: Places) -> list[bool]:
    return [item["passes"] for item in json.loads((places.own / "handoff" / "features.json").read_text())]
