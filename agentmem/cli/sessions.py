"""`agentmem sessions`: the sessions of a project."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Annotated

import typer

from agentmem.cli.document import Json, as_document

All = Annotated[bool, typer.Option("--all", help="Also the sub-sessions of tasks.")]

sessions = typer.Typer(name="sessions", rich_markup_mode=None)


@sessions.callback(invoke_without_command=True)
def root(context: typer.Context, as_json: Json = False) -> None:
    """The sessions of this project, newest first; subcommands do more.

    Example: agentmem sessions; then: agentmem -r 2026-11-30T09-02
    """
    if context.invoked_subcommand is None:
        _list(as_json, every=False)


@sessions.command("list")
def list_(every: All = False, as_json: Json = False) -> None:
    """List the sessions of this project, newest first.

    Example: agentmem sessions list --json
    """
    _list(as_json, every)


def _list(as_json: bool, every: bool) -> None:
    from agentmem.app.listing import survey, table, to_json

    found, failures = survey(os.environ, every=every)
    for line in failures:
        typer.echo(f"agentmem: {line}", err=True)
    typer.echo(as_document(to_json(found)) if as_json else table(found, time.time(), columns()))


def columns() -> int | None:
    """The width of the screen, None where the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
