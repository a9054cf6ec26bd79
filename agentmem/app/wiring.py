"""Wiring: from what the command line, the config and the environment say to an Agent that can run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem import __version__
from agentmem.agent.agent import Agent, has_memory
from agentmem.agent.keeper import Keeper
from agentmem.agent.limits import Limits
from agentmem.app.home import places_of
from agentmem.config import Config, load_config
from agentmem.domain.clock import Clock
from agentmem.domain.message import Usage
from agentmem.domain.mode import Mode
from agentmem.domain.places import Places
from agentmem.memory.memory import (
    Repertoire,
    Session,
    SessionBusy,
    Shown,
    fork_session,
    last_session,
    new_session,
    resume_session,
    unreadable_since,
)
from agentmem.model.catalog import cost
from agentmem.model.choice import Choice, Wanted, choose
from agentmem.tools import tools

if TYPE_CHECKING:
    from agentmem.agent.recaller import Recaller
    from agentmem.agent.warden import Warden
    from agentmem.domain.skill import Skill
    from agentmem.domain.tool import Tool
    from agentmem.workspace.watch import Watch


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line said of one run; None is "not said". Without `compacts` nothing is compacted unasked,
    without `written` no model is asked for summaries."""

    model: str | None = None
    api_base: str | None = None
    mode: Mode | None = None
    max_turns: int | None = None
    max_cost: float | None = None
    resume: str | None = None
    continue_last: bool = False
    fork: bool = False
    compacts: bool = True
    written: bool = True


class NothingToContinue(Exception):
    """There is no session here to continue."""


class InUse(Exception):
    """The session is another process's; the message names it and says what can be done."""


def make_agent(options: Options, env: Mapping[str, str], *, clock: Clock | None = None) -> Agent:
    """Wire an Agent. Raises ConfigError, ChoiceError, NothingToContinue and what opening a session raises."""
    clock = clock or Clock()
    places = places_of(env)
    config = load_config(places.home, places.own)
    choice = choose_model(options, config, env, places.home)
    session, passed_over = _session(options, places, clock)
    session.shown = Shown(config.blocks, lambda: _trusted(places))
    warden = _warden(places, clock, config, env)
    found = warden().start() if has_memory(places) else []
    every = tuple(tool for tool in tools() if tool.name != "verify" or has_features(places))
    window = choice.facts.window
    skills = skills_of(places, every)
    epoch = session.begin_epoch(tuple(tool.spec for tool in every), window, skills)

    def price(usage: Usage) -> float | None:
        return cost(usage, choice.facts)

    limits = _limits(options, config, choice.door.model)
    notices = (*config.notices, *choice.told, *_unheld(limits, choice), *session.notices, *passed_over, *found)
    return Agent(
        session=session,
        door=choice.door,
        tools={tool.name: tool for tool in every},
        clock=clock,
        window=window,
        mode=options.mode or config.mode,
        limits=limits,
        price=price,
        env=env,
        loaded=tuple(one.name for one in epoch.loaded),
        keeper=Keeper(session, clock, env, bounds=lambda: config.bounds),
        skills=skills,
        warden=warden,
        speaks=cache(lambda: _person_speaks(env)),
        notices=(*notices, *epoch.notes),
        memories=_memories(places, clock, config),
        reminds=config.recalls and has_past(places),
    )


def has_past(places: Places) -> bool:
    """Whether there is anything to recall; a new project has nothing yet."""
    folders = (places.sessions, places.root / "memory", places.home / "memory")
    return has_memory(places) or any(map(os.path.isdir, folders))


def _memories(places: Places, clock: Clock, config: Config) -> Callable[[], Recaller]:
    """What makes the way to what is remembered once it is needed."""

    def make() -> Recaller:
        from agentmem.agent.recaller import Recaller
        from agentmem.memory.memory import recalled

        form: recalled.Form = "plain" if config.recall_form == "plain" else "structured"
        return Recaller(recalled.Finder(places, clock, config.knowledge, trusted=_trusted(places)), form)

    return make


