"""Amending: what `agentmem compact`, `expand` and `strike` do to a session that this process holds meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from agentmem.agent import amends
from agentmem.agent.agent import Agent
from agentmem.agent.limits import Limits
from agentmem.agent.preview import Preview, preview
from agentmem.app.consent import require_person
from agentmem.app.contents import window_of
from agentmem.app.home import places_of
from agentmem.app.wiring import NothingToContinue, Options, make_agent
from agentmem.config import load_config
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.event import Compacted, Event
from agentmem.domain.message import Image, Message, Text
from agentmem.domain.visible import visible
from agentmem.memory.memory import last_session, resume_session
from agentmem.model.catalog import DEFAULT_WINDOW
from agentmem.model.closed import ClosedDoor
from agentmem.model.naming import ChoiceError, NoModel
from agentmem.tools import tools

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for: a session (None: the last one here), what a summary must keep, whether only to look, and
    whether a model may write it."""

    session: str | None
    focus: str = ""
    dry: bool = False
    written: bool = True
    model: str | None = None


def compact(wish: Wish, env: Mapping[str, str], cancel: Cancel, tell: Tell) -> dict[str, Any]:
    """Compact a session; gives what was done for programs. `tell` takes lines for people as it goes. Raises what
    opening a session raises, `NotThePerson` under an agent."""
    require_person(env, "compact a session from outside")
    with _opened(wish, env, tell) as agent:
        if wish.dry:
            found = preview(agent, wish.focus)
            for line in found.lines():
                tell(line)
            return _seen(agent, found)
        events = [_told(event, agent.session_id, tell) for event in amends.compact(agent, wish.focus, cancel)]
        done = [asdict(event) for event in events if isinstance(event, Compacted)]
        used, window = agent.context()
        return {"session": agent.session_id, "done": done, "used": used, "window": window, "notices": _notices(events)}


def expand(session: str, called: str, env: Mapping[str, str], tell: Tell) -> dict[str, Any]:
    """Bring something back into the prompt; gives what, for programs. Raises `EntryMissing`, `NotChanged` and what
    opening a session raises."""
    require_person(env, "bring something back into a prompt")
    with _opened(Wish(session, written=False), env, tell) as agent:
        done = amends.expand(agent, called)
        count = sum(entry.type == "message" for entry in done.entries)
        messages = "1 message" if count == 1 else f"{count:,} messages"
        what = "is told again at the end of the conversation" if done.told else "stand in the prompt again"
        what = what.replace("stand", "stands") if count == 1 and not done.told else what
        tell(f"{messages} {what}: {done.before:,} -> {done.after:,} tokens in use")
        return {
            "session": agent.session_id,
            "entry": done.entry,
            "before": done.before,
            "after": done.after,
            "messages": [
                {"id": one.id, "role": said.role, "text": _text(said)}
                for one in done.entries
                if (said := one.message()) is not None
            ],
        }


def strike(session: str, called: str, env: Mapping[str, str], cancel: Cancel, tell: Tell) -> dict[str, Any]:
    """Take a line out of every later prompt; gives what was done, for programs. Raises as `expand` does."""
    require_person(env, "strike a line from a session")
    with _opened(Wish(session), env, tell) as agent:
        events = [_told(event, agent.session_id, tell) for event in amends.strike(agent, called, cancel)]
        done = [asdict(event) for event in events if isinstance(event, Compacted)]
        return {"session": agent.session_id, "leaf": agent.session.leaf, "told_anew": done, "notices": _notices(events)}


def _text(message: Message) -> str:
    images = sum(isinstance(part, Image) for part in message.parts)
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    return "\n\n".join((*texts, *["[an image]"] * images))


def _opened(wish: Wish, env: Mapping[str, str], tell: Tell) -> Agent:
    """The session's agent; without a model to ask, one that asks none. Raises as `make_agent` does."""
    if wish.written:
        options = Options(model=wish.model, resume=wish.session, continue_last=wish.session is None)
        try:
            return make_agent(options, env)
        except (NoModel, ChoiceError) as error:
            tell(f"no model is asked for summaries: {error}")
    return _modelless(wish.session, env)


def _modelless(called: str | None, env: Mapping[str, str]) -> Agent:
    places, clock = places_of(env), Clock()
    config = load_config(places.home, places.own)
    wanted = called or last_session(places)
    if wanted is None:
        raise NothingToContinue(f"there is no session here to compact in {places.root}")
    session = resume_session(places, clock, wanted)
    said = session.asked or {}
    model, every = str(said.get("model") or ""), tools()
    told = said.get("window")
    window = told if isinstance(told, int) and told > 0 else window_of(config, model, places) or DEFAULT_WINDOW
    session.begin_epoch(tuple(tool.spec for tool in every), window)
    limits = replace(Limits(), trigger=config.trigger, target=config.target, warn=config.warn, written=False)
    door = ClosedDoor(model, said.get("door"))
    return Agent(session, door, {tool.name: tool for tool in every}, clock, window, limits=limits, env=env)


def _told(event: Event, session: str, tell: Tell) -> Event:
    match event:
        case Notice():
            tell(event.text)
        case Compacted():
            undo = f"agentmem expand {session} {event.entry}"
            tell(visible(f"{event.form}: {event.text}; {event.before:,} -> {event.after:,} tokens; undo: {undo}"))
    return event


def _notices(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


def _seen(agent: Agent, found: Preview) -> dict[str, Any]:
    return {"session": agent.session_id, "dry_run": True, **found.to_json()}
