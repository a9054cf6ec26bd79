"""`agentmem reset` and `agentmem work`: a fresh mind on the same task, and a long task done feature by feature."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from agentmem.cli.document import Json, as_document
from agentmem.domain.visible import visible

if TYPE_CHECKING:
    from agentmem.agent.work import Shift
    from agentmem.domain.feature import Feature

Model = Annotated[str | None, typer.Option("--model", metavar="PROVIDER/NAME", help="As for a task.")]
STOPPING = "\nstopping after the step that runs; Ctrl-C again stops it at once"
NOBODY = "nobody is here to say yes: in mode auto commands are refused; --permission full runs them"
Base = Annotated[str | None, typer.Option("--api-base", metavar="URL", help="Where the model is served.")]


def reset(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="Its id, its start or its name; by default the last one.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="A word for who goes on, e.g. what comes next.")] = "",
    no_model: Annotated[bool, typer.Option("--no-model", help="Make the handoff by rule, from the log alone.")] = False,
    model: Model = None,
    api_base: Base = None,
    as_json: Json = False,
) -> None:
    """End a session with a handoff, and begin a fresh one with it.

    progress.md and brief.md are written and read back by a reader who saw nothing else; what the log knows and they
    lack is written in. Without a goal or a next step there is no reset, and the session stays.

    Example: agentmem reset --note "next: the import of CSV files"
    """
    from agentmem.agent.reset import Wish
    from agentmem.agent.reset import reset as play
    from agentmem.app.interrupt import interruptible
    from agentmem.app.shift import resetting
    from agentmem.app.wiring import Options
    from agentmem.domain.cancel import Cancel
    from agentmem.serve.exits import exit_code
    from agentmem.terminal.watching import watch

    options = Options("none" if no_model else model, api_base, "plan")
    cancel = Cancel()
    with interruptible(cancel):
        agent, wish = resetting(session, Wish(note, not no_model), options, os.environ)
        with agent:
            before = agent.session_id
            ended = watch(play(agent, wish, cancel), sys.stderr if as_json else sys.stdout, os.environ)
            after = agent.session_id
    stop = ended.stop if ended else "failed"
    if as_json:
        why = ended.error if ended else None
        typer.echo(as_document({"reset": after != before, "session": after, "from": before, "error": why}))
    elif stop == "done":
        typer.echo(f"go on with it: agentmem -r {after}", err=True)
    raise typer.Exit(exit_code(stop))


def work(
    goal: Annotated[
        str, typer.Argument(metavar="[GOAL]", help="What it is all for; by default that of the last time.")
    ] = "",
    max_sessions: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop after N sessions.")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0.0, metavar="USD", help="Stop at this cost.")] = None,
    max_time: Annotated[
        float | None, typer.Option(min=0.0, metavar="MINUTES", help="Begin no session after it.")
    ] = None,
    failures: Annotated[int, typer.Option(min=1, metavar="N", help="Set a feature aside after N failed attempts.")] = 3,
    again: Annotated[bool, typer.Option("--again", help="Take up what was set aside.")] = False,
    model: Model = None,
    api_base: Base = None,
    permission: Annotated[str | None, typer.Option(metavar="MODE", help="As for a task; by default auto.")] = None,
    as_json: Json = False,
) -> None:
    """Work through the feature list: one feature a session, verified by the harness, committed, then a reset.

    It works on a branch agentmem/GOAL and commits as you would: your hooks, signing and identity hold. Ctrl-C stops
    after the step that runs, twice at once; the same command goes on. It begins with no change of yours uncommitted.

    Example: agentmem work "a shop one can search" --max-sessions 5
    """
    from agentmem.agent.undertaking import Bounds
    from agentmem.app.interrupt import interruptible
    from agentmem.app.shift import CODES, Job, planned, to_json, told, working
    from agentmem.app.wiring import Options
    from agentmem.domain.cancel import Cancel
    from agentmem.domain.mode import MODES
    from agentmem.terminal.watching import watch

    if permission is not None and permission not in MODES:
        raise typer.BadParameter(f"one of {', '.join(MODES)}", param_hint="--permission")
    mode: Any = permission or "auto"
    bounds = Bounds(max_sessions, max_cost, None if max_time is None else max_time * 60, failures, again)
    terminal = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    if not terminal and permission is None:
        typer.echo(f"agentmem: {NOBODY}", err=True)
    halt, cancel = Cancel(), Cancel()
    out = sys.stderr if as_json else sys.stdout
    job = Job(goal, bounds, Options(model, api_base, mode))
    with interruptible(halt, then=cancel):
        shift = working(job, os.environ, cancel, halt, terminal=terminal)
        with shift.agent:
            if not planned(shift) and not _planned(shift, out):
                raise typer.Exit(1)
        shift = working(job, os.environ, cancel, halt, terminal=terminal)  # an agent that knows of the list
        with shift.agent, halt.calling(lambda: typer.echo(STOPPING, err=True)):
            watch(shift.run(), out, os.environ)
    typer.echo(as_document(to_json(shift.report)) if as_json else told(shift.report))
    raise typer.Exit(CODES[shift.report.stop])


def _planned(shift: Shift, out: TextIO) -> bool:
    """Have the goal expanded into a list, and the list confirmed."""
    from agentmem.app.shift import expanding, take_on
    from agentmem.terminal.watching import watch

    found: list[Feature] = []
    watch(expanding(shift, found), out, os.environ)
    for one in found:
        out.write(f"\n{visible(one.id)}  {visible(one.description)}\n    check: {visible(one.check) or '(none)'}\n")
    out.write(f"\nWork on these {len(found)}? They are then yours: no tool changes them. [y/N] ")
    out.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        out.write("nothing was added\n")
        return False
    take_on(shift, found)
    return True


def add_to(cli: typer.Typer) -> None:
    """Make these commands of the command line."""
    for command in (reset, work):
        cli.command()(command)
