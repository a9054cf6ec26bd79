"""Contents: what fills the window of a session, or would fill that of a new one, read from files alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmem import __version__
from agentmem.agent.window import Look, Write, filling
from agentmem.app.home import places_of
from agentmem.app.wiring import skills_of
from agentmem.config import Config, load_config
from agentmem.domain.clock import Clock
from agentmem.domain.filling import Filling
from agentmem.domain.places import Places
from agentmem.memory.memory import Held, history, last_session, new_session
from agentmem.model.catalog import DEFAULT_WINDOW, lookup
from agentmem.model.shape import ShapeUnknown, writer
from agentmem.tools import tools


def contents(session: str | None, env: Mapping[str, str], clock: Clock | None = None) -> Filling:
    """What fills the window of a session; without one that of the last session here, else of a new one. Raises
    `SessionMissing`, `ConfigError` and `OSError`."""
    clock, places = clock or Clock(), places_of(env)
    config = load_config(places.home, places.own)
    wanted = session or last_session(places)
    if wanted is None:
        return _new(places, config, clock)
    past = history(places, wanted)
    held = past.held
    model = held.asked.model if held.asked else None
    window = (held.asked.window if held.asked else None) or window_of(config, model, places)
    return filling(held, Look(past.session, model, window, clock.now(), _writer(held)))


def to_json(found: Filling) -> dict[str, Any]:
    """The object of `agentmem context --json`."""
    return found.to_json()


def report(found: Filling) -> str:
    """The same as lines for a person."""
    return "\n".join(found.lines())


def _new(places: Places, config: Config, clock: Clock) -> Filling:
    window = window_of(config, config.model, places) or DEFAULT_WINDOW
    session = new_session(places, clock, __version__)
    every = tools()
    session.begin_epoch(tuple(tool.spec for tool in every), window, skills_of(places, every))
    return filling(session.fullness.held(), Look(None, config.model, window, clock.now()))


def window_of(config: Config, model: str | None, places: Places) -> int | None:
    """The window in tokens that the config sets or that is known of a model; None for unknown."""
    if config.window or not model:
        return config.window
    facts = lookup(model, places.home)
    return facts.window if facts.known else None


def _writer(held: Held) -> Write | None:
    if held.asked is None:
        return None
    try:
        return writer(held.asked.model, held.asked.door)
    except ShapeUnknown:
        return None
