"""The gate for skills: a draft always waits in the queue; what a person approves is written, and can be rolled back.

No draft is believed by itself, whoever made it: it says how to act. A revision is promoted only once its check passed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.claim import Verdict
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.domain.skill import AdmittedSkill, Draft, Skill
from agentmem.domain.visible import hidden
from agentmem.memory.stores import folder, lock, procedural, queue, skillfile, skillroots, versions
from agentmem.memory.stores.skillfile import NoSkill
from agentmem.memory.write import redact
from agentmem.objects import Damaged

_CONFIDENCE = 0.6


class NotPromoted(Exception):
    """A candidate cannot become a skill; the message says why, and what mends it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft that waits: its queue `item`, its skill, its text, and what it would replace (`before`, None: nothing) at
    `path`."""

    item: Mapping[str, Any]
    skill: Skill
    text: str
    path: str
    before: str | None

    @property
    def revises(self) -> bool:
        """Whether there is such a skill already."""
        return self.before is not None


def propose(draft: Draft, places: Places, clock: Clock) -> Verdict:
    """Let a draft wait for the person, or refuse what is no skill. Never raises for a disk."""
    try:
        skill = _sound(draft.text, places)
    except NotPromoted as error:
        return Verdict("refused", None, str(error), draft.by)
    reason = "skills always wait for the person"
    for item in procedural.waiting(places.queue):
        if item.get("text") == draft.text:
            return Verdict("queued", str(item["id"]), f"it waits already: {reason}", draft.by, _waits(places, item))
    item = {
        "id": "q" + clock.new_id(),
        "at": clock.stamp(),
        "kind": procedural.KIND,
        "category": "procedure",
        "skill": skill.id,
        "text": draft.text,
        "path": _shown(places, skill.path),
        "evidence": list(draft.evidence),
        "principal": draft.by,
        "confidence": _CONFIDENCE,
        "reason": reason,
        "origin": {"session": draft.session, "entry": draft.entry, "spoken_by": "agent"},
    }
    try:
        folder.make_agent_folder(places.shared)
        queue.put(places.queue, item)
    except OSError as error:
        return Verdict("refused", None, f"it could not be written: {error}", draft.by)
    return Verdict("queued", str(item["id"]), reason, draft.by, _waits(places, item))


def candidates(places: Places) -> list[Mapping[str, Any]]:
    """The queue items that wait, the oldest first."""
    return procedural.waiting(places.queue)


def candidate(places: Places, called: str) -> Candidate:
    """The candidate that an id, the start of one, or a skill's name means. Raises `NotPromoted`."""
    found = [
        item
        for item in procedural.waiting(places.queue)
        if str(item.get("id", "")).startswith(called) or item.get("skill") == called
    ]
    if len(found) != 1:
        several = ", ".join(str(item.get("id")) for item in found)
        what = (
            f"means several candidates: {several}" if found else "is no candidate: `agentmem skills waiting` lists them"
        )
        raise NotPromoted(f"{called!r} {what}")
    text = str(found[0].get("text", ""))
    skill = _sound(text, places)
    return Candidate(found[0], skill, text, skill.path, _before(skill.path))


def promote(one: Candidate, places: Places, clock: Clock, checked: str | None) -> str:
    """Write a candidate's file on the person's word; `checked` says which check passed, None for none. Gives the file.
    Raises `NotPromoted`, `OSError`."""
    if one.revises and checked is None:
        raise NotPromoted(
            f"{one.skill.id} is there already, and a revision needs a check that passes: `check: COMMAND` or `golden: "
            "[messages that must choose it]` in its front matter, or --prompt TEXT here"
        )
    origin = one.item.get("origin")
    origin = origin if isinstance(origin, Mapping) else {}
    said = {"Op": "SKILL", "Skill": one.skill.id, "Session": origin.get("session"), "Entry": origin.get("entry")}
    said |= {"Principal": "user", "Drafted-By": one.item.get("principal")}
    _admit(AdmittedSkill(one.skill.id, one.path, one.text, one.before), places, said, clock)
    item = dict(one.item) | {
        "before": one.before,
        "decided": clock.stamp(),
        "approver": "user",
        "checked": checked,
        "path": _shown(places, one.path),
    }
    procedural.settle(places.queue, item, "approved")
    return one.path


