"""Documents: what a command prints for programs, one JSON document on stdout and nothing else there."""

from __future__ import annotations

import json
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else there.")]


def as_document(value: object) -> str:
    """The value as one line of JSON in valid UTF-8; half characters become U+FFFD."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
