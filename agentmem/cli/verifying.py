"""`agentmem features`: the list of a long task, its checks and their evidence."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentmem.cli.document import Json, as_document

features = typer.Typer(name="features", rich_markup_mode=None)


@features.callback(invoke_without_command=True)
def root(context: typer.Context, as_json: Json = False) -> None:
    """The features of a long task, with evidence; subcommands add them and run their checks.

    Example: agentmem features; then: agentmem features verify --stale
    """
    if context.invoked_subcommand is None:
        _list(as_json)


@features.command("list")
def list_(as_json: Json = False) -> None:
    """List the features: which pass, how old the evidence is, and what has changed since.

    Example: agentmem features list --json
    """
    _list(as_json)


@features.command()
def add(
    description: Annotated[str, typer.Argument(metavar="TEXT", help="What it does for a user, in a sentence.")],
    check: Annotated[str, typer.Option(metavar="COMMAND", help="Ends with 0 when the feature works.")] = "",
    step: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="A step of trying it; may be repeated.")
    ] = None,
    category: Annotated[str, typer.Option(metavar="NAME")] = "functional",
    cover: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="Files it is about; by default what its commits touch.")
    ] = None,
    guard: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="Tests and build files; by default what looks like them.")
    ] = None,
    own: Annotated[str, typer.Option("--id", metavar="ID", help="Its name; by default the next F…")] = "",
    as_json: Json = False,
) -> None:
    """Add a feature. It is a person's: no tool changes its text, and only its check makes it pass.

    Example: agentmem features add "log in by mail" --check "pytest -q tests/test_login.py" --cover src/login/
    """
    from agentmem.app.checking import add as add_feature
    from agentmem.domain.feature import Feature

    if not description.strip():
        raise typer.BadParameter("it is empty", param_hint="TEXT")
    lists = (tuple(one or ()) for one in (step, cover, guard))
    steps, covers, guards = lists
    added = add_feature(Feature(own.strip(), description.strip(), check, category, steps, covers, guards), os.environ)
    if as_json:
        typer.echo(as_document(added.to_json()))
        return
    typer.echo(f"added {added.id}: {added.description}")
    if not added.check:
        typer.echo("it has no check, so nothing can show that it passes: give it one in features.json", err=True)


@features.command()
def verify(
    named: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="By default those that do not pass.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    stale: Annotated[bool, typer.Option("--stale", help="Those whose files have changed since.")] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="You have seen what changed in tests and build files.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run checks and set the flags by what is seen. Exits 1 when one does not pass.

    A test or build file that may have become weaker is shown, and nothing is run before you --accept it.

    Example: agentmem features verify F3
    """
    from agentmem.app.checking import Wish, check, to_json
    from agentmem.app.interrupt import interruptible
    from agentmem.domain.cancel import Cancel

    if every + stale + bool(named) > 1:
        raise typer.BadParameter("name features, or take --all or --stale")
    wish, cancel = Wish(named or (), "all" if every else "stale" if stale else "open", accept), Cancel()
    with interruptible(cancel):
        done = check(wish, os.environ, cancel, lambda text: typer.echo(text, nl=False, err=True))
    if as_json:
        typer.echo(as_document([to_json(one) for one in done]))
    else:
        typer.echo("\n".join(one.told(tail=False) for one in done) or "nothing to verify")
    code = 130 if cancel.cancelled else 0 if all(one.outcome == "passed" for one in done) else 1
    raise typer.Exit(code)


def _list(as_json: bool) -> None:
    from agentmem.app.checking import sheet

    found = sheet(os.environ)
    for line in found.told:
        typer.echo(f"agentmem: {line}", err=True)
    typer.echo(as_document(found.to_json()) if as_json else "\n".join(found.lines()))
