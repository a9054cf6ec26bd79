"""Together: whether words were said in one breath, so that true words do not make a false sentence.

"Delete the old logs. Keep the production database." holds each word of "delete the production database", but nobody
said it; nor does "prod is 5432, staging is 5433" say "prod is 5433".
"""

from __future__ import annotations

from collections.abc import Sequence

from agentmem.memory.write import wording

Said = tuple[str, frozenset[str]]
"""A sentence: its text folded, and its content words."""


def together(claimed: Sequence[str], said: Sequence[Said]) -> bool:
    """Whether the claimed words, in their order, are made of runs of two or more that each stand in one sentence. Each
    of them must stand in one of the sentences."""
    reach = [_reach(claimed, at, said) for at in range(len(claimed))]
    ends = {len(claimed)}
    for at in reversed(range(len(claimed))):
        least = 1 if len(claimed) == 1 else 2
        if any(end in ends for end in reach[at] if end - at >= least):
            ends.add(at)
    return 0 in ends


def _reach(claimed: Sequence[str], at: int, said: Sequence[Said]) -> list[int]:
    """Where runs that begin at a word may end."""
    left, ends = list(said), []
    for end in range(at + 1, len(claimed) + 1):
        left = [one for one in left if wording.stands_in(claimed[end - 1], one[1], one[0])]
        if not left:
            break
        if any(_said_so(claimed[at:end], one) for one in left):
            ends.append(end)
    return ends


def _said_so(run: Sequence[str], said: Said) -> bool:
    """Whether a sentence that holds the words says of its numbers what they say: where it has several, the words stand
    in its order and none of its numbers is left out between them."""
    folded, words = said
    if sum(map(_number, words)) < 2 or not any(map(_number, run)):
        return True
    row = wording.words(folded)
    return any(_along(run, row[start:]) for start, word in enumerate(row) if word == run[0])


def _along(run: Sequence[str], row: Sequence[str]) -> bool:
    at = 0
    for word in row:
        if word == run[at]:
            at += 1
            if at == len(run):
                return True
        elif _number(word):
            return False
    return False


def _number(word: str) -> bool:
    return any(map(str.isdigit, word))
