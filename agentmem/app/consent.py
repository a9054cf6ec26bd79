"""Consent: what only a person may decide is refused to an agent's commands, and asked about before it is done."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from agentmem.agent import underway
from agentmem.app.home import home_of
from agentmem.workspace.ancestry import under_an_agent

UNDER_A_TASK = "AGENTMEM_TASK"


class NotThePerson(Exception):
    """A command that needs the person's word was run by an agent."""


class NotAgreed(Exception):
    """Nobody said yes."""


class NobodyToAsk(Exception):
    """A yes is needed, and there is no terminal to ask for it."""


def an_agents_doing(env: Mapping[str, str]) -> str | None:
    """Why a command counts as run by an agent, None when a person ran it: what bears an agent's mark, what descends
    from an agent, and what has no terminal while a command of an agent of this person runs."""
    if (why := under_an_agent(env)) is not None:
        return why
    if not _has_terminal() and underway.runs(home_of(env)):
        return "it has no terminal, and a command of an agent is running"
    return None


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def require_person(env: Mapping[str, str], what: str) -> None:
    """Raises `NotThePerson` for a command that an agent's tool runs, also where it unset the variables that say so;
    `what` says what it would do."""
    if (why := an_agents_doing(env)) is not None:
        raise NotThePerson(f"only a person may {what}, and {why}: run this yourself, in a terminal of your own")


def agree(question: str, ask: Callable[[str], str] | None) -> None:
    """Ask for a yes; `ask` shows a question and gives what was typed, None where nobody is there. Raises `NotAgreed` on
    anything else, and `NobodyToAsk` without one to ask."""
    if ask is None:
        raise NobodyToAsk(f"{question} Without a terminal this needs --yes")
    try:
        answer = ask(f"{question} [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        raise NotAgreed("nothing was done")
