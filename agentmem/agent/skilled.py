"""Skilled: the skills that a message, a touched file or the model itself calls for come to the tail of the talk.

What a project's skill brings along is shown, and asked about, before its first use and whenever it changed. Why a skill
came is on record with it, and told.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from agentmem import regular
from agentmem.agent.agent import Agent
from agentmem.agent.toolcontext import context_for
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Asked, Event
from agentmem.domain.message import Part, Text
from agentmem.domain.skill import Skill
from agentmem.domain.tool import ToolResult
from agentmem.memory.memory import NoSkill, Repertoire
from agentmem.workspace.firstuse import Baggage, baggage, keep_seen, seen

if TYPE_CHECKING:
    from agentmem.agent.batch import Done
    from agentmem.domain.claim import Verdict

Work: TypeAlias = "Generator[Event, Answer | None, None]"

MOST = 3
"""Skills that come at once."""
_SHOWN = 12  # scripts and hidden characters in a question
_LONGEST = 1_024  # characters of a description in a question
_MOST_BYTES = 1 << 20

NOT_AGREED = "The skill {name} is not used: {why}. Go on without it."


def begin(agent: Agent, skills: Repertoire, parts: Sequence[Part], cancel: Cancel) -> Work:
    """The skills that a turn's message calls for: the one it names as a command, then those that rules choose."""
    if skills.stale:
        yield from _renew(agent, skills)
    said = [part for part in parts if isinstance(part, Text) and part.origin in ("person", "agent")]
    if not said:  # the harness asks for something of its own
        return
    text = "\n".join(part.text for part in said)
    named = skills.slash(said[0].text.strip()) if said[0].origin == "person" else None
    if named is not None:
        skill, arguments = named
        yield from _give(agent, skills, skill, ("slash", f"/{skill.id}", arguments), cancel)
    aside = [*_standing(agent, skills), *([named[0].id] if named else [])]
    fits = skills.fitting(text, _matcher(), aside)
    most = MOST - (named is not None)
    for fit in fits[:most]:
        yield from _give(agent, skills, fit.skill, (fit.rule, fit.by, ""), cancel)
    if rest := [fit.skill.id for fit in fits[most:]]:
        yield Notice("info", f"{MOST} skills at most come at once; these fit too: {', '.join(rest)}")


def after(agent: Agent, skills: Repertoire, done: Sequence[Done], cancel: Cancel) -> Work:
    """The skills that the model asked for, and those that are for a file which it touched."""
    for one in done:
        if one.result.error or one.call.name not in agent.tools:
            continue
        if one.call.name == "skill":
            skill = None if one.call.arguments.get("draft") else skills.called(str(one.call.arguments.get("name")))
            if skill is not None and skill.id not in _standing(agent, skills):
                given = str(one.call.arguments.get("arguments") or "")
                yield from _give(agent, skills, skill, ("asked", "the model", given), cancel)
            continue
        context = context_for(agent, one.call, cancel)
        accesses = agent.tools[one.call.name].access(one.call.arguments, context)
        for path in (Path(access.target) for access in accesses if access.kind in ("read", "write")):
            for fit in skills.touched(path, _matcher(), list(_standing(agent, skills)))[:MOST]:
                yield from _give(agent, skills, fit.skill, (fit.rule, fit.by, ""), cancel)


def answer(agent: Agent, skills: Repertoire, name: str) -> ToolResult:
    """What the model is told when it asks for a skill."""
    skill = skills.called(name)
    if skill is None or not skill.for_model:
        from difflib import get_close_matches

        offered = [one.id for one in skills.skillset.skills.values() if one.for_model]
        near = get_close_matches(name.lower(), offered, 3, 0.5) or offered[:20]
        return ToolResult(f"skill: there is no skill {name!r}; there are: {', '.join(near) or 'none'}", error=True)
    if skill.id in _standing(agent, skills):
        return ToolResult(f"{skill.id} stands in this talk already, above")
    return ToolResult(f"{skill.id} follows")


def draft(agent: Agent, text: str) -> Verdict:
    """Let a skill that the model drafted wait for the person; the log keeps the verdict, not the text."""
    from agentmem.domain.skill import Draft
    from agentmem.memory.memory import skillgate  # a draft is seldom made

    session = agent.session
    verdict = skillgate.propose(Draft(text, (), "agent", session.id, session.leaf), session.places, agent.clock)
    told = {"outcome": verdict.outcome, "of": verdict.id, "category": "procedure", "principal": verdict.principal}
    session.append("verdict", told | {"reason": verdict.reason, "path": verdict.path}, session.leaf)
    return verdict


def _renew(agent: Agent, skills: Repertoire) -> Work:
    """What changed on disk is told once, the person and the model; the cards in the prompt hold still."""
    told = skills.news()
    if told:
        agent.session.record_notice(skills.announced(told))
        yield Notice("info", f"skills changed: {'; '.join(told)}")