def _unheld(limits: Limits, choice: Choice) -> tuple[str, ...]:
    if limits.max_cost is None or choice.facts.prices is not None:
        return ()
    return (f"The price of {choice.door.model} is not known: the cost limit cannot hold.",)


def _limits(options: Options, config: Config, model: str) -> Limits:
    return Limits(
        options.max_turns or config.max_turns,
        _first(options.max_cost, config.max_cost),
        config.trigger,
        config.target,
        config.warn,
        options.compacts,
        options.written,
        config.resets or (1 if model in config.reset_models else 0),
    )


def has_features(places: Places) -> bool:
    """Whether there is a feature list to verify."""
    return (places.own / "handoff" / "features.json").is_file()


def skills_of(places: Places, every: Sequence[Tool]) -> Repertoire:
    """The skills that are offered here."""

    def trusts() -> bool:
        from agentmem.workspace.trust import trusted  # most projects have nothing to be trusted with

        return trusted(places.home, places.root)

    def flaw(skill: Skill) -> str | None:
        from agentmem.workspace import planted

        if skill.level != "built-in" and planted.planted(places.home, skill.path):
            return planted.why(skill.id)
        if "prefetch" not in skill.fields:
            return None
        from agentmem.agent import prefetch

        return prefetch.flaw(skill, {tool.name: tool for tool in every})

    return Repertoire(places, trusts, flaw)


def watching(skills: Repertoire) -> Watch:
    """A watch over the folders that skills are read from, at work; only a conversation lasts long enough for one."""
    from agentmem.workspace.watch import Watch

    watch = Watch(skills.folders)
    skills.changed = watch.take
    watch.start()
    return watch


def choose_model(options: Options, config: Config, env: Mapping[str, str], home: Path) -> Choice:
    """The door to the model that flags, config, keys or a local server name, in this order."""
    wanted = Wanted(
        model=options.model or config.model,
        api_base=options.api_base or config.api_base,
        door=config.door,
        window=config.window,
        keys=config.keys,
    )
    return choose(wanted, env, home)


def _warden(places: Places, clock: Clock, config: Config, env: Mapping[str, str]) -> Callable[[], Warden]:
    """What makes the one warden of the memory files once it is needed: a start without a memory needs none."""

    @cache
    def make() -> Warden:
        from agentmem.agent.warden import Warden
        from agentmem.domain.desk import Desk

        return Warden(Desk(places, clock, config.blocks), env, lambda: _trusted(places), lambda: _person_speaks(env))

    return make


def _person_speaks(env: Mapping[str, str]) -> bool:
    from agentmem.app.consent import an_agents_doing  # looked for when there is something to remember

    return an_agents_doing(env) is None


def _trusted(places: Places) -> bool:
    from agentmem.workspace.trust import trusted  # only a project that has a memory needs to be vouched for

    return trusted(places.home, places.root)


def _session(options: Options, places: Places, clock: Clock) -> tuple[Session, tuple[str, ...]]:
    """The session to go on with, and which newer ones it may not be."""
    wanted = options.resume
    passed_over: tuple[str, ...] = ()
    if options.continue_last:
        wanted = last_session(places)
        if wanted is None:
            raise NothingToContinue(f"there is no session to continue in {places.root}; start one with `agentmem`")
        passed_over = tuple(
            f"{failure.filename} is newer than the session that goes on here, and cannot be read: {failure.strerror}"
            for failure in unreadable_since(places, wanted)
        )
    if wanted is not None and options.fork:
        wanted = fork_session(places, clock, __version__, wanted)
    if wanted is not None:
        try:
            return resume_session(places, clock, wanted), passed_over
        except SessionBusy as busy:
            raise InUse(f"{busy}; add --fork to go on in a fork of it") from busy
    return new_session(places, clock, __version__), ()


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)
