"""One pass of the patterns that the product's reader runs over all of a text: the floor of what reading it costs.

Patterns that see single words, or what the person and the agent say, are left out.
"""

from __future__ import annotations

import re

from agentmem.memory.read import kinds

# What `kinds.runs_of` parts a text into, as a pattern: the product has a quicker way to the same.
RUN = re.compile(r"(?<!<(?=/))[^\s\"'`<>()\[\]{}|,;=&\\→│…“”‘’«»]++")
_SHAPES: tuple[re.Pattern[str], ...] = (RUN, kinds._URL, kinds._NUMBER, kinds._ERROR_MARK)


def one_pass(text: str) -> int:
    """Run them, and count what they find."""
    return sum(1 for pattern in _SHAPES for _ in pattern.finditer(text))
