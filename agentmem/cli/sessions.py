"""`agentmem sessions`: the sessions of a project."""

from __future__ import annotations

import os

import typer

from agentmem.cli.document import Json, as_document

sessions = typer.Typer(name="sessions", help="The sessions of this project.", rich_markup_mode=None)


@sessions.callback(invoke_without_command=True)
def root(context: typer.Context, as_json: Json = False) -> None:
    """List the sessions of this project, newest first; subcommands do more.

    Example: agentmem sessions; then: agentmem -r 2026-11-30T09-02
    """
    if context.invoked_subcommand is None:
        _list(as_json)


@sessions.command("list")
def list_(as_json: Json = False) -> None:
    """List the sessions of this project, newest first.

    Example: agentmem sessions list --json
    """
    _list(as_json)


def _list(as_json: bool) -> None:
    from agentmem.app.listing import heads, table, to_json

    found = heads(os.environ)
    typer.echo(as_document(to_json(found)) if as_json else table(found))
