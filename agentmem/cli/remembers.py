"""`agentmem remember`: a belief on the person's word."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentmem.cli.document import Json, as_document
from agentmem.cli.memories import look_first


def remember(
    text: Annotated[str, typer.Argument(metavar="TEXT")],
    category: Annotated[
        str | None,
        typer.Option(
            help="preference, fact, decision, constraint, procedure, limit or identity; else its words decide."
        ),
    ] = None,
    mine: Annotated[bool, typer.Option("--user", help="Keep it at your own level, for every project.")] = False,
    ours: Annotated[bool, typer.Option("--project", help="Keep it with this project.")] = False,
    as_json: Json = False,
) -> None:
    """Remember something, on your word.

    Preferences are kept for every project unless they name this one, everything else with the project. A new value of a
    fact closes the old one; both stay in the ledger.

    \b
    Examples:
      agentmem remember "tests run on PostgreSQL 15" --category decision
      agentmem remember "answer in short sentences" --user
    """
    from agentmem.app.remembering import CATEGORIES, remember_this, to_json
    from agentmem.domain.claim import Claim, Scope
    from agentmem.domain.telling import told_whole

    known = next((one for one in CATEGORIES if one == category), None)
    if known != category:
        raise typer.BadParameter(f"one of {', '.join(CATEGORIES)}", param_hint="--category")
    if mine and ours:
        raise typer.BadParameter("--user and --project exclude each other")
    scope: Scope | None = "user" if mine else "project" if ours else None
    look_first()
    verdict, code = remember_this(Claim(text, known, scope=scope), os.environ)
    typer.echo(as_document(to_json(verdict)) if as_json else told_whole(verdict, text), err=code != 0 and not as_json)
    raise typer.Exit(code)


def add_to(cli: typer.Typer) -> None:
    """Make this a command of the command line."""
    cli.command()(remember)
