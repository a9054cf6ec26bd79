"""Skillcheck: what is wrong or unwise about a skill, what it costs, and which messages would choose it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from agentmem.app.skillbook import Book, opened, tokens, whole
from agentmem.domain.skill import Found, Skill
from agentmem.domain.visible import visible
from agentmem.memory.memory import Fitting, read_skill
from agentmem.workspace.firstuse import baggage
from agentmem.workspace.glob import BadGlob, Wanted

Grade = Literal["error", "warning", "note"]

# What the open format knows (agentskills.io), and what agentmem reads besides.
FORMAT = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
OURS = frozenset({"triggers", "keywords", "paths", "prefetch", "always", "argument-hint"})
BOTH = FORMAT | OURS | {"disable-model-invocation", "user-invocable"}
LONG = 5_000
"""Tokens of a body that outlive a compaction."""
_LINK = re.compile(r"\]\(([^)#\s]+)\)|`((?:references|scripts|assets)/[^`\s]+)`")


@dataclass(frozen=True, slots=True)
class Lint:
    """One finding about a skill."""

    grade: Grade
    what: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a message would do: the skills that it brings, each with rule and reason; the best scores of its words."""

    prompt: str
    skills: tuple[tuple[str, str, str], ...]
    scores: tuple[tuple[str, float], ...]


def examine(env: Mapping[str, str], called: str | None) -> list[tuple[Found, list[Lint]]]:
    """Each skill here, or the one that a name, a file or a folder means, with what was found. Raises
    `SkillMissing`."""
    if called is not None and (path := Path(called)).exists():
        folder = path if path.is_dir() else path.parent
        book = opened(env, folder)
        rows = list(book.found.rows)
    else:
        book = opened(env)
        wanted = [whole(book, called)] if called is not None else list(book.found.rows)
        rows = [row for row in wanted if called is not None or row.level != "built-in"]
    return [(row, lints(row)) for row in rows]


def lints(row: Found) -> list[Lint]:
    """What is wrong (it is not used), what was mended, and what the format would have otherwise."""
    if row.reason is not None or row.skill is None:
        return [Lint("error", row.reason or "it cannot be read")]
    out = [Lint("warning", one) for one in row.skill.warnings]
    sheet = read_skill(row.path, row.level)
    out += _unwise(row.skill, sheet.body)
    found = baggage(row.path)
    out += [Lint("warning", f"a character that nobody sees: {one}") for one in found.hidden]
    out += [Lint("note", f"it brings a script: {one}") for one in found.scripts]
    return out


def _unwise(skill: Skill, body: str) -> Iterator[Lint]:
    if foreign := sorted(set(skill.fields) - BOTH):
        yield Lint("note", f"keys that neither the open format nor agentmem knows: {', '.join(foreign)}")
    if not body.strip():
        yield Lint("warning", "it has no body")
    if (cost := tokens(body)) > LONG:
        yield Lint("warning", f"its body takes {cost:,} tokens, of which {LONG:,} outlive a compaction: move parts out")
    for glob in skill.texts("paths", "globs"):
        try:
            Wanted(glob)
        except BadGlob as error:
            yield Lint("warning", f"`paths` holds {glob!r}, which matches nothing: {error}")
    said = skill.fields.get("allowed-tools")
    if said and not skill.tools:
        yield Lint("warning", "`allowed-tools` is in no form that is understood: it allows nothing")
    for target in _named_files(body):
        if not (Path(skill.path).parent / target).exists():
            yield Lint("warning", f"its body names {target}, which is not there")


def _named_files(body: str) -> Iterator[str]:
    text = re.sub(r"```.*?```", "", body, flags=re.DOTALL)
    for found in _LINK.finditer(text):
        target = found[1] or found[2]
        if not re.match(r"[a-z]+:|/|\$|\{|~", target):
            yield target


def chosen(env: Mapping[str, str], prompt: str, called: str | None = None) -> Chosen:
    """What a message would bring here, as if the project were trusted; a skill outside the usual places is taken in."""
    book = opened(env)
    skills = dict(_all_usable(book))
    if called is not None and Path(called).exists():
        skills |= {row.skill.id: row.skill for row, _ in examine(env, called) if row.skill and row.reason is None}
    fitting = Fitting(skills.values())
    fits = fitting.of(prompt, _matches)
    scores = [(skill.id, round(score, 1)) for score, skill, _ in fitting.scores(prompt)[:3] if score > 0]
    return Chosen(prompt, tuple((fit.skill.id, fit.rule, fit.by) for fit in fits), tuple(scores))


def _all_usable(book: Book) -> Iterator[tuple[str, Skill]]:
    for row in reversed(book.found.rows):
        if row.skill is not None and row.reason is None:
            yield row.skill.id, row.skill


def _matches(glob: str, path: str) -> bool:
    try:
        return Wanted(glob).matches(path.split("/"))
    except BadGlob:
        return False


def to_json(found: list[tuple[Found, list[Lint]]], picks: list[Chosen]) -> dict[str, Any]:
    """The object of `agentmem skills check --json`."""
    return {
        "skills": [
            {
                "path": row.path,
                "id": row.skill.id if row.skill else None,
                "state": row.state,
                "ok": all(one.grade != "error" for one in lints_of),
                "tokens": _cost(row),
                "findings": [{"grade": one.grade, "what": one.what} for one in lints_of],
            }
            for row, lints_of in found
        ],
        "prompts": [
            {
                "prompt": one.prompt,
                "chosen": [{"id": own, "rule": rule, "by": by} for own, rule, by in one.skills],
                "scores": dict(one.scores),
            }
            for one in picks
        ],
    }


def report(found: list[tuple[Found, list[Lint]]], picks: list[Chosen]) -> str:
    """The same as lines for a person."""
    lines: list[str] = []
    for row, lints_of in found:
        cost = _cost(row)
        about = f"card {cost['card']:,} tokens, body {cost['body']:,}" if cost else "not used"
        lines.append(f"{row.skill.id if row.skill else row.path}: {about}")
        lines += [f"  {one.grade}: {one.what}" for one in lints_of] or ["  nothing to mend"]
    for pick in picks:
        got = ", ".join(f"{own} ({rule}: {by})" if by else f"{own} ({rule})" for own, rule, by in pick.skills)
        lines.append(f"“{pick.prompt}” chooses {got or 'nothing'}")
        lines += [f"  words score: {', '.join(f'{own} {score}' for own, score in pick.scores)}"] if pick.scores else []
    return visible("\n".join(lines) or "no skills of this project or yours; make one: agentmem skills new NAME")


def _cost(row: Found) -> dict[str, int] | None:
    if row.skill is None or row.reason is not None:
        return None
    body = read_skill(row.path, row.level).body
    return {"card": tokens(f"- {row.skill.id}: {row.skill.description}"), "body": tokens(body)}
