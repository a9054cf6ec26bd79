"""Report: a rewind in words, before and after it, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentmem.agent.plan import Plan, Step
from agentmem.agent.rewind import Past, Rewound

_MOST = 40
_DOES = {"remove": "remove    ", "bring back": "bring back", "mode": "set mode  ", "restore": "restore   "}


def named(path: bytes) -> str:
    """A path in one line of valid text: what is not printable, or no UTF-8, is escaped."""
    text = path.decode("utf-8", "backslashreplace")
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def plan_lines(plan: Plan) -> list[str]:
    """What would be done to the files, what needs a word more, and what stays."""
    lines = ["files the agent wrote, put back:" if plan.back else "no file that the agent wrote is to be put back"]
    lines += _cut([f"  {_DOES[step.does]} {named(step.path)}" for step in plan.back])
    if plan.cannot:
        lines.append("written by the agent, and cannot be put back:")
        lines += _cut([f"  {named(path)}  ({why})" for path, why in plan.cannot])
    if plan.asked:
        lines.append("changed by others too; these stay as they are unless you say `all`:")
        lines += _cut([f"  {_DOES[step.does]} {named(step.path)}  ({step.why})" for step in plan.asked])
    if plan.stays:
        lines.append("also changed, and never touched:")
        lines += _cut([f"  {named(path)}  ({why})" for path, why in plan.stays])
    if plan.unknown:
        lines.append(f"what else has changed is not known: {plan.unknown}")
    return lines


def done_lines(done: Rewound, held: int = 0) -> list[str]:
    """What was done; `held` files stayed because others changed them too."""
    lines = list(_cut([f"{_DID[step.does]} {named(step.path)}" for step in done.files]))
    lines += [f"NOT put back: {named(path)} ({why})" for path, why in done.failed]
    if done.moved:
        lines.append("the conversation goes on from there; what came after stays in the log")
    if held:
        lines.append(f"{held} file{'s stay' if held > 1 else ' stays'}: changed by others too (`all` puts them back)")
    return lines or ["nothing was to be done"]


_DID = {"remove": "removed", "bring back": "brought back", "mode": "set the mode of", "restore": "restored"}


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """The plan for programs."""
    return {
        "to": plan.to,
        "back": [_step(step) for step in plan.back],
        "asked": [_step(step) | {"why": step.why} for step in plan.asked],
        "cannot": [{"path": named(path), "why": why} for path, why in plan.cannot],
        "stays": [{"path": named(path), "why": why} for path, why in plan.stays],
        "unknown": plan.unknown or None,
    }


def done_to_json(done: Rewound) -> dict[str, Any]:
    """What was done, for programs."""
    return {
        "files": [_step(step) for step in done.files],
        "failed": [{"path": named(path), "why": why} for path, why in done.failed],
        "moved": done.moved,
        "draft": done.draft or None,
    }


def past_to_json(number: int, past: Past) -> dict[str, Any]:
    """A user message for programs."""
    return {"number": number, "id": past.id, "at": past.at, "text": past.text, "files": past.files}


def _step(step: Step) -> dict[str, Any]:
    return {"path": named(step.path), "does": step.does}


def _cut(lines: Sequence[str]) -> Iterator[str]:
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"  … and {len(lines) - _MOST:,} more"
