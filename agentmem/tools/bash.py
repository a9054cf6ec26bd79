"""bash: run a command in the working directory and give back what it printed and how it ended."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.programs import find_program
from agentmem.tools.arguments import checked_tool
from agentmem.tools.scope import shown
from agentmem.tools.specs import BASH
from agentmem.workspace.live import Live
from agentmem.workspace.output import Output, View
from agentmem.workspace.process import Command, Ended, run
from agentmem.workspace.quiet import quiet

DEFAULT_LIMIT = 120.0
MOST_LIMIT = 600.0


def _access(arguments: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
    return (Access("run", arguments["command"], arguments["command"]),)


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    command, limit = arguments["command"], float(arguments.get("timeout", DEFAULT_LIMIT))
    fault = _fault(command, limit)
    if fault is not None:
        return ToolResult(f"bash: {fault}", error=True)
    if context.cancel.cancelled:
        return ToolResult("bash: interrupted before the command was run", error=True)
    notes = []
    if limit > MOST_LIMIT:
        notes.append(f"the time limit is {MOST_LIMIT:g} s at most, not {limit:g}")
    cwd = _directory(context)
    if cwd is None:
        return ToolResult(f"bash: the working directory {context.cwd} and the project no longer exist", error=True)
    if cwd != context.cwd:
        notes.append(f"the working directory {context.cwd} no longer exists; this ran in {cwd}")
    shell = find_program("bash", context.env)
    if shell is None:
        shell = find_program("sh", context.env) or "/bin/sh"
        notes.append(f"bash is not installed; this ran in {shell}")
    ran = Command((shell, "-c", "--", command.encode()), cwd, quiet(context.env, cwd), min(limit, MOST_LIMIT))
    return _result(ran, context, notes)


def _fault(command: str, limit: float) -> str | None:
    """What is wrong with the arguments, in words the model can act on."""
    if not command.strip():
        return "the command is empty"
    if "\0" in command:
        return "the command holds a NUL byte"
    try:
        command.encode()
    except UnicodeEncodeError:
        return "the command holds half a character (a lone surrogate)"
    return None if limit > 0 else "`timeout` must be more than 0 seconds"


def _directory(context: ToolContext) -> Path | None:
    return next((path for path in (context.cwd, context.places.root) if os.path.isdir(path)), None)


def _result(command: Command, context: ToolContext, notes: list[str]) -> ToolResult:
    output, live = Output(), Live(context.emit)

    def take(piece: bytes) -> bool:
        output.add(piece)
        live.add(piece)
        return False

    try:
        ended = run(command, context.cancel, take)
        live.finish()
        return _told(ended, command.limit, output, context, notes)
    except OSError as error:
        return ToolResult(f"bash: could not start the command: {_start_fault(error)}", error=True)
    finally:
        output.close()


def _start_fault(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.errno == errno.E2BIG:
        return f"{reason}. Write the text to a file with `write` and name the file"
    return reason


def _told(ended: Ended, limit: float, output: Output, context: ToolContext, notes: list[str]) -> ToolResult:
    view = output.view()
    offload = None
    if not view.exact:
        try:
            offload = context.offload(output.whole(), ".txt")
        except OSError as error:
            output.lost = error.strerror or str(error)
    named = None if offload is None else shown(os.path.join(os.path.realpath(context.places.root), offload), context)
    where = _where(output, named)
    text = view.head
    if view.left_bytes:
        text = f"{_line(text)}[… {view.left_bytes:,} bytes, {view.left_lines:,} lines left out; {where} …]\n{view.tail}"
    lines = [*_remarks(view, where), *notes, _ending(ended, limit, bool(output.total))]
    code = None if ended.code is None else ended.code if ended.code >= 0 else 128 - ended.code
    return ToolResult(
        _line(text) + "\n".join(f"[{line}]" for line in lines), error=code != 0, exit=code, offload=offload
    )


def _line(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _where(output: Output, path: str | None) -> str:
    """Where the whole output lies, or why it does not."""
    if path is None:
        return f"it could not be kept: {output.lost}"
    if output.stored == output.total:
        return f"the whole output is in {path}: read or grep it"
    why = f" ({output.lost})" if output.lost else ""
    return f"the first {output.stored:,} bytes of {output.total:,} are in {path}{why}: read or grep it"


def _remarks(view: View, where: str) -> list[str]:
    """What the text does not show as it was."""
    remarks = []
    if view.undecodable:
        remarks.append("some bytes are not UTF-8 text and show as \ufffd")
    if view.reduced:
        remarks.append("escape codes and overwritten progress lines are left out")
    if remarks and not view.left_bytes:
        remarks.append(where)
    return remarks


def _ending(ended: Ended, limit: float, printed: bool) -> str:
    none = "" if printed else "no output; "
    match ended.how:
        case "timeout":
            return f"{none}timed out after {limit:g} s; the command and all it started were killed"
        case "cancelled":
            return (
                f"{none}interrupted while running, after {ended.seconds:.1f} s, by the user; "
                "the command and all it started were killed"
            )
    left = ""
    if ended.left:
        pids = ", ".join(str(pid) for pid in ended.left[:10])
        left = f"; {len(ended.left)} still running in the background (pid {pids}), what they print now is thrown away"
    return f"{none}exit {_exit(ended.code or 0)}{left}"


def _exit(code: int) -> str:
    """The exit code as a shell tells it, with the name of the signal that ended the command or its last part."""
    number = -code if code < 0 else code - 128
    shown = str(128 - code if code < 0 else code)
    try:
        return f"{shown}, {signal.Signals(number).name}" if number > 0 else shown
    except ValueError:
        return shown


TOOL = checked_tool(BASH, _run, _access)
