"""Typed: a command line that was typed, run to its exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from agentmem.cli.document import as_document
from agentmem.cli.failing import for_programs
from agentmem.cli.root import cli
from agentmem.serve.exits import FAILED, INTERRUPTED

# The base of all that is wrong about a command line; Typer carries Click along under another name.
USAGE_ERROR: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

ALONE = frozenset({"-p", "--print", "-r", "--resume"})
FLAGS = ALONE | {"-c", "--continue", "--fork", "--no-compaction", "--no-model", "--model", "--api-base", "--permission",
                 "--output", "--max-turns", "--max-cost", "-h", "--help"}  # fmt: skip


def run(argv: Sequence[str]) -> int:
    """Run the command line and return its exit code; expected failures become one line on stderr."""
    from agentmem.run import guarded

    def also(text: str, code: int) -> None:
        for_programs(argv, text, code)

    return guarded(lambda: _typed(argv), also)


def _typed(argv: Sequence[str]) -> int:
    try:
        code = cli(args=with_values(argv), prog_name="agentmem", standalone_mode=False)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else FAILED
    except typer.Abort:
        typer.echo("Aborted!", err=True)
        return FAILED
    except USAGE_ERROR as error:
        error.show()
        for_programs(argv, error.format_message(), error.exit_code)
        return int(error.exit_code)
    if code == INTERRUPTED and "--json" in argv:  # Typer makes this of an interrupt; a task has told it itself
        typer.echo(as_document({"error": "interrupted"}))
    return code if isinstance(code, int) else 0


def with_values(argv: Sequence[str]) -> list[str]:
    """`-p` alone means "the task is what is piped in", `-r` alone "let me choose": they get the empty text that Typer
    wants there."""
    out: list[str] = []
    for place, word in enumerate(argv):
        out.append(word)
        following = argv[place + 1] if place + 1 < len(argv) else None
        if word in ALONE and (following is None or following.partition("=")[0] in FLAGS):
            out.append("")
    return out
