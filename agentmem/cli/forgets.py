"""`agentmem forget`: words leave everything that is kept, and a receipt says so."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentmem.cli.asker import asker
from agentmem.cli.document import Json, as_document
from agentmem.serve.exits import FAILED


def forget(
    query: Annotated[str, typer.Argument(metavar="ID|WORDS", help="A fact's id, or the words as they stand there.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            metavar="N",
            help="How many places you expect; with --yes for words that are short or everywhere.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Forget a fact, or words, everywhere, and prove it.

    Looks through MEMORY.md, day files, ledger, sessions, outputs, prompts, inbox, queue, handoff, index and the private
    git directories, in any case and spelling; shows where it stands and asks. Then it looks through all of it again:
    exits 1 and says what is left when something is. Your own git and files are named, not touched.

    Example: agentmem forget m7f3a2c9d01

    Example: agentmem forget "Elm Road 7" --yes
    """
    from agentmem.app.erasing import Wish, erase

    done = erase(Wish(query, yes, count), os.environ, lambda line: typer.echo(line, err=True), asker())
    typer.echo(as_document(done.document) if as_json else "\n".join(done.lines), err=done.failed and not as_json)
    raise typer.Exit(FAILED if done.failed else 0)


def add_to(cli: typer.Typer) -> None:
    """Make this a command of the command line."""
    cli.command()(forget)
