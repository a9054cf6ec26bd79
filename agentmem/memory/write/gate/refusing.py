"""Refusing: a line of MEMORY.md that holds a secret stays the person's own, and becomes no memory.

The file is not touched. Everything else (ledger, history, queue, index, prompt, recall) gets on without the line, or
holds a mark in the secret's place; when the secret is taken out, the rest of the line is adopted like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from agentmem.domain.belief import Belief
from agentmem.domain.claim import Edit, Verdict
from agentmem.memory.stores.bullets import keyed, parse
from agentmem.memory.write import redact
from agentmem.memory.write.marking import Marked

_MEND = "take it out, and where it was committed change it"


def refused(found: Marked) -> frozenset[str]:
    """The ids of lines that hold a secret, or a mark in the place of one."""
    return frozenset(found.withheld()) | {
        key
        for key, line in (keyed(parse(found.text())).items() if b"[redacted: " in found.data else ())
        if redact.marks(line.text)
    }


def without_secrets(
    found: Sequence[Edit], was: Collection[str], now: Collection[str], told: Mapping[str, Belief]
) -> list[Edit]:
    """The edits as far as they concern lines without secrets. `was` and `now` are the lines that held one and that hold
    one: a belief whose line holds one now went, and a line that lost its secret came. `told` is what the ledger
    says."""
    if not was and not now:
        return list(found)
    return [one for edit in found if (one := _left(edit, was, now, told)) is not None]


def _left(edit: Edit, was: Collection[str], now: Collection[str], told: Mapping[str, Belief]) -> Edit | None:
    own = edit.becomes or edit.fact
    before, after = edit.before, edit.after
    if after is not None and own in now:
        after = None
    if before is not None and edit.fact in was and not _held(edit, told):
        before = None
    if before == edit.before and after == edit.after:
        return edit
    if before is None and after is None:
        return None
    return replace(edit, fact=edit.fact if before is not None else own, before=before, after=after, becomes=None)


def _held(edit: Edit, told: Mapping[str, Belief]) -> bool:
    belief = told.get(edit.fact)
    return belief is not None and belief.open and belief.text == edit.before


def verdicts(found: Marked, path: str) -> Iterator[Verdict]:
    """What is told of each line of a MEMORY.md that holds secrets: where it stands, and never what they are. `withheld`
    are their marks."""
    for line, secrets in groupby(found.secrets, key=lambda one: one.line):
        every = list(secrets)
        kinds = ", ".join(dict.fromkeys(one.kind for one in every))
        why = f"{path}:{line} holds a secret ({kinds}): no model is shown it and it is not remembered; {_MEND}"
        yield Verdict("refused", None, why, "user", path, withheld=" ".join(one.mark for one in every))
