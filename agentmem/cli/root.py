"""The root of the command line: a run's options, the plain commands, and what is spelt without a value."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from agentmem.cli import branches, rewinding, transfer
from agentmem.cli.compacting import register as register_compacting
from agentmem.cli.document import Json, as_document
from agentmem.cli.failing import for_programs
from agentmem.cli.forgets import register as register_forget
from agentmem.cli.long import reset, work
from agentmem.cli.looking import register as register_looking
from agentmem.cli.memories import look_first, memory
from agentmem.cli.recalling import register as register_recalling
from agentmem.cli.reviews import review
from agentmem.cli.sessions import sessions
from agentmem.cli.skills import skills
from agentmem.cli.verifying import features
from agentmem.cli.vouching import register as register_vouching
from agentmem.domain.mode import MODES
from agentmem.quick import OUTPUTS, Line

FAILED, INTERRUPTED = 1, 130

# The base of all that is wrong about a command line; Typer carries Click along under another name.
USAGE_ERROR: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

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


branches.add_to(sessions)
rewinding.add_to(sessions)
transfer.add_to(sessions)
cli.add_typer(sessions)
cli.add_typer(memory)
cli.add_typer(review)
cli.add_typer(features)
cli.add_typer(skills)
register_looking(cli)
register_recalling(cli)
cli.command()(reset)
cli.command()(work)
register_compacting(cli)
register_forget(cli)
register_vouching(cli)


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


@cli.command()
def init() -> None:
    """Make the files of a workspace here.

    AGENT.md, MEMORY.md, memory/, skills/ and .agent/; it asks nothing and overwrites nothing.
    Example: cd my-project && agentmem init
    """
    from agentmem.app.init import init as make_workspace

    typer.echo(make_workspace(os.environ))


@cli.command()
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


@cli.command()
def config(as_json: Json = False) -> None:
    """Show the settings and where each comes from.

    Example: agentmem config --json
    """
    from agentmem.app.settings import show, values

    typer.echo(as_document(values(os.environ)) if as_json else show(os.environ))


@cli.command()
def demo(
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="Where to play it; by default a new temporary folder.")
    ] = None,
) -> None:
    """Play a session on a scratch repository; no key needed."""
    from agentmem.app.demo import ANEW, NEXT, TASK, closing, opening, stage
    from agentmem.app.interrupt import interruptible
    from agentmem.domain.cancel import Cancel
    from agentmem.domain.message import Text
    from agentmem.serve.exits import exit_code as exit_of
    from agentmem.terminal.story import tell

    scene, cancel = stage(folder, os.environ), Cancel()
    typer.echo(opening(scene))
    with interruptible(cancel), scene.agent as agent:
        ended = tell(agent.turn([Text(TASK, "person")], cancel), sys.stdout, os.environ)
        if ended is not None and ended.stop == "done":
            typer.echo(ANEW)
            ended = tell(agent.reset("", cancel), sys.stdout, os.environ)
        if ended is not None and ended.stop == "done":
            typer.echo(f"\nyou: {NEXT}")
            ended = tell(agent.turn([Text(NEXT, "person")], cancel), sys.stdout, os.environ)
    typer.echo(closing(scene))
    raise typer.Exit(exit_of(ended.stop) if ended else FAILED)


@cli.command()
def remember(
    text: Annotated[str, typer.Argument(metavar="TEXT")],
    category: Annotated[
        str | None,
        typer.Option(
            help="preference, fact, decision, constraint, procedure, limit or identity; else its words decide."
        ),
    ] = None,
    mine: Annotated[bool, typer.Option("--user", help="Keep it at your own level, for every project.")] = False,
    ours: Annotated[bool, typer.Option("--project", help="Keep it with this project.")] = False,
    as_json: Json = False,
) -> None:
    """Remember something, on your word.

    Preferences are kept for every project unless they name this one, everything else with the project. A new value of a
    fact closes the old one; both stay in the ledger.

    \b
    Examples:
      agentmem remember "tests run on PostgreSQL 15" --category decision
      agentmem remember "answer in short sentences" --user
    """
    from agentmem.app.remembering import CATEGORIES, remember_this, to_json, told
    from agentmem.domain.claim import Claim, Scope

    known = next((one for one in CATEGORIES if one == category), None)
    if known != category:
        raise typer.BadParameter(f"one of {', '.join(CATEGORIES)}", param_hint="--category")
    if mine and ours:
        raise typer.BadParameter("--user and --project exclude each other")
    scope: Scope | None = "user" if mine else "project" if ours else None
    look_first()
    verdict, code = remember_this(Claim(text, known, scope=scope), os.environ)
    typer.echo(as_document(to_json(verdict)) if as_json else told(verdict, text), err=code != 0 and not as_json)
    raise typer.Exit(code)


def run(argv: Sequence[str]) -> int:
    """Run the command line and return its exit code; expected failures become one line on stderr."""
    from agentmem.run import guarded

    def also(text: str, code: int) -> None:
        for_programs(argv, text, code)

    return guarded(lambda: _typed(argv), also)


def _typed(argv: Sequence[str]) -> int:
    try:
        code = cli(args=_with_values(argv), prog_name="agentmem", standalone_mode=False)
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


def _with_values(argv: Sequence[str]) -> list[str]:
    """`-p` alone means "the task is what is piped in", `-r` alone "let me choose": they get the empty text that Typer
    wants there."""
    out: list[str] = []
    for place, word in enumerate(argv):
        out.append(word)
        following = argv[place + 1] if place + 1 < len(argv) else None
        if word in ALONE and (following is None or following.partition("=")[0] in FLAGS):
            out.append("")
    return out


ALONE = frozenset({"-p", "--print", "-r", "--resume"})
FLAGS = ALONE | {"-c", "--continue", "--fork", "--no-compaction", "--no-model", "--model", "--api-base", "--permission",
                 "--output", "--max-turns", "--max-cost", "-h", "--help"}  # fmt: skip
