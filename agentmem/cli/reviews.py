"""`agentmem review`: what waits for the person's word, and the commands that decide on it."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from agentmem.cli.document import Json, as_document

Id = Annotated[str, typer.Argument(metavar="ID", help="The claim's id, or the start of it.")]
Why = Annotated[str | None, typer.Option("--why", metavar="TEXT", help="Why, for whoever reads it later.")]

review = typer.Typer(name="review", rich_markup_mode=None)


@review.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    listed: Annotated[bool, typer.Option("--list", help="Only list, also on a terminal.")] = False,
    as_json: Json = False,
) -> None:
    """What waits for your word before it is remembered.

    On a terminal you choose and decide, else it is listed. Each claim is shown with where it comes from, the words it
    was said in, why it waits, and the diff it would make.

    Example: agentmem review

    Example: agentmem review approve q0c1f --why "checked with Ann"
    """
    if context.invoked_subcommand is not None:
        return
    from agentmem.agent.reviewing import table
    from agentmem.app.approving import documents, reviewing
    from agentmem.app.promoting import skills_waiting

    if as_json:
        typer.echo(as_document(documents(os.environ)))
        return
    found = reviewing(os.environ).listed()
    if (skills := skills_waiting(os.environ)) is not None:
        typer.echo(skills, err=True)
    if listed or not found or not (sys.stdin.isatty() and sys.stdout.isatty()):
        typer.echo(table(found))
        return
    from agentmem.terminal.deciding import go_through
    from agentmem.terminal.picker import pick

    own = reviewing(os.environ, "decide on what waits")
    go_through(own, lambda title, choices, at: pick(title, choices, None, at), _edited, typer.echo)


@review.command()
def approve(called: Id, why: Why = None, as_json: Json = False) -> None:
    """Let a claim in: it becomes a belief, with you as the one who approved it.

    Example: agentmem review approve q0c1f2a3b4d5e
    """
    _approve(called, None, why, as_json)


@review.command()
def edit(
    called: Id,
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="What it should say; without it you are asked.")
    ] = None,
    why: Why = None,
    as_json: Json = False,
) -> None:
    """Change what a claim says, then let it in; the new words are looked at like any others.

    Example: agentmem review edit q0c1f "Tests run on PostgreSQL 15"
    """
    if text is None:
        from agentmem.app.approving import reviewing
        from agentmem.app.consent import NobodyToAsk

        before = reviewing(os.environ, "change what waits").text_of(called)
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise NobodyToAsk(f"say what it should be: agentmem review edit {called} TEXT")
        text = _edited(called, before)
        if text is None:
            raise typer.Exit
    _approve(called, text, why, as_json)


@review.command()
def reject(called: Id, why: Why = None, as_json: Json = False) -> None:
    """Turn a claim down: its words go, and it is known if it comes again.

    Example: agentmem review reject q0c1f --why "not true"
    """
    from agentmem.app.approving import reject as turn_down

    kept = turn_down(called, why, os.environ)
    typer.echo(as_document(kept) if as_json else f"turned down: {kept['id']}")


def _approve(called: str, text: str | None, why: str | None, as_json: bool) -> None:
    from agentmem.agent.reviewing import settled
    from agentmem.app.approving import approve as let_in
    from agentmem.app.remembering import to_json

    verdict, code = let_in(called, text, why, os.environ)
    typer.echo(as_document(to_json(verdict)) if as_json else settled(verdict), err=code != 0 and not as_json)
    raise typer.Exit(code)


def _edited(called: str, text: str) -> str | None:
    """The text as the person changed it; None when they left it."""
    from agentmem.terminal.retyping import retyped

    return retyped(f"{called}: ", text)
