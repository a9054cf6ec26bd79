"""`agentmem skills waiting|approve|reject|rollback`: what an agent or a dream would have as a skill."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from agentmem.cli.document import Json, as_document

Called = Annotated[str, typer.Argument(metavar="ID", help="Its id, the start of it, or the skill's name.")]


def waiting(as_json: Json = False) -> None:
    """Show the skills that wait for you: from whom, learnt from what, and the diff each would make.

    Example: agentmem skills waiting
    """
    from agentmem.app import promoting

    rows = promoting.waiting(os.environ)
    typer.echo(as_document(rows) if as_json else promoting.table(rows))


def approve(
    called: Called,
    prompt: Annotated[
        list[str] | None, typer.Option("--prompt", metavar="TEXT", help="A message that must choose it, as a check.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Run its check's command unasked.")] = False,
    as_json: Json = False,
) -> None:
    """Make a candidate a skill, once its check has passed.

    Its front matter holds the check: `check: COMMAND`, `golden: [messages that must choose it]`. A revision needs one.

    Example: agentmem skills approve q0c1f --prompt "cut a release"
    """
    from agentmem.app import promoting

    def agreed(command: str) -> bool:
        if yes or not sys.stdin.isatty():
            return yes
        return typer.confirm(f"Run its check here?  {command}", err=True)

    path, checked = promoting.approve(called, prompt or (), os.environ, agreed)
    line = f"approved: {path} ({checked}) · undo: agentmem skills rollback {os.path.basename(os.path.dirname(path))}"
    typer.echo(as_document({"path": path, "checked": checked}) if as_json else line)


def reject(
    called: Called,
    why: Annotated[str | None, typer.Option("--why", metavar="TEXT", help="Kept with it.")] = None,
    as_json: Json = False,
) -> None:
    """Let a candidate wait no more.

    Example: agentmem skills reject q0c1f --why "too narrow"
    """
    from agentmem.app import promoting

    own = promoting.reject(called, why, os.environ)
    typer.echo(as_document({"id": own}) if as_json else f"rejected: {own}")


def rollback(name: Annotated[str, typer.Argument(metavar="NAME", help="The skill.")], as_json: Json = False) -> None:
    """Take back what was approved of a skill last: what stood there before stands there again.

    Example: agentmem skills rollback release
    """
    from agentmem.app import promoting

    path, stands = promoting.roll_back(name, os.environ)
    line = f"rolled back: {path}" + ("" if stands else " is gone: there was none before")
    typer.echo(as_document({"path": path, "stands": stands}) if as_json else line)


def add_to(skills: typer.Typer) -> None:
    """Put these commands under `agentmem skills`."""
    for command in (waiting, approve, reject, rollback):
        skills.command()(command)
