"""`agentmem skills`: how to act, as files: what is found, what one says, what is wrong with it, and a new one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from agentmem.cli import promotion
from agentmem.cli.document import Json, as_document

skills = typer.Typer(name="skills", rich_markup_mode=None)
Root = Annotated[
    Path | None, typer.Option("--root", metavar="DIR", help="Look below this folder alone, whatever is trusted.")
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name, its file or its folder.")]


@skills.callback(invoke_without_command=True)
def root(context: typer.Context, folder: Root = None, as_json: Json = False) -> None:
    """Skills: how to do a kind of work, a folder each.

    Lists those of this project, of yours and of agentmem, each with its state and why.
    Read from skills/, .agents/skills and .claude/skills of the project, then from yours (~/.agentmem/skills,
    ~/.agents/skills), then those that come with agentmem. Of two with one name the first one counts.

    Example: agentmem skills
    """
    if context.invoked_subcommand is None:
        _list(folder, as_json)


@skills.command("list")
def list_(folder: Root = None, as_json: Json = False) -> None:
    """List every skill file that is found: loaded, warned or refused, and why.

    Example: agentmem skills list --root ~/downloads/skills --json
    """
    _list(folder, as_json)


def _list(folder: Path | None, as_json: bool) -> None:
    from agentmem.app.skillbook import opened, table, to_json

    book = opened(os.environ, folder)
    typer.echo(as_document(to_json(book)) if as_json else table(book))


@skills.command()
def show(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Its name, its file or its folder.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Which skills came into a session, and by which rule.")] = False,
    session: Annotated[
        str | None, typer.Option(metavar="SESSION", help="With --why: its id or its start; without it the last one.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a skill whole: where it lies, what it brings along, what it costs, what it says.

    Example: agentmem skills show commit; agentmem skills show --why
    """
    from agentmem.app import skillbook

    if why:
        found = skillbook.reasons(os.environ, session, name)
        typer.echo(as_document(found) if as_json else skillbook.told_reasons(found))
        return
    if name is None:
        raise typer.BadParameter("which one? `agentmem skills list` shows all", param_hint="NAME")
    book = skillbook.opened(os.environ)
    row = skillbook.whole(book, name)
    typer.echo(as_document(skillbook.card_to_json(book, row)) if as_json else skillbook.card(book, row))


@skills.command()
def check(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Its name, its file or its folder.")] = None,
    prompt: Annotated[
        list[str] | None, typer.Option("--prompt", metavar="TEXT", help="Which skills would this message bring?")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what is wrong with skills, what they cost, and which messages would choose them; exits 1 on an error.

    Example: agentmem skills check drafts/release --prompt "cut a release"
    """
    from agentmem.app import skillcheck

    found = skillcheck.examine(os.environ, name)
    picks = [skillcheck.chosen(os.environ, text, name) for text in prompt or ()]
    text = as_document(skillcheck.to_json(found, picks)) if as_json else skillcheck.report(found, picks)
    typer.echo(text)
    raise typer.Exit(1 if any(one.grade == "error" for _, lints in found for one in lints) else 0)


@skills.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits and hyphens.")],
    description: Annotated[str | None, typer.Option(metavar="TEXT", help="What it does and when to use it.")] = None,
    user: Annotated[bool, typer.Option("--user", help="For all your projects, not this one alone.")] = False,
    as_json: Json = False,
) -> None:
    """Make the folder and the file of a new skill.

    Example: agentmem skills new release --description "Cut a release. Use when a version is to be published."
    """
    from agentmem.app.skillmaking import make

    path = make(name, description, user, os.environ)
    told = f"made {path}\nwrite it, then: agentmem skills check {name}"
    typer.echo(as_document({"path": str(path)}) if as_json else told)


@skills.command()
def allow(name: Name, as_json: Json = False) -> None:
    """Say that you have seen a skill of this project as it is now.

    A skill with scripts or hidden characters, or one that changed, is not used before.

    Example: agentmem skills show deploy; agentmem skills allow deploy
    """
    from agentmem.app.skillmaking import allow as see
    from agentmem.domain.visible import visible

    path, scripts, hidden = see(name, os.environ)
    if as_json:
        typer.echo(as_document({"path": path, "scripts": list(scripts), "hidden": list(hidden)}))
        return
    brings = [f"scripts: {', '.join(scripts)}"] if scripts else []
    brings += [f"hidden characters: {', '.join(hidden)}"] if hidden else []
    typer.echo(visible("\n".join([f"seen as it is now: {path}", *brings])))


promotion.add_to(skills)