def reject(called: str, places: Places, clock: Clock, why: str | None) -> str:
    """Let a candidate wait no more; gives its id. Raises `NotPromoted`, `OSError`."""
    one = next((item for item in candidates(places) if called in (item.get("id"), item.get("skill"))), None)
    item = one if one is not None else candidate(places, called).item
    procedural.settle(places.queue, dict(item) | {"decided": clock.stamp(), "why": why}, "rejected")
    return str(item["id"])


def roll_back(name: str, places: Places, clock: Clock) -> tuple[str, bool]:
    """Take back what was approved of a skill last: what stood there before stands there again. Gives the file, and
    whether it is there still. Raises `NotPromoted`, `OSError`."""
    history = procedural.approved(places.queue, name)
    if not history:
        raise NotPromoted(f"nothing of {name!r} was approved here: there is nothing to roll back")
    path = os.path.join(places.root, str(history[-1].get("path")))
    stands = _before(path)
    item = next((one for one in reversed(history) if one.get("text") == stands), None)
    if item is None:
        raise NotPromoted(f"{path} was changed since it was approved; take back your own changes first")
    before, text = item.get("before"), str(item.get("text"))
    admitted = AdmittedSkill(name, path, before if isinstance(before, str) else None, text)
    _admit(admitted, places, {"Op": "ROLLBACK", "Skill": name, "Principal": "user"}, clock)
    procedural.settle(places.queue, dict(item) | {"rolled_back": clock.stamp()}, "rejected")
    return path, isinstance(before, str)


def _admit(admitted: AdmittedSkill, places: Places, said: Mapping[str, Any], clock: Clock) -> None:
    real = Path(os.path.realpath(admitted.path))
    if not real.is_relative_to(os.path.realpath(places.root)):
        raise NotPromoted(f"{admitted.path} leads out of the project, to {real}")
    folder.make_agent_folder(places.shared)
    try:
        with lock.held(places.shared / "memory.lock"):
            procedural.write(admitted)
            _keep(admitted, places, said, clock)
    except (procedural.SkillChanged, lock.MemoryBusy) as error:
        raise NotPromoted(f"{error}; nothing was written") from error


def _keep(admitted: AdmittedSkill, places: Places, said: Mapping[str, Any], clock: Clock) -> None:
    """A commit in the memory's own history, once that has begun. The queue keeps both texts in any case, so that what
    is wrong with the history is no reason to refuse."""
    own, path = versions.project(places), _shown(places, admitted.path)
    if not own.exists or path.split(os.sep)[0] not in versions.FOLDERS:
        return
    trailers = [(key, value) for key, value in said.items() if isinstance(value, str)]
    data = None if admitted.text is None else admitted.text.encode()
    with suppress(Damaged, OSError, versions.Unusable):
        own.commit({path: data}, f"{said['Op']} {admitted.id}", trailers, clock.now())


def _sound(text: str, places: Places) -> Skill:
    """The skill that a draft is, under the path it belongs to. Raises `NotPromoted`."""
    if redact.spans(text):
        raise NotPromoted("it holds a secret; name only where it lies")
    if unseen := list(hidden(text)):
        line, what = unseen[0]
        raise NotPromoted(f"line {line} holds a character that nobody sees ({what})")
    try:
        skill = skillfile.parse(text.encode("utf-8", "replace"), os.path.join("draft", skillfile.NAME)).skill
        own = skillfile.safe_name(skill.name)
        if own != skill.name or skill.name == "draft":
            raise NotPromoted(f"its name must be small letters, digits and hyphens, not {skill.name!r}")
        path = _place(places, own)
        return skillfile.parse(text.encode("utf-8", "replace"), path).skill
    except NoSkill as error:
        raise NotPromoted(f"it is no skill: {error}") from None


def _place(places: Places, own: str) -> str:
    """Where a project's skill of this name lies, or would."""
    for root in skillroots.roots(places):
        if root.level == "project":
            path = os.path.join(root.path, own, skillfile.NAME)
            if os.path.isfile(path):
                return path
    return str(places.root / "skills" / own / skillfile.NAME)


def _before(path: str) -> str | None:
    try:
        return procedural.current(path)
    except UnicodeDecodeError as error:
        raise NotPromoted(f"{path} is not UTF-8: mend it by hand first") from error


def _shown(places: Places, path: str) -> str:
    return os.path.relpath(path, places.root)


def _waits(places: Places, item: Mapping[str, Any]) -> str:
    path = places.queue / "waiting" / f"{item['id']}.json"
    return _shown(places, str(path)) if path.is_relative_to(places.root) else str(path)
