"""Looking: the commands that show what a model was sent, and what fills its window."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from agentmem.cli.document import Json, as_document


def prompt(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Its id or its start.")],
    call: Annotated[
        str, typer.Option(metavar="N", help="The Nth model call of its log; -1, the default, is the last.")
    ] = "-1",
) -> None:
    """Print the exact request of a model call.

    It is rebuilt from files alone and checked against the hash in the log; the body, and not a byte more, goes to
    stdout. Exits 1 and says what is missing or differs when it is not the one that was sent.

    Example: agentmem prompt 2026-11-30T09-02 --call 3 | jq .messages
    """
    from agentmem.app.request import request

    found = request(session, call, os.environ)
    sys.stdout.buffer.write(found.body)
    sys.stdout.buffer.flush()
    sys.stderr.write(("\n" if sys.stdout.isatty() else "") + found.told + "\n")


def context(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="Its id or its start; without it the last one here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what fills the model's window, by part, in tokens.

    No model is asked. Without a session: the last one here, or else what a new one would start with.

    Example: agentmem context --json
    """
    from agentmem.app.contents import contents, report, to_json

    found = contents(session, os.environ)
    typer.echo(as_document(to_json(found)) if as_json else report(found))


def add_to(cli: typer.Typer) -> None:
    """Make these commands of the command line."""
    cli.command()(prompt)
    cli.command()(context)
