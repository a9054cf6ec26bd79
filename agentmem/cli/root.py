"""The root of the command line: the options of a run, and all commands below it."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from agentmem.cli import (
    branches,
    compacting,
    demonstrating,
    forgets,
    long,
    looking,
    recalling,
    remembers,
    rewinding,
    transfer,
    upkeep,
    vouching,
)
from agentmem.cli.memories import memory
from agentmem.cli.reviews import review
from agentmem.cli.sessions import sessions
from agentmem.cli.skills import skills
from agentmem.cli.verifying import features
from agentmem.domain.mode import MODES
from agentmem.quick import OUTPUTS, Line

EPILOG = """\b
Examples:
  agentmem                                   talk to it in this directory
  agentmem -p "why does test_login fail?"    one task; only the answer on stdout
  git diff | agentmem -p "review this"       piped text is added to the prompt
  agentmem -p "fix it" --permission edits    let it write files of this project
  agentmem -c                                continue the last session of this directory
  agentmem -r                                choose a session to resume
  agentmem demo                              see it work; no key needed

\b
Exit codes: 0 done, 1 failed, 2 usage, 3 refused by gate or permission, 4 the model could
not be reached or kept failing, 5 a limit was reached, 130 interrupted.
"""


class Root(TyperGroup):
    """The group of all commands; a word that is none of them may be meant as a task."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name. Raises UsageError with what may be meant."""
        found = super().get_command(ctx, cmd_name)
        if found is None and not ctx.resilient_parsing:
            from difflib import get_close_matches

            if not get_close_matches(cmd_name, self.list_commands(ctx)):  # else Typer says what may be meant
                ctx.fail(f"there is no command {cmd_name!r}; to give it a task: agentmem -p {cmd_name!r}")
        return found


cli = typer.Typer(
    cls=Root,
    help="A coding agent for the terminal whose whole memory is files.",
    epilog=EPILOG,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


for part in (branches, rewinding, transfer):
    part.add_to(sessions)
for group in (sessions, memory, review, features, skills):
    cli.add_typer(group)
# In this order `agentmem --help` lists them.
for part in (looking, recalling, long, compacting, forgets, vouching, upkeep, demonstrating, remembers):
    part.add_to(cli)


def _one_of(*allowed: str) -> Any:
    def check(value: str | None) -> str | None:
        if value is not None and value not in allowed:
            raise typer.BadParameter(f"one of {', '.join(allowed)}")
        return value

    return check


def _amount(value: float | None) -> float | None:
    if value is not None and not 0 <= value < math.inf:
        raise typer.BadParameter("an amount in USD, 0 or more")
    return value


def _version(wanted: bool) -> None:
    if wanted:
        from agentmem import __version__

        typer.echo(f"agentmem {__version__}")
        raise typer.Exit


@cli.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    prompt: Annotated[
        str | None, typer.Option("-p", "--print", metavar="TEXT", help="Run one task and print the answer.")
    ] = None,
    last: Annotated[bool, typer.Option("-c", "--continue", help="Continue the last session here.")] = False,
    resume: Annotated[
        str | None,
        typer.Option(
            "-r",
            "--resume",
            metavar="[SESSION]",
            help="Resume a session: its id, its start or its name; alone: choose.",
        ),
    ] = None,
    fork: Annotated[
        bool, typer.Option("--fork", help="With -c or -r: go on in a fork, and leave the session as it is.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(metavar="PROVIDER/NAME", help="E.g. openai/gpt-5, anthropic/claude-sonnet-4-5.")
    ] = None,
    api_base: Annotated[
        str | None, typer.Option(metavar="URL", help="Where the model is served, e.g. http://127.0.0.1:8000/v1.")
    ] = None,
    permission: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            callback=_one_of(*MODES),
            help="plan: only read. ask (default): ask before writing and running. edits: write in the project unasked. "
            "auto: like edits, and run what a sandbox holds. full: ask nothing.",
        ),
    ] = None,
    output: Annotated[
        str, typer.Option(metavar="FORM", callback=_one_of(*OUTPUTS), help="With -p: text, json or stream-json.")
    ] = "text",
    max_turns: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop after N steps (model calls).")] = None,
    no_compaction: Annotated[
        bool, typer.Option("--no-compaction", help="Keep the whole history in the prompt; stop when it is full.")
    ] = False,
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Ask no model for summaries; they are made by rule.")
    ] = False,
    max_cost: Annotated[float | None, typer.Option(metavar="USD", callback=_amount, help="Stop at this cost.")] = None,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Run a task (-p) or talk; a subcommand does neither."""
    if context.invoked_subcommand is not None:
        return
    if last and resume is not None:
        raise typer.BadParameter("-c and -r exclude each other")
    if fork and not last and resume is None:
        raise typer.BadParameter("--fork goes with -c or -r")
    if prompt is None and output != "text":
        raise typer.BadParameter("--output goes with -p")
    from agentmem.run import run as run_line

    said = (prompt, last, resume, model, api_base, permission, output, max_turns, max_cost, fork)
    line = Line(*said, whole=no_compaction, no_model=no_model)
    raise typer.Exit(run_line(line))
