"""`agentmem demo`: a whole session played on a scratch repository."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agentmem.serve.exits import FAILED, exit_code


def demo(
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="Where to play it; by default a new temporary folder.")
    ] = None,
) -> None:
    """Play a session on a scratch repository; no key needed.

    Example: agentmem demo --dir /tmp/shop
    """
    from agentmem.app.demo import ANEW, NEXT, TASK, closing, opening, stage
    from agentmem.app.interrupt import interruptible
    from agentmem.domain.cancel import Cancel
    from agentmem.domain.message import Text
    from agentmem.terminal.story import tell

    scene, cancel = stage(folder, os.environ), Cancel()
    typer.echo(opening(scene))
    with interruptible(cancel), scene.agent as agent:
        ended = tell(agent.turn([Text(TASK, "person")], cancel), sys.stdout, os.environ)
        if ended is not None and ended.stop == "done":
            typer.echo(ANEW)
            ended = tell(agent.reset("", cancel), sys.stdout, os.environ)
        if ended is not None and ended.stop == "done":
            typer.echo(f"\nyou: {NEXT}")
            ended = tell(agent.turn([Text(NEXT, "person")], cancel), sys.stdout, os.environ)
    typer.echo(closing(scene))
    raise typer.Exit(exit_code(ended.stop) if ended else FAILED)


def add_to(cli: typer.Typer) -> None:
    """Make this a command of the command line."""
    cli.command()(demo)
