"""Telling: a verdict in a line, the same for the person, the model and whoever reads a log."""

from __future__ import annotations

from agentmem.domain.claim import Verdict


def told_whole(verdict: Verdict, text: str = "") -> str:
    """The same with the diff of what was written, where something was, below it."""
    return "\n".join(filter(None, (told(verdict, text), verdict.diff)))


def told(verdict: Verdict, text: str = "") -> str:
    """What the gate made of a claim; `text` is the claim's, for a verdict that does not bear it."""
    line = verdict.text or " ".join(text.split())
    lacking = f" · {verdict.unkept}; the next write tries again" if verdict.unkept else ""
    match verdict.outcome:
        case "added":
            return f"remembered: {line} ({verdict.id}) · undo: remove the line in {verdict.path}{lacking}"
        case "updated":
            return (
                f"remembered: {line} ({verdict.id}), in place of {verdict.replaced}, which is closed · "
                f"undo: put the old line back in {verdict.path}{lacking}"
            )
        case "known":
            return f"known already, nothing changed: it stands in {verdict.path}"
        case "queued":
            why = f"it waits for the person in {verdict.path} ({verdict.reason})"
            return f"not remembered yet: {why} · to decide: agentmem review"
        case "expired":
            return f"no longer believed: {line} ({verdict.id}){lacking}"
        case "refused":
            return f"not remembered: {verdict.reason}"
