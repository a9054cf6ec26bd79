"""Failing: a program that asked for JSON gets JSON, also when its command line is wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from agentmem.cli.document import as_document


def for_programs(argv: Sequence[str], error: str, code: int) -> None:
    """Print a failure on stdout in the JSON form that the command line asks for, if it does: that of a task's
    `--output`, or ``{"error": text}`` for `--json`. People are told elsewhere."""
    output = _output(argv)
    if output is not None:
        import io

        from agentmem.serve.headless import write_failure

        write_failure(sys.stdout, output, io.StringIO(), error, code)
    elif "--json" in argv:
        sys.stdout.write(as_document({"error": error}) + "\n")


def _output(argv: Sequence[str]) -> Any:
    """The JSON form that `--output` names beside `-p`; None without one. The line is wrong somewhere."""
    words = list(argv)
    asks = any(word in ("-p", "--print") or word.startswith("--print=") for word in words)
    values = [after for word, after in pairwise(words) if word == "--output"]
    values += [word.partition("=")[2] for word in words if word.startswith("--output=")]
    return next((value for value in values if asks and value in ("json", "stream-json")), None)