def _give(agent: Agent, skills: Repertoire, skill: Skill, why: tuple[str, str, str], cancel: Cancel) -> Work:
    """Bring a skill to the tail, or say why it does not come. `why` is the rule, what it went by, the arguments."""
    from agentmem.agent.prefetch import BadPrefetch, fetch

    rule, by, arguments = why
    refused = yield from _refused(agent, skill, cancel)
    if refused is not None:
        yield from _kept_back(agent, skill, refused, rule)
        return
    try:
        whole = skills.body(skill, arguments, rule, by)
        left = skills.room(agent.window, agent.session.sections, agent.session.entries)
        given = skills.fitted(whole, left, wanted=rule in ("slash", "asked"))
        if given is None:
            yield Notice("warning", f"the skill {skill.id} fits ({rule}: {by}) and has no room; /{skill.id} calls it")
            return
        given = replace(given, prefetched=fetch(agent, skill, cancel))
    except (NoSkill, BadPrefetch) as error:
        yield from _kept_back(agent, skill, str(error), rule)
        return
    agent.session.record_skill(given)
    yield Notice("info", f"skill {skill.id} ({rule}{f': {by}' if by and by != f'/{skill.id}' else ''})")


def _kept_back(agent: Agent, skill: Skill, why: str, rule: str) -> Work:
    """The person is told, and the model too where it or the person waits for the skill."""
    if rule in ("slash", "asked"):
        agent.session.record_notice(NOT_AGREED.format(name=skill.id, why=why))
    yield Notice("warning", f"the skill {skill.id} is not used: {why}")


def _refused(agent: Agent, skill: Skill, cancel: Cancel) -> Generator[Event, Answer | None, str | None]:
    """Why a skill may not be used, None when it may: what a project's skill brings along is seen by the person
    first."""
    if skill.level != "project":
        return None
    home = agent.session.places.home
    found, known = baggage(skill.path), seen(home, skill.path)
    if known == found.digest:
        return None
    if known is not None or not found.harmless:
        changed = "it changed since you last saw it" if known is not None else "this is its first use"
        told = yield _question(agent, skill, found, changed)
        if cancel.cancelled or told == "no":
            return "the person said no"
        if told is None:
            what = "it changed since a person last saw it" if known else f"a person must see first {_brings(found)}"
            return f"{what}: agentmem skills show {skill.id}, then agentmem skills allow {skill.id}"
    try:
        keep_seen(home, skill.path, found.digest, agent.clock.stamp())
    except OSError as error:
        yield Notice("warning", f"that you saw {skill.id} could not be kept: {error.strerror}")
    return None


def _question(agent: Agent, skill: Skill, found: Baggage, why: str) -> Asked:
    arguments = {"name": skill.id, "file": skill.path}
    if found.scripts:
        arguments["scripts"] = _some(found.scripts)
    if found.hidden:
        arguments["hidden characters"] = _some(found.hidden)
    if not found.whole:
        arguments["files"] = "not all of them could be looked at"
    if skill.tools:
        arguments["it names tools"] = f"{_some(skill.tools)} (you are asked as ever)"
    # Its own words come last, on one line: they can neither look like the rows above nor push them out of sight.
    said = " ".join(skill.description.split())
    arguments["description"] = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
    # Nor can the name of a file or a folder look like one.
    arguments = {name: value.replace("\n", "\u240a") for name, value in arguments.items()}
    return Asked(f"skill-{skill.id}", "skill", arguments, f"{why}; {_brings(found)}", None, False)


def _brings(found: Baggage) -> str:
    said = [
        f"{len(found.scripts)} script{'s' if len(found.scripts) > 1 else ''}" if found.scripts else "",
        f"{len(found.hidden)} hidden character{'s' if len(found.hidden) > 1 else ''}" if found.hidden else "",
        "" if found.whole else "files that could not be looked at",
    ]
    return " and ".join(one for one in said if one) or "text only"


def _some(items: Sequence[str]) -> str:
    more = f", and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more


def _standing(agent: Agent, skills: Repertoire) -> Iterable[str]:
    """The skills whose bodies stand on the branch as their files say now."""
    held = {
        str(entry.body["name"]): (entry.body.get("path"), entry.body.get("sha256"))
        for entry in agent.session.entries
        if entry.type == "skill" and "name" in entry.body
    }
    return [
        name
        for name, (path, digest) in held.items()
        if isinstance(path, str) and regular.digest(path, _MOST_BYTES) == digest
    ]


def _matcher() -> Callable[[str, str], bool]:
    from agentmem.workspace.glob import BadGlob, Wanted

    made: dict[str, Wanted | None] = {}

    def matches(glob: str, path: str) -> bool:
        if glob not in made:
            try:
                made[glob] = Wanted(glob)
            except BadGlob:
                made[glob] = None
        found = made[glob]
        return found is not None and found.matches(path.split("/"))

    return matches
