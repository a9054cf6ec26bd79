"""Backward: the slash command that takes back what was said, what was written, or both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmem.agent.plan import Plan
from agentmem.agent.report import done_lines, plan_lines
from agentmem.agent.rewind import CannotRewind, Past, Rewound, What
from agentmem.memory.memory import EntryMissing, LogWriteError
from agentmem.terminal.blocks import Block, Row
from agentmem.terminal.crossing import recap
from agentmem.terminal.gist import counted
from agentmem.terminal.picker import Choice

if TYPE_CHECKING:
    from agentmem.terminal.slash import Desk

WHATS: tuple[What, ...] = ("both", "files", "conversation")
_HINT = "/rewind {number} both, files or conversation does it; a further `all` puts back what others changed too"


def rewind(desk: Desk, rest: str) -> Sequence[Block]:
    """Without words: choose a message, see what would change, choose what to take back. `N` shows what going back to
    before the Nth message would do, `N both|files|conversation [all]` does it, `undo [all]` takes the last one back."""
    try:
        return _rewind(desk, rest.lower().split())
    except (CannotRewind, EntryMissing, LogWriteError) as error:
        return [Row(str(error), "yellow")]


def _rewind(desk: Desk, words: list[str]) -> Sequence[Block]:
    everything = words[-1:] == ["all"]
    words = words[:-1] if everything else words
    match words:
        case []:
            return _chosen(desk)
        case ["undo" | "--undo"]:
            return _undone(desk, everything)
        case [called]:
            past = desk.talk.rewind.past(called)
            lines = plan_lines(desk.talk.rewind.plan(past.id))
            return [
                Row(f"back to before: {past.text}", short=True),
                *_rows(lines),
                Row(_HINT.format(number=called), "dim"),
            ]
        case [called, what] if found := [one for one in WHATS if one.startswith(what)]:
            past = desk.talk.rewind.past(called)
            plan = Plan(past.id) if found[0] == "conversation" else desk.talk.rewind.plan(past.id)
            return _done(desk, desk.talk.rewind.perform(past, plan, found[0], everything), plan)
    return [Row("/rewind, /rewind N, /rewind N both|files|conversation [all], /rewind undo [all]", "yellow")]


def _chosen(desk: Desk) -> Sequence[Block]:
    """The person picks a message, then what to take back."""
    pasts = desk.talk.rewind.pasts()
    if not pasts:
        return [Row("Nothing was said yet.", "yellow")]
    picked = desk.pick(
        "go back to before", [_choice(number, past) for number, past in enumerate(pasts, 1)], len(pasts) - 1
    )
    past = next((past for past in pasts if past.id == picked), None)
    if past is None:
        return []
    plan = desk.talk.rewind.plan(past.id)
    what = desk.pick(f"take back, from before “{' '.join(past.text.split())[:40]}”", _deeds(plan), 0)
    if what is None:
        return []
    everything = what.endswith("all")
    found = next(one for one in WHATS if what.startswith(one))
    return _done(desk, desk.talk.rewind.perform(past, plan, found, everything), plan)


def _choice(number: int, past: Past) -> Choice:
    return Choice(past.id, past.text, (counted(past.files, "file"), f"{number:>3}"), tuple(past.text.split("\n")))


def _deeds(plan: Plan) -> list[Choice]:
    """What can be taken back; the lines below say what that does to the files."""
    look = tuple(plan_lines(plan))
    count = counted(len(plan.back), "file")
    deeds = [
        Choice("both", f"both: the conversation and {count}", look=look),
        Choice("files", f"files: {count}; the conversation goes on", look=look),
        Choice("conversation", "conversation: no file is touched"),
    ]
    if plan.asked:
        more = counted(len(plan.back) + len(plan.asked), "file")
        deeds += [
            Choice("both all", f"both, and what others changed too: {more}", look=look),
            Choice("files all", f"files, and what others changed too: {more}", look=look),
        ]
    return deeds


def _undone(desk: Desk, everything: bool) -> Sequence[Block]:
    plan = desk.talk.rewind.plan_undo()
    return _done(desk, desk.talk.rewind.undo(plan, everything), plan)


def _done(desk: Desk, done: Rewound, plan: Plan) -> Sequence[Block]:
    desk.talk.rewound()
    if done.draft:
        desk.draft(done.draft)
    left = [] if done.failed or not plan.asked else ["stays, changed by others: " + counted(len(plan.asked), "file")]
    told = _rows([*done_lines(done), *(left if len(done.files) <= len(plan.back) else [])])
    return [*told, *(recap(desk.talk.shelf) if done.moved else []), Row("/rewind undo takes this back", "dim", "·")]


def _rows(lines: Sequence[str]) -> list[Block]:
    return [Row(line, gap=1 if number == 0 else 0) for number, line in enumerate(lines)]
