"""Upkeep: the commands that set a workspace up, look it over and show its settings."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentmem.cli.document import Json, as_document
from agentmem.serve.exits import FAILED


def init() -> None:
    """Make the files of a workspace here.

    AGENT.md, MEMORY.md, memory/, skills/ and .agent/; it asks nothing and overwrites nothing.

    Example: cd my-project && agentmem init
    """
    from agentmem.app.init import init as make_workspace

    typer.echo(make_workspace(os.environ))


def doctor(
    prune: Annotated[bool, typer.Option("--prune", help="First let go of checkpoints over their bounds.")] = False,
    as_json: Json = False,
) -> None:
    """Say what is wrong, and what mends it.

    Looks at programs, config, model, sessions, checkpoints and memory; exits 1 when something is wrong.

    Example: agentmem doctor --json
    """
    import time

    from agentmem.app import doctor as looking

    done = [looking.prune(os.environ, time.time())] if prune else []
    findings = [*done, *looking.examine(os.environ)]
    typer.echo(as_document([one.to_json() for one in findings]) if as_json else looking.report(findings))
    raise typer.Exit(FAILED if any(one.state == "wrong" for one in findings) else 0)


def config(as_json: Json = False) -> None:
    """Show the settings and where each comes from.

    Example: agentmem config --json
    """
    from agentmem.app.settings import show, values

    typer.echo(as_document(values(os.environ)) if as_json else show(os.environ))


def add_to(cli: typer.Typer) -> None:
    """Make these commands of the command line."""
    for command in (init, doctor, config):
        cli.command()(command)
