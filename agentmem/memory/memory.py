"""The door to what the agent remembers: everything outside this room imports this module alone.

| memory | answers | store | W write | P manage | R read |
|---|---|---|---|---|---|
| session log | what was said, done | `.agent/sessions/<id>.jsonl` | `Session.record_…` | none, by design | its tree |
| working | what is happening now | replay of a branch | through the log | `shortening` | `Session.prompt` |
| semantic | what is true | `MEMORY.md` | the gate: `propose_in`, `remember` | - | `Session.begin_epoch`, `recalled` |
| episodic | what happened | `memory/YYYY-MM-DD.md` | the gate: `noting` | - | `recalled` |
| procedural | how to act | `skills/*/SKILL.md` | the gate, queued: `skillgate` | - | `Repertoire` |
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from agentmem.domain.places import Places
from agentmem.memory.entrance import (
    SessionMissing,
    branch_of,
    check,
    exported,
    find_session,
    fork_session,
    history,
    import_log,
    last_session,
    list_sessions,
    new_session,
    page,
    read_session,
    remove_session,
    resume_session,
    session_at_a_glance,
    session_holder,
    survey_sessions,
    unreadable_since,
)
from agentmem.memory.read.assemble import Epoch, Shown
from agentmem.memory.read.instructions import Instruction
from agentmem.memory.read.tree import Tree
from agentmem.memory.session import Session
from agentmem.memory.stores.log import LogWriteError, SessionBusy

if TYPE_CHECKING:
    from agentmem.domain import desk as desks
    from agentmem.domain.claim import Claim, Principal, Verdict
    from agentmem.memory import oversight, recalled, shortening
    from agentmem.memory.claims import extract_from, propose_in
    from agentmem.memory.manage import annals, bequest, checkup, daywatch, lookout, noting, skillwatch
    from agentmem.memory.manage.annals import NoVersion
    from agentmem.memory.manage.checklist import FeatureList, FeatureMissing, FeatureTaken, put_list_back
    from agentmem.memory.manage.fork import EntryMissing
    from agentmem.memory.manage.lookout import Look
    from agentmem.memory.manage.removal import Removed
    from agentmem.memory.manage.reset.handing import (
        handoff_block,
        handoff_of,
        handoff_text,
        read_handoff,
        write_handoff,
    )
    from agentmem.memory.manage.reset.known import Ground, Known, known
    from agentmem.memory.manage.reset.lessons import Attempt, learn, lessons, read_job, tries, write_job
    from agentmem.memory.manage.reset.plainly import plainly
    from agentmem.memory.manage.reset.readback import Proof, prove
    from agentmem.memory.read import daymerge, sight, weight
    from agentmem.memory.read.account import account
    from agentmem.memory.read.blame import NothingThere
    from agentmem.memory.read.fitting import Fitting
    from agentmem.memory.read.history import Held, History
    from agentmem.memory.read.manifest import Section
    from agentmem.memory.read.outline import Twig, labels_of, last_exchange, name_of, outline, said
    from agentmem.memory.read.parts import PartLost
    from agentmem.memory.read.sessionhead import SessionHead
    from agentmem.memory.read.skillset import Skillset, skills_below, skills_in
    from agentmem.memory.read.tally import Counted, Sent
    from agentmem.memory.repertoire import Repertoire
    from agentmem.memory.stores.features import ListUnreadable
    from agentmem.memory.stores.lock import MemoryBusy
    from agentmem.memory.stores.skillfile import NoSkill, read_skill, safe_name
    from agentmem.memory.stores.versions import Unusable
    from agentmem.memory.write.gate import skillgate
    from agentmem.memory.write.gate.skillgate import Candidate, NotPromoted
    from agentmem.memory.write.printed import keep_output
    from agentmem.memory.write.redact import without_secrets

__all__ = [
    "Attempt",
    "Candidate",
    "Counted",
    "EntryMissing",
    "Epoch",
    "FeatureList",
    "FeatureMissing",
    "FeatureTaken",
    "Fitting",
    "Ground",
    "Held",
    "History",
    "Instruction",
    "Known",
    "ListUnreadable",
    "LogWriteError",
    "Look",
    "MemoryBusy",
    "NoSkill",
    "NoVersion",
    "NotPromoted",
    "NothingThere",
    "PartLost",
    "Proof",
    "Removed",
    "Repertoire",
    "Section",
    "Sent",
    "Session",
    "SessionBusy",
    "SessionHead",
    "SessionMissing",
    "Shown",
    "Skillset",
    "Tree",
    "Twig",
    "Unusable",
    "account",
    "annals",
    "bequest",
    "branch_of",
    "check",
    "checkup",
    "daymerge",
    "daywatch",
    "exported",
    "extract_from",
    "find_session",
    "fork_session",
    "found",
    "handoff_block",
    "handoff_of",
    "handoff_text",
    "history",
    "import_log",
    "keep_output",
    "known",
    "labels_of",
    "last_exchange",
    "last_session",
    "learn",
    "lessons",
    "list_sessions",
    "lookout",
    "name_of",
    "new_session",
    "noting",
    "outline",
    "oversight",
    "page",
    "plainly",
    "propose_in",
    "prove",
    "put_list_back",
    "read_handoff",
    "read_job",
    "read_session",
    "read_skill",
    "recalled",
    "remember",
    "remove_session",
    "resume_session",
    "safe_name",
    "said",
    "session_at_a_glance",
    "session_holder",
    "shortening",
    "sight",
    "skillgate",
    "skills_below",
    "skills_in",
    "skillwatch",
    "survey_sessions",
    "tries",
    "unreadable_since",
    "weight",
    "without_secrets",
    "write_handoff",
    "write_job",
]

# What a start has no use for is loaded when someone asks for it; this is the rest of the door.
_LATER: Mapping[str, str] = {
    **dict.fromkeys(("extract_from", "propose_in"), "claims"),
    "NoVersion": "manage.annals",
    **dict.fromkeys(("FeatureList", "FeatureMissing", "FeatureTaken", "put_list_back"), "manage.checklist"),
    "EntryMissing": "manage.fork",
    "Look": "manage.lookout",
    "Removed": "manage.removal",
    **dict.fromkeys(
        ("handoff_block", "handoff_of", "handoff_text", "read_handoff", "write_handoff"), "manage.reset.handing"
    ),
    **dict.fromkeys(("Ground", "Known", "known"), "manage.reset.known"),
    **dict.fromkeys(("Attempt", "learn", "lessons", "read_job", "tries", "write_job"), "manage.reset.lessons"),
    "plainly": "manage.reset.plainly",
    **dict.fromkeys(("Proof", "prove"), "manage.reset.readback"),
    "account": "read.account",
    "NothingThere": "read.blame",
    "Fitting": "read.fitting",
    **dict.fromkeys(("Held", "History"), "read.history"),
    "Section": "read.manifest",
    **dict.fromkeys(("Twig", "labels_of", "last_exchange", "name_of", "outline", "said"), "read.outline"),
    "PartLost": "read.parts",
    "SessionHead": "read.sessionhead",
    **dict.fromkeys(("Skillset", "skills_below", "skills_in"), "read.skillset"),
    **dict.fromkeys(("Counted", "Sent"), "read.tally"),
    "Repertoire": "repertoire",
    "ListUnreadable": "stores.features",
    "MemoryBusy": "stores.lock",
    **dict.fromkeys(("NoSkill", "read_skill", "safe_name"), "stores.skillfile"),
    "Unusable": "stores.versions",
    **dict.fromkeys(("Candidate", "NotPromoted"), "write.gate.skillgate"),
    "keep_output": "write.printed",
    "without_secrets": "write.redact",
}
_ROOMS: Mapping[str, str] = {
    "annals": "manage.annals",
    "bequest": "manage.bequest",
    "checkup": "manage.checkup",
    "daymerge": "read.daymerge",
    "daywatch": "manage.daywatch",
    "lookout": "manage.lookout",
    "noting": "manage.noting",
    "oversight": "oversight",
    "recalled": "recalled",
    "shortening": "shortening",
    "sight": "read.sight",
    "skillgate": "write.gate.skillgate",
    "skillwatch": "manage.skillwatch",
    "weight": "read.weight",
}


def __getattr__(name: str) -> Any:
    """A name of `_LATER` or `_ROOMS`, from where it is. Raises `AttributeError` for any other."""
    if name in _ROOMS:
        return import_module(f"agentmem.memory.{_ROOMS[name]}")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"agentmem.memory.{_LATER[name]}"), name)


def found(places: Places) -> list[str]:
    """Make MEMORY.md, memory/ and .agent/ where missing; gives the names of what was made. Raises `OSError`."""
    from agentmem.memory.stores import founding

    return founding.found(places)


def remember(desk: desks.Desk, claim: Claim, by: Principal = "user") -> Verdict:
    """What the person typed as a command goes through the gate without a session; under any other principal (a command
    that an agent's tool ran) it only waits in the queue."""
    from agentmem.memory.write import gate  # most runs never come here, and the word rules take their time to load

    return gate.propose(claim, gate.Source(typed=by == "user", by=by), desk)
