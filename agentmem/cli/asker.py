"""Asker: what puts a question to the person who typed a command, on stderr, where one is there to answer."""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer


def asker() -> Callable[[str], str] | None:
    """What puts a question and gives the line that was typed; None where nobody sees it or can answer."""
    return _ask if sys.stdin.isatty() and sys.stderr.isatty() else None


def _ask(question: str) -> str:
    typer.echo(question, nl=False, err=True)
    return sys.stdin.readline()
