"""`agentmem trust`: which project folders the person vouches for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from agentmem.cli.document import Json, as_document


def trust(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A folder of the project; by default this one.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show the folders that are trusted.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the trust back.")] = False,
    as_json: Json = False,
) -> None:
    """Trust a project's folder: its memory and its skills then count.

    Until then MEMORY.md is shown to the model as what the project says, and the project's skills are not offered.
    Only a person may do this. Linked git work trees share the trust of the main one.

    Example: cd cloned-project && agentmem skills list && agentmem trust
    """
    from agentmem.app import trusting

    if listed:
        if remove or folder is not None:
            raise typer.BadParameter("--list stands alone")
        found = trusting.trusted_folders(os.environ)
        typer.echo(as_document(trusting.to_json(found)) if as_json else trusting.told(found))
        return
    where = folder or Path()
    if remove:
        gone = trusting.distrust_folder(where, os.environ)
        line = f"not trusted any more: {gone}" if gone else f"{where} was not trusted"
        typer.echo(as_document({"removed": gone}) if as_json else line)
        raise typer.Exit(0 if gone else 1)
    root = trusting.trust_folder(where, os.environ)
    line = f"trusted: {root} · undo: agentmem trust --remove"
    typer.echo(as_document({"trusted": root}) if as_json else line)


def add_to(cli: typer.Typer) -> None:
    """Make this a command of the command line."""
    cli.command()(trust)
