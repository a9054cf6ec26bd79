"""Consent: what only a person may decide is refused to an agent's commands, and asked about before it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentmem.workspace.ancestry import under_an_agent

UNDER_A_TASK = "AGENTMEM_TASK"


class NotThePerson(Exception):
    """A command that needs the person's word was run by an agent."""


class NotAgreed(Exception):
    """Nobody said yes."""


class NobodyToAsk(Exception):
    """A yes is needed, and there is no terminal to ask for it."""


def require_person(env: Mapping[str, str], what: str) -> None:
    """Raises `NotThePerson` for a command that an agent's tool runs, also where it unset the variables that say so;
    `what` says what it would do."""
    if (why := under_an_agent(env)) is not None:
        raise NotThePerson(f"only a person may {what}, and {why}: run this yourself, in a terminal of your own")


def agree(question: str, terminal: bool, ask: Callable[[str], str]) -> None:
    """Ask for a yes; `ask` shows a question and gives what was typed. Raises `NotAgreed` on anything else, and
    `NobodyToAsk` without a terminal."""
    if not terminal:
        raise NobodyToAsk(f"{question} Without a terminal this needs --yes")
    try:
        answer = ask(f"{question} [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        raise NotAgreed("nothing was done")
