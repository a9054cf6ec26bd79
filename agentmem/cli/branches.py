"""`agentmem sessions show|tree|fork|rename|delete`: one session, its branches, and what becomes of it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentmem.cli.asker import asker
from agentmem.cli.document import Json, as_document
from agentmem.cli.sessions import columns

Session = Annotated[str, typer.Argument(metavar="SESSION", help="Its id, the start of its id, or its name.")]
At = Annotated[
    str | None, typer.Option("--at", metavar="ENTRY", help="An entry: its id, the start of it, or its label.")
]


def show(session: Session, at: At = None, as_json: Json = False) -> None:
    """Show a session as text: who said what, the calls with their results in short.

    Example: agentmem sessions show 2026-11-30T09-02 | less
    """
    from agentmem.app.archivist import branch_to_json, opened

    tree = opened(session, os.environ)
    if as_json:
        typer.echo(as_document(branch_to_json(tree, at)))
        return
    from agentmem.memory.memory import branch_of, name_of
    from agentmem.terminal.transcript import transcript

    for notice in tree.notices:
        typer.echo(f"agentmem: {notice}", err=True)
    for line in transcript(tree.header, name_of(tree.entries), branch_of(tree, at)):
        typer.echo(line)


def tree(session: Session, as_json: Json = False) -> None:
    """Draw the branches of a session, with ids, labels and the current leaf.

    Example: agentmem sessions tree 2026-11-30T09-02
    """
    from agentmem.app.archivist import drawn, opened, tree_to_json

    found = opened(session, os.environ)
    if as_json:
        typer.echo(as_document(tree_to_json(found)))
        return
    for notice in found.notices:
        typer.echo(f"agentmem: {notice}", err=True)
    typer.echo(drawn(found, columns()))


def fork(session: Session, at: At = None, as_json: Json = False) -> None:
    """Make a new session of what was said up to an entry; the old one stays as it is.

    Example: agentmem sessions fork 2026-11-30T09-02 --at 7c1f
    """
    from agentmem.app.archivist import fork as fork_session

    own = fork_session(session, at, os.environ)
    typer.echo(as_document({"id": own}) if as_json else own)
    if not as_json:
        typer.echo(f"go on with it: agentmem -r {own}", err=True)


def rename(session: Session, name: Annotated[str, typer.Argument(metavar="NAME")], as_json: Json = False) -> None:
    """Name a session; an empty name takes the name away.

    Example: agentmem sessions rename 2026-11-30T09-02 "the login bug"
    """
    from agentmem.app.archivist import rename as rename_session

    own, kept = rename_session(session, name, os.environ)
    typer.echo(as_document({"id": own, "name": kept or None}) if as_json else f"session {own} is called {kept!r}")


def delete(
    session: Session,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Delete a session for good: its log, its sub-sessions and their kept outputs. Only a person may, and is asked.

    Example: agentmem sessions delete 2026-11-30T09-02
    """
    from agentmem.app.archivist import delete as delete_session

    told = delete_session(session, os.environ, asker(), yes=yes)
    typer.echo(as_document(told) if as_json else "\n".join(told))


def add_to(group: typer.Typer) -> None:
    """Make these the commands of a group."""
    for command in (show, tree, fork, rename, delete):
        group.command()(command)
