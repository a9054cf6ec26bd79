"""`agentmem recall`: search what is remembered."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentmem.cli.document import Json, as_document

_DAY = "%Y-%m-%d"


def recall(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words or a question; any signs.")],
    scope: Annotated[str, typer.Option(metavar="SCOPE", help="all, facts, episodes, sessions or knowledge.")] = "all",
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="What was believed on a day, e.g. 2026-11-30.")
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Show what made each score.")] = False,
    page: Annotated[int, typer.Option(min=1, metavar="N", help="The Nth page of hits.")] = 1,
    as_json: Json = False,
) -> None:
    """Search facts, episodes and earlier sessions.

    Example: agentmem recall "which database do the tests use?" --why

    What was believed once, and what changed it: agentmem recall "test database" --as-of 2026-11-01

    A query that begins with a dash: agentmem recall -- --no-verify
    """
    from agentmem.app import searching
    from agentmem.memory.memory import recalled

    known = next((name for name in recalled.SCOPES if name == scope), None)
    if known is None:
        raise typer.BadParameter(f"one of {', '.join(recalled.SCOPES)}", param_hint="--scope")
    if as_of is not None and not _is_day(as_of):
        raise typer.BadParameter("a day such as 2026-11-30", param_hint="--as-of")
    wanted = recalled.Wanted(" ".join(query), known, as_of, (page - 1) * recalled.PAGE)
    found = searching.search(wanted, os.environ)
    typer.echo(as_document(searching.to_json(found)) if as_json else searching.told(found, why=why, number=page))


def _is_day(text: str) -> bool:
    import time

    try:
        return len(text) == 10 and bool(time.strptime(text, _DAY))
    except ValueError:
        return False


def add_to(cli: typer.Typer) -> None:
    """Make this a command of the command line."""
    cli.command()(recall)
