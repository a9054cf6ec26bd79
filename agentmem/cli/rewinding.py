"""`agentmem sessions rewind`: back to an earlier message of a session, for the conversation, the files, or both."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from agentmem.cli.asker import asker
from agentmem.cli.branches import Session
from agentmem.cli.document import Json, as_document
from agentmem.serve.exits import FAILED

if TYPE_CHECKING:
    from agentmem.agent.rewind import What


To = Annotated[
    str | None,
    typer.Option("--to", metavar="ENTRY", help="A message of yours: its id, the start of it, or its number in --list."),
]


def rewind(
    session: Session,
    to: To = None,
    files: Annotated[bool, typer.Option("--files", help="Only the files.")] = False,
    conversation: Annotated[bool, typer.Option("--conversation", help="Only the conversation.")] = False,
    both: Annotated[bool, typer.Option("--both", help="Both, which is what happens without a word.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also put back what others changed.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last rewind back.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List your messages with the files each turn wrote.")] = False,
    dry: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Go back to before a message of yours, by default the last one.

    Puts back only files that the agent's tools wrote; what else has changed is listed and stays.

    Example: agentmem sessions rewind 2026-11-30T09-02 --to 3 --files --dry-run
    """
    from agentmem.app import rewinds

    if files + conversation + both > 1:
        raise typer.BadParameter("--files, --conversation and --both exclude each other")
    if undo and (to is not None or files or conversation):
        raise typer.BadParameter("--undo takes the last rewind back as it was done; it goes with no other choice")
    if listed:
        found = rewinds.pasts(session, os.environ)
        typer.echo(as_document(found) if as_json else rewinds.table(found))
        return
    what: What = "files" if files else "conversation" if conversation else "both"
    wish = rewinds.Wish(session, to, what, undo, everything, dry, yes)
    told = rewinds.rewind(wish, os.environ, lambda line: typer.echo(line, err=True), asker())
    typer.echo(as_document(told.document) if as_json else "\n".join(told.lines))
    raise typer.Exit(FAILED if told.failed else 0)


def add_to(group: typer.Typer) -> None:
    """Make this a command of a group."""
    group.command()(rewind)
