"""Shift: reset and long-running work, from a command line to what is shown at the end."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmem.agent.agent import Agent
from agentmem.agent.planning import plan
from agentmem.agent.reset import Wish
from agentmem.agent.undertaking import Bounds, Report
from agentmem.agent.work import Shift
from agentmem.app.consent import require_person
from agentmem.app.home import places_of
from agentmem.app.wiring import Options, make_agent
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.event import Answer, Event
from agentmem.domain.feature import Feature
from agentmem.memory.memory import FeatureList
from agentmem.model.naming import NoModel


class NoFeatures(Exception):
    """Work was asked for where there is no feature list, and nobody is there to confirm one."""


@dataclass(frozen=True, slots=True)
class Job:
    """What the command line said of `agentmem work`."""

    goal: str
    bounds: Bounds
    options: Options


def resetting(called: str | None, wish: Wish, options: Options, env: Mapping[str, str]) -> tuple[Agent, Wish]:
    """An agent in the session that is to be reset, by default the last one here. Without a model that can be chosen the
    handoff is made by rule. Raises what opening a session raises."""
    options = replace(options, resume=called, continue_last=called is None)
    try:
        return make_agent(options, env), wish
    except NoModel:
        return make_agent(replace(options, model="none"), env), replace(wish, model=False)


def working(job: Job, env: Mapping[str, str], cancel: Cancel, halt: Cancel, *, terminal: bool) -> Shift:
    """A shift that is ready to run. Raises `NotThePerson`, `NoFeatures`, and what making an agent raises."""
    require_person(env, "start long-running work")
    found = FeatureList(places_of(env), Clock()).settle().features
    if not found:
        how = "add some: agentmem features add TEXT --check COMMAND"
        if not terminal or not job.goal:
            raise NoFeatures(f"there is no feature list to work on; {how}")
    agent = make_agent(job.options, env)
    agent.halt = halt
    return Shift(agent, job.goal, job.bounds, cancel, Report())


def planned(shift: Shift) -> bool:
    """Whether there is a feature list."""
    return bool(FeatureList(shift.agent.session.places, shift.agent.clock).read().features)


def expanding(shift: Shift, found: list[Feature]) -> Generator[Event, Answer | None, None]:
    """Have the goal expanded into features, which are put into `found`. Raises `NoPlan`."""
    found.extend((yield from plan(shift.agent, shift.goal, shift.cancel)))


def take_on(shift: Shift, found: Sequence[Feature]) -> None:
    """Make features that a person has confirmed the list."""
    FeatureList(shift.agent.session.places, shift.agent.clock).add(found)


def to_json(report: Report) -> dict[str, Any]:
    """The document of `agentmem work --json`."""
    return {
        "stop": report.stop,
        "why": report.why,
        "sessions": report.sessions,
        "passed": report.passed,
        "aside": report.aside,
        "cost": report.cost,
    }


def told(report: Report) -> str:
    """The same for people."""
    count = "1 session" if report.sessions == 1 else f"{report.sessions} sessions"
    spent = "" if report.cost is None else f", {report.cost:.4f} USD"
    rows = [f"work {_STOPS[report.stop]} after {count}{spent}: {report.why}".rstrip(": ")]
    rows += [f"passed: {', '.join(report.passed)}"] if report.passed else []
    rows += [f"set aside: {', '.join(report.aside)}"] if report.aside else []
    rows += ["where it stands: agentmem features; cat .agent/handoff/progress.md; git log"]
    return "\n".join(rows)


_STOPS = {
    "done": "is done",
    "stuck": "is stuck",
    "limit": "stopped at a limit",
    "interrupted": "was interrupted",
    "model_error": "stopped: the model failed",
    "failed": "failed",
}
CODES = {"done": 0, "stuck": 1, "limit": 5, "interrupted": 130, "model_error": 4, "failed": 1}
"""Exit codes by how work stopped."""
