"""`agentmem memory`: what is remembered, why, since when, and how it was."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from agentmem.cli.document import Json, as_document

User = Annotated[bool, typer.Option("--user", help="Your own memory, not this project's.")]

memory = typer.Typer(name="memory", rich_markup_mode=None, no_args_is_help=False)


def say(text: str, err: bool = False) -> None:
    """Print for people: what MEMORY.md or a ledger holds may have come with a clone, and must not steer a terminal."""
    from agentmem.domain.visible import visible

    typer.echo(visible(text), err=err)


def look_first() -> None:
    """Take over hand edits before anything is told of the memory, and say so on stderr."""
    from agentmem.app.remembering import take_over

    for text in take_over(os.environ):
        say(text, err=True)


@memory.callback(invoke_without_command=True)
def root(context: typer.Context, as_json: Json = False) -> None:
    """What is remembered here; subcommands tell why, since when, and bring back how it was.

    Example: agentmem memory; then: agentmem memory blame MEMORY.md:12
    """
    if context.invoked_subcommand is None:
        list_(as_json)


@memory.command("list")
def list_(as_json: Json = False) -> None:
    """List every belief with its line, its id, and whose word it is.

    Example: agentmem memory list --json | jq -r '.[].text'
    """
    from agentmem.app.recollecting import listed, table

    look_first()
    rows = listed(os.environ)
    if as_json:
        typer.echo(as_document(rows))
    else:
        say(table(rows))


@memory.command()
def log(
    most: Annotated[int, typer.Option("-n", min=1, metavar="N", help="The last N writes.")] = 20,
    user: User = False,
    as_json: Json = False,
) -> None:
    """Show what was written, the newest first: each durable write is a commit of a private history.

    Example: agentmem memory log -n 5
    For all of git: git --git-dir=.agent/history.git log -p
    """
    from agentmem.app.recollecting import open_annals

    found = open_annals(os.environ)
    commits = found.log("user" if user else "project", most)
    if as_json:
        typer.echo(as_document([found.to_json(one) for one in commits]))
        return
    for one in commits:
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.at))
        by = ", ".join(dict.fromkeys(one.all("Principal")))
        say(f"{one.id[:12]}  {at}  {one.message.splitlines()[0]}" + (f"  ({by})" if by else ""))
    if not commits:
        typer.echo("nothing was written yet")


@memory.command()
def diff(
    old: Annotated[str | None, typer.Argument(metavar="[COMMIT]", help="By default what was last written.")] = None,
    new: Annotated[str | None, typer.Argument(metavar="[COMMIT]", help="By default MEMORY.md as it is now.")] = None,
    user: User = False,
    as_json: Json = False,
) -> None:
    """Show how MEMORY.md differs between two states.

    Example: agentmem memory diff 3f2a
    """
    from agentmem.app.recollecting import open_annals

    rows = list(open_annals(os.environ).diff("user" if user else "project", old, new))
    if as_json:
        typer.echo(as_document({"diff": "\n".join(rows)}))
    else:
        say("\n".join(rows) or "no difference")


@memory.command()
def blame(
    where: Annotated[str, typer.Argument(metavar="WHERE", help="MEMORY.md:LINE, or the id of a belief.")],
    as_json: Json = False,
) -> None:
    """Say why a line is believed: session, entry, speaker, quote, approver, commit.

    Example: agentmem memory blame MEMORY.md:12
    """
    from agentmem.app.recollecting import open_annals

    look_first()
    found = open_annals(os.environ).blame(where)
    if as_json:
        typer.echo(as_document(found.to_json()))
    else:
        say("\n".join(found.lines()))


@memory.command()
def restore(
    version: Annotated[str, typer.Argument(metavar="COMMIT", help="As `memory log` names it.")],
    missing: Annotated[
        bool, typer.Option("--missing", help="Only the beliefs of another work tree that this one lacks.")
    ] = False,
    user: User = False,
    as_json: Json = False,
) -> None:
    """Bring MEMORY.md back as it was, as a new write: nothing of the history is lost.

    Example: agentmem memory restore 3f2a
    """
    from agentmem.app.recollecting import restored

    look_first()
    done: dict[str, Any] = restored(version, "user" if user else "project", missing, os.environ)
    if as_json:
        typer.echo(as_document(done))
    elif done["changed"]:
        say(f"restored from {done['from'][:12]}:\n{done['diff']}")
    else:
        typer.echo("it is so already")


@memory.command()
def check(
    mend: Annotated[bool, typer.Option("--mend", help="Mend what a merge left behind, and twins.")] = False,
    as_json: Json = False,
) -> None:
    """Say what is wrong in the memory, and what may be merged or let go.

    Exits 1 when a merge left marks or damage behind. Nothing is dropped by itself.

    Example: agentmem memory check --mend
    """
    from agentmem.app.recollecting import checked, report

    look_first()
    mended, found = checked(mend, os.environ)
    if as_json:
        typer.echo(as_document({"mended": [one.to_json() for one in mended], "found": [o.to_json() for o in found]}))
    else:
        say("\n".join(report(mended, found)))
    raise typer.Exit(1 if any(one.kind in ("conflict", "damaged") for one in found) else 0)


@memory.command("merge-day", hidden=True)
def merge_day(base: Path, ours: Path, theirs: Path) -> None:
    """Merge a day file block by block; git calls it, `agentmem init` tells git so."""
    from agentmem.app.recollecting import merge_day as merge

    merge(base, ours, theirs)
