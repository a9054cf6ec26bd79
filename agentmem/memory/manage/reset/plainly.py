"""Plainly: a handoff made by rule from what is known, for when no model can write one."""

from __future__ import annotations

from agentmem.domain.handoff import Handoff
from agentmem.memory.manage.reset.known import Known, failed
from agentmem.memory.read.actions import Actions


def plainly(of: Known) -> Handoff:
    """The handoff that the log alone makes. It says nothing that did not happen; goal and next step may be missing."""
    found = of.actions
    done = [*(f"- {one}" for one in found.done), *(f"- committed {one.hash}: {one.subject}" for one in found.commits)]
    done += [f"- changed {one.path}" for one in found.changed]
    earlier = of.earlier
    return Handoff(
        goal=of.goal,
        done="\n".join(([earlier.done] if earlier and earlier.done else []) + done),
        flight="\n".join(f"- {one}" for one in found.unfinished),
        next=of.next,
        ruled_out="\n".join(f"- {row}" for row in failed(of)),
        limits="\n".join(f"- {row}" for row in of.limits),
        setup=_setup(found, earlier),
        brief=_brief(of),
    )


def _setup(found: Actions, earlier: Handoff | None) -> str:
    checks = dict.fromkeys(one.command for one in found.ran if one.check is not None)
    rows = [f"- `{' '.join(command.split())}`" for command in checks]
    return "\n".join(rows) or (earlier.setup if earlier else "")


def _brief(of: Known) -> str:
    last = of.said[-1] if of.said else ""
    rows = [f"The goal: {' '.join(of.goal.split())}"]
    if last and last != of.goal:
        rows.append(f"The person said last: {' '.join(last.split())}")
    return "\n".join(rows)
