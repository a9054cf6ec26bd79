"""Rewinds: what `agentmem sessions rewind` does: show what would change, ask, do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentmem.agent.keeper import Keeper
from agentmem.agent.plan import Plan
from agentmem.agent.report import done_lines, done_to_json, past_to_json, plan_lines, plan_to_json
from agentmem.agent.rewind import Past, Rewind, Rewound, What
from agentmem.app.consent import NobodyToAsk, NotAgreed, require_person
from agentmem.app.home import places_of
from agentmem.domain.clock import Clock
from agentmem.domain.visible import visible
from agentmem.memory.memory import resume_session

Ask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line said. `to` names a user message (None: the last); `undo` takes the last rewind back;
    `everything` also puts back what others changed; `dry` only shows."""

    session: str
    to: str | None = None
    what: What = "both"
    undo: bool = False
    everything: bool = False
    dry: bool = False
    yes: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """What to print: `lines` for people, `document` for programs; `failed` when a file could not be put back."""

    lines: tuple[str, ...]
    document: dict[str, Any]
    failed: bool = False


def pasts(session: str, env: Mapping[str, str]) -> list[dict[str, Any]]:
    """The user messages of a session's branch. Raises what opening a session raises."""
    with _Opened(session, env) as rewind:
        return [past_to_json(number, past) for number, past in enumerate(rewind.pasts(), 1)]


def table(found: list[dict[str, Any]]) -> str:
    """A line a message: its number, how many files its turn wrote, its id, what it said."""
    rows = (
        f"{one['number']:>4}  {one['files']:>3} file{'s' if one['files'] != 1 else ' '}  {one['id'][:12]:<12}  "
        f"{visible(' '.join(one['text'].split()))[:80]}"
        for one in found
    )
    return "\n".join(rows) or "nothing was said yet"


def rewind(wish: Wish, env: Mapping[str, str], show: Callable[[str], None], ask: Ask | None) -> Told:
    """Rewind a session as wished. `show` prints what would be done, `ask` asks for a yes (None: nobody is there).

    Raises `CannotRewind`, `NotThePerson` under an agent, `NotAgreed`, `NobodyToAsk`, and what opening a session raises.
    """
    require_person(env, "rewind a session")
    with _Opened(wish.session, env) as opened:
        past = None if wish.undo else opened.past(wish.to)
        plan = _plan(opened, past, wish.what)
        lines = (*_headline(past, wish), *plan_lines(plan)) if wish.what != "conversation" else _headline(past, wish)
        if wish.dry:
            return Told(tuple(lines), plan_to_json(plan))
        for line in lines:
            show(line)
        everything = wish.everything or (not wish.yes and _agreed(plan, ask))
        done = _done(opened, past, plan, wish.what, everything)
        told = plan_to_json(plan)
        held = {"held": [] if everything else told["asked"], "stays": told["stays"]}
        return Told(
            (*done_lines(done, held=len(held["held"])), *_draft(done)), done_to_json(done) | held, bool(done.failed)
        )


def _plan(opened: Rewind, past: Past | None, what: What) -> Plan:
    if past is None:
        return opened.plan_undo()
    return Plan(past.id) if what == "conversation" else opened.plan(past.id)


def _done(opened: Rewind, past: Past | None, plan: Plan, what: What, everything: bool) -> Rewound:
    return opened.undo(plan, everything) if past is None else opened.perform(past, plan, what, everything)


def _headline(past: Past | None, wish: Wish) -> tuple[str, ...]:
    if past is None:
        return ("taking the last rewind back",)
    both = "conversation and files" if wish.what == "both" else wish.what
    return (f"{both} back to before: {visible(' '.join(past.text.split()))[:100]}",)


def _agreed(plan: Plan, ask: Ask | None) -> bool:
    """Ask; True for `all`. Raises `NotAgreed`, `NobodyToAsk`."""
    question = "Do it?" + (" y: yes, a: all, also what others changed" if plan.asked else "")
    if ask is None:
        raise NobodyToAsk(f"{question} Without a terminal this needs --yes")
    try:
        answer = ask(f"{question} [{'y/a/N' if plan.asked else 'y/N'}] ").strip().lower()
    except EOFError:
        answer = ""
    if answer in ("a", "all") and plan.asked:
        return True
    if answer not in ("y", "yes"):
        raise NotAgreed("nothing was done")
    return False


def _draft(done: Rewound) -> tuple[str, ...]:
    return (f"what you had said: {visible(done.draft)}",) if done.draft else ()


class _Opened:
    """A session held by this process while the block runs, and the way back in it."""

    def __init__(self, called: str, env: Mapping[str, str]) -> None:
        clock = Clock()
        self._session = resume_session(places_of(env), clock, called)
        self._keeper = Keeper(self._session, clock, env)

    def __enter__(self) -> Rewind:
        return Rewind(self._session, self._keeper)

    def __exit__(self, *failure: object) -> None:
        self._keeper.close()
        self._session.close()
