"""One pass of the extractor's patterns over a text: each of them once, the floor of what finding its names costs.

The product does not run all of them over all of the text (some see single words, some only what people say), and does
other things besides; `WHOLE` are those that see all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentmem.memory.read import identifiers, kinds, sentences

# What `kinds.runs_of` parts a text into, as a pattern: the product has a quicker way to the same.
RUN = re.compile(r"(?<!<(?=/))[^\s\"'`<>()\[\]{}|,;=&\\→│…“”‘’«»]++")
WHOLE: tuple[re.Pattern[str], ...] = (RUN, kinds._URL, kinds._NUMBER, kinds._ERROR_MARK)


def every() -> Iterator[re.Pattern[str]]:
    """The patterns of the extractor."""
    for room in (kinds, sentences, identifiers):
        yield from (one for one in vars(room).values() if isinstance(one, re.Pattern))


def one_pass(text: str) -> int:
    """Run each once over the text, and count what they find."""
    return sum(1 for pattern in every() for _ in pattern.finditer(text))


def whole_pass(text: str) -> int:
    """Run those that see all of a text."""
    return sum(1 for pattern in WHOLE for _ in pattern.finditer(text))
