"""`agentmem compact|expand|strike`: what leaves a session's prompt, and how it comes back."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Any

import typer

from agentmem.cli.document import Json, as_document

Session = Annotated[str, typer.Argument(metavar="SESSION", help="Its id, the start of its id, or its name.")]
Entry = Annotated[str, typer.Argument(metavar="ENTRY", help="An entry: its id, the start of it, or its label.")]


def compact(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="Its id, its start or its name; without it the last one.")
    ] = None,
    focus: Annotated[str, typer.Option(metavar="TEXT", help="What the summary must keep.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would leave, form by form.")] = False,
    no_model: Annotated[bool, typer.Option("--no-model", help="Ask no model: the summary is made by rule.")] = False,
    as_json: Json = False,
) -> None:
    """Make a session's prompt smaller; the log keeps all of it.

    Big and stale results become a line each, then the oldest steps a checked summary, until use is under the target.
    Each form can be taken back with `agentmem expand`.

    Example: agentmem compact --dry-run

    Example: agentmem compact 2026-11-30T09-02 --focus "the migration plan"
    """
    from agentmem.app.amending import Wish
    from agentmem.app.amending import compact as run
    from agentmem.app.interrupt import interruptible
    from agentmem.domain.cancel import Cancel

    cancel = Cancel()
    with interruptible(cancel):
        told = run(Wish(session, focus, dry_run, written=not no_model), os.environ, cancel, _teller(as_json, dry_run))
    if as_json:
        typer.echo(as_document(told))


def expand(session: Session, entry: Entry, as_json: Json = False) -> None:
    """Bring back into the prompt what a compaction or a strike took out.

    ENTRY is the compaction (as it was told, or as `agentmem sessions show` names it) or a single message; what comes
    back is printed as it stands in the log.

    Example: agentmem expand 2026-11-30T09-02 7c1f
    """
    from agentmem.app.amending import expand as run

    told = run(session, entry, os.environ, _teller(as_json, False))
    if as_json:
        typer.echo(as_document(told))
    elif len(told["messages"]) == 1:
        typer.echo(told["messages"][0]["text"])


def strike(session: Session, entry: Entry, as_json: Json = False) -> None:
    """Take a line out of every later prompt, and out of the summary that covers it; the log keeps it.

    For what must not be read again: a poisoned page, a wrong claim. A reply goes with the results of its calls.

    Example: agentmem strike 2026-11-30T09-02 7c1f
    """
    from agentmem.app.amending import strike as run
    from agentmem.app.interrupt import interruptible
    from agentmem.domain.cancel import Cancel

    cancel = Cancel()
    with interruptible(cancel):
        told = run(session, entry, os.environ, cancel, _teller(as_json, False))
    if as_json:
        typer.echo(as_document(told))


def _teller(as_json: bool, out: bool) -> Callable[[str], Any]:
    """Lines for people go to stderr; to stdout where they are the whole answer."""
    return lambda line: typer.echo(line, err=as_json or not out)


def add_to(cli: typer.Typer) -> None:
    """Make these commands of the command line."""
    for command in (compact, expand, strike):
        cli.command()(command)
