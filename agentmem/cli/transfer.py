"""`agentmem sessions export|import`: sessions out to a file or a pipe, and in from other tools' logs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agentmem.cli.branches import Session
from agentmem.cli.document import Json, as_document
from agentmem.serve.exits import FAILED


def export(
    session: Session,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="jsonl or markdown.")] = "jsonl",
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Instead of stdout.")] = None,
    whole_tree: Annotated[bool, typer.Option("--whole-tree", help="With markdown: also the branches left.")] = False,
) -> None:
    """Write a session out: its log's lines, or a page of Markdown.

    Example: agentmem sessions export 2026-11-30T09-02 --format markdown -o session.md
    """
    from agentmem.app.exporting import FORMATS, save
    from agentmem.app.exporting import export as pieces_of

    if form not in FORMATS:
        raise typer.BadParameter(f"one of {', '.join(FORMATS)}", param_hint="--format")
    pieces = pieces_of(session, form, os.environ, whole_tree=whole_tree)
    if output is not None:
        size = save(output, pieces)
        typer.echo(f"{output}: {size} bytes", err=True)
        return
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def import_(
    paths: Annotated[list[str], typer.Argument(metavar="FILE|DIR...", help="Logs, or directories of them.")],
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="auto, claude-code, pi or codex.")] = "auto",
    as_json: Json = False,
) -> None:
    """Make sessions of other tools' logs: Claude Code, pi, Codex. Once is enough; a second time changes nothing.

    Example: agentmem sessions import ~/.claude/projects/-home-me-project
    """
    from agentmem.app.importing import FORMATS, failed, import_all, to_json, told

    if form not in FORMATS:
        raise typer.BadParameter(f"one of {', '.join(FORMATS)}", param_hint="--format")
    done = []
    for wanted, intake in import_all(paths, form, os.environ):
        done.append((wanted, intake))
        if not as_json:
            typer.echo(told(intake), err=intake.state == "refused")
    if as_json:
        typer.echo(as_document([to_json(intake) for _, intake in done]))
    elif not done:
        typer.echo("agentmem: there is no log in what was named", err=True)
    raise typer.Exit(FAILED if failed(done) else 0)


def add_to(group: typer.Typer) -> None:
    """Make these the commands of a group."""
    group.command()(export)
    group.command("import")(import_)
