"""Planning: a goal expanded by the model into features, which a person confirms before they are anything."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path

from agentmem.agent.agent import Agent
from agentmem.agent.reset import quietly
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Event
from agentmem.domain.feature import Feature
from agentmem.domain.message import Text

_BLOCK = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)
MOST = 200


class NoPlan(Exception):
    """The model's answer is no list of features; the message says what is wrong."""


def plan(agent: Agent, goal: str, cancel: Cancel) -> Generator[Event, Answer | None, tuple[Feature, ...]]:
    """Ask the agent for the features of a goal, in mode plan: it reads and changes nothing. Raises `NoPlan`."""
    text = Path(__file__).with_name("planning.md").read_text(encoding="utf-8").strip().replace("{goal}", goal.strip())
    mode = agent.mode
    agent.set_mode("plan")
    try:
        ended = yield from quietly(agent.turn([Text(text, "harness")], cancel))
    finally:
        agent.set_mode(mode)
    if ended.stop != "done":
        raise NoPlan(f"the model made no list: {ended.error or ended.stop}")
    return features_in(ended.text)


def features_in(text: str) -> tuple[Feature, ...]:
    """The features that an answer lists. Raises `NoPlan`."""
    blocks = _BLOCK.findall(text) or [text]
    try:
        items = json.loads(blocks[-1])
    except (ValueError, RecursionError) as error:
        raise NoPlan(f"the model's list is no JSON: {error}") from error
    if not isinstance(items, list) or not items or not all(isinstance(item, dict) for item in items):
        raise NoPlan("the model's answer is no list of features")
    try:
        return tuple(Feature.from_json({**item, "id": f"F{number}"}) for number, item in enumerate(items[:MOST], 1))
    except ValueError as error:
        raise NoPlan(f"the model's list cannot be used: {error}") from error
