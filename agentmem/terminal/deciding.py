"""Deciding: the person picks what waits in the queue, sees what it is and what it would change, and decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agentmem.agent.reviewing import Reviewing, lines, settled
from agentmem.domain.obstacle import NotWaiting
from agentmem.memory.memory import oversight
from agentmem.terminal.blocks import Block, Row
from agentmem.terminal.picker import Choice

if TYPE_CHECKING:
    from agentmem.memory.oversight import Waiting
    from agentmem.terminal.slash import Desk

Pick = Callable[[str, Sequence[Choice], int], str | None]
Edit = Callable[[str, str], str | None]
Say = Callable[[str], None]

_DEEDS = (("approve", "approve: it becomes a belief, on your word"), ("edit", "edit it, then approve"))
_OTHERS = (("reject", "turn it down: its words go"), ("later", "later"))


def review(desk: Desk, rest: str) -> Sequence[Block]:
    """Decide on what waits. `approve ID`, `reject ID [WHY]` and `edit ID TEXT` do it at once."""
    said: list[str] = []
    reviewing = desk.talk.reviewing
    try:
        word, _, after = rest.strip().partition(" ")
        called, _, words = after.strip().partition(" ")
        if word:
            return [Row(_at_once(reviewing, word, called, words.strip()))]
        if not reviewing.listed():
            return [Row("Nothing waits for you.", "dim")]

        def edit(own: str, text: str) -> None:
            desk.draft(f"/review edit {own} {text}")

        go_through(reviewing, desk.pick, edit, said.append)
    except (NotWaiting, oversight.MemoryBusy, OSError) as error:
        said.append(str(error))
    return [Row(text, gap=0) for text in said]


def go_through(reviewing: Reviewing, pick: Pick, edit: Edit, say: Say) -> None:
    """Let the person pick and decide until they leave, or nothing waits. `edit` gives the changed text of a claim, None
    where it is changed elsewhere. Raises `MemoryBusy`, `OSError`."""
    while found := reviewing.listed():
        own = pick("what waits for you", [_choice(one) for one in found], 0)
        one = next((one for one in found if one.text("id") == own), None)
        if one is None or own is None:
            return
        look = tuple(lines(one))
        deeds = _DEEDS if one.would.outcome != "refused" else _DEEDS[1:]
        deed = pick(one.text("text"), [Choice(key, title, look=look) for key, title in (*deeds, *_OTHERS)], 0)
        text = edit(own, one.text("text")) if deed == "edit" else None
        if deed == "edit" and text is None:
            return
        try:
            if deed == "reject":
                reviewing.reject(own)
                say(f"turned down: {own}")
            elif deed in ("approve", "edit"):
                say(settled(reviewing.approve(own, text)))
        except NotWaiting as gone:
            say(str(gone))


def _at_once(reviewing: Reviewing, word: str, called: str, words: str) -> str:
    deeds = [deed for deed in ("approve", "reject", "edit") if deed.startswith(word)]
    if len(deeds) != 1 or not called or (deeds == ["edit"] and not words):
        return "/review, /review approve ID [WHY], /review reject ID [WHY], /review edit ID TEXT"
    if deeds == ["reject"]:
        return f"turned down: {reviewing.reject(called, words or None)['id']}"
    if deeds == ["edit"]:
        return settled(reviewing.approve(called, words))
    return settled(reviewing.approve(called, why=words or None))


def _choice(one: Waiting) -> Choice:
    return Choice(
        one.text("id"),
        one.text("text"),
        (one.text("principal"), one.text("category")),
        tuple(lines(one)),
        one.text("id"),
    )
