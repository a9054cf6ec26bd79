"""grep: search the contents of files, line by line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from agentmem.domain.tool import ToolContext, ToolResult
from agentmem.tools.arguments import checked_tool
from agentmem.tools.scope import NoScope, Scope, find_scope, means, reading, remarks, shown
from agentmem.tools.specs import GREP
from agentmem.workspace.excerpt import Line, excerpt
from agentmem.workspace.glob import BadGlob, Wanted
from agentmem.workspace.pattern import BadPattern, Pattern, read_pattern
from agentmem.workspace.search import Done, Spot, find_lines, find_lines_of, is_binary

SHOWN = 100
"""Matching lines shown at most."""

COUNTED = 2_000
"""Matching lines counted at most."""

LIMIT = 49_000
"""Bytes of lines shown at most."""


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        pattern = read_pattern(
            arguments["pattern"], arguments.get("literal", False), arguments.get("ignore_case", False)
        )
        if arguments.get("glob"):
            Wanted(arguments["glob"])
        scope = find_scope(arguments.get("path", "."), arguments.get("ignored", False), context)
    except BadPattern as error:
        advice = "" if arguments.get("literal") else ". To search for it as it stands, set literal: true"
        return ToolResult(f"grep: the pattern is no regular expression: {error}{advice}", error=True)
    except BadGlob as error:
        return ToolResult(f"grep: the glob cannot be used: {error}", error=True)
    except NoScope as error:
        return ToolResult(f"grep: {error}", error=True)
    if scope.file is not None and is_binary(os.path.join(scope.ground.root, scope.file)):
        return ToolResult(f"grep: {arguments['path']} is a binary file; not searched", error=True)
    spots: list[Spot] = []
    done = _search(scope, pattern, arguments, context, spots)
    if done.error is not None:
        return ToolResult(f"grep: the search failed: {done.error}", error=True)
    return _told(done, spots, scope, arguments, context)


def _search(
    scope: Scope, pattern: Pattern, arguments: Mapping[str, Any], context: ToolContext, spots: list[Spot]
) -> Done:
    def take(spot: Spot) -> bool:
        spots.append(spot)
        return len(spots) > COUNTED

    if scope.file is not None:
        return find_lines_of(scope.ground.root, scope.file, pattern, means(context), take)
    return find_lines(scope.ground, pattern, arguments.get("glob") or None, means(context), take)


def _told(
    done: Done, spots: list[Spot], scope: Scope, arguments: Mapping[str, Any], context: ToolContext
) -> ToolResult:
    around = arguments.get("context", 0)
    lines, count = _lines(spots[:SHOWN], scope.ground.root, around, context)
    notes = remarks(done, means(context).limit)
    if count < len(spots):
        total = (
            f"more than {COUNTED:,}" if done.how == "enough" else f"{'at least ' * (done.how != 'exit')}{len(spots):,}"
        )
        notes.insert(0, f"{count} of {total} matching lines shown; narrow the pattern or the path")
    if not spots:
        lines.append(_nothing(arguments, scope))
    text = "\n".join([*lines, *(f"[{note}]" for note in notes)])
    return ToolResult(text, error=done.how in ("timeout", "cancelled"))


def _nothing(arguments: Mapping[str, Any], scope: Scope) -> str:
    text = "No matches."
    if scope.file is None:
        ignored = "" if scope.ground.ignored else " and what .gitignore leaves out (`ignored: true` searches it)"
        text += f" Not searched: .git, links, binary files{ignored}."
    if "\\|" in arguments["pattern"] and not arguments.get("literal"):
        text += r" \| is a bar as it stands; alternatives are written a|b."
    return text


def _lines(spots: list[Spot], root: str, around: int, context: ToolContext) -> tuple[list[str], int]:
    """The lines to show, within LIMIT bytes, and how many of the matches they hold."""
    lines: list[str] = []
    count = size = 0
    for path, group in groupby(spots, lambda spot: spot.path):
        name = shown(os.path.join(root, path), context)
        last = -1
        for line in _around(os.path.join(root, path), list(group), around):
            separator = ["--"] if around and lines and line.number != last + 1 else []
            mark = ":" if line.matched else "-"
            new = [*separator, f"{name}{mark}{line.number}{mark}{line.text}"]
            size += sum(len(one.encode()) + 1 for one in new)
            if size > LIMIT:
                return lines, count
            lines += new
            count += line.matched
            last = line.number
    return lines, count


def _around(path: str, spots: list[Spot], around: int) -> list[Line]:
    """The lines of one file to show, each once, in order."""
    found: dict[int, Line] = {}
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        return [Line(spot.line, f"(no longer readable: {error.strerror})", True) for spot in spots]
    try:
        for spot in spots:
            for line in excerpt(file, spot, around):
                if line.matched or line.number not in found:
                    found[line.number] = line
    except OSError as error:
        return [Line(spot.line, f"(no longer readable: {error.strerror})", True) for spot in spots]
    finally:
        os.close(file)
    return [found[number] for number in sorted(found)]


TOOL = checked_tool(GREP, _run, reading, reads_only=True)
