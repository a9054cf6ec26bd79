"""Edits: what changed between two versions of MEMORY.md, told by beliefs: added, changed, removed.

A belief that only moved did not change. A line without an id that was reworded is the old belief changed when it stands
where the old one stood and still says much the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from agentmem.domain.claim import Edit, Scope
from agentmem.memory.stores.bullets import Bullet, keyed, parse
from agentmem.memory.write.wording import words

_ALIKE = 0.5
_MOST = 40  # lines of one changed stretch that are paired


def edits(before: str, after: str, scope: Scope) -> list[Edit]:
    """The changes, in the order of the lines that are there now; removed ones where they stood."""
    old, new = keyed(parse(before)), keyed(parse(after))
    if old == new:
        return []
    found = []
    gone, come = [key for key in old if key not in new], [key for key in new if key not in old]
    pairs = dict(_pairs(list(old.items()), list(new.items()), set(gone), set(come)))
    paired = {new_key: old_key for old_key, new_key in pairs.items()}
    for key, line in new.items():
        if key in old:
            if old[key].text != line.text:
                found.append(Edit(scope, key, old[key].text, line.text, line.section))
        elif (was := paired.get(key)) is not None:
            found.append(Edit(scope, was, old[was].text, line.text, line.section, becomes=key))
        else:
            found.append(Edit(scope, key, None, line.text, line.section))
    found += [Edit(scope, key, old[key].text, None, old[key].section) for key in gone if key not in pairs]
    return found


def _pairs(
    old: Sequence[tuple[str, Bullet]], new: Sequence[tuple[str, Bullet]], gone: set[str], come: set[str]
) -> Iterator[tuple[str, str]]:
    """Each belief that was changed under its old id, with its new one."""
    same = {line.text: key for key, line in new if key in come}
    for key, line in old:
        if key in gone and line.text in same:  # only the id went or came
            come.discard(same[line.text])
            gone.discard(key)
            yield key, same.pop(line.text)
    if not gone or not come:
        return
    matcher = SequenceMatcher(None, [key for key, _ in old], [key for key, _ in new], autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind != "replace":
            continue
        there = [pair for pair in new[j1:j2] if pair[0] in come][:_MOST]
        for key, line in [pair for pair in old[i1:i2] if pair[0] in gone][:_MOST]:
            best = max(there, key=lambda pair: _likeness(line.text, pair[1].text), default=None)
            if best is not None and _likeness(line.text, best[1].text) >= _ALIKE:
                there.remove(best)
                yield key, best[0]


def _likeness(one: str, other: str) -> float:
    """How much of the words of two beliefs is the same, from 0 to 1."""
    here, there = set(words(one)), set(words(other))
    return 2 * len(here & there) / (len(here) + len(there)) if here and there else 0.0
