from __future__ import annotations

import pytest

from agentmem.memory.write import wording
from agentmem.memory.write.contrary import turned


@pytest.mark.parametrize(
    ("sentence", "claim", "expected"),
    [
        ("use tabs", "use tabs", False),
        ("never use tabs", "use tabs", True),
        ("never use tabs", "never use tabs", False),
        ("we wouldn't use tabs", "use tabs", True),
        ("use tabs until May", "use tabs", True),
        ("use tabs until May", "use tabs until May", False),
        ("keine Tabs nutzen", "Tabs nutzen", True),
        ("Nie im Mai pushen", "im Mai pushen", True),
        ("Nie im Mai pushen", "nie im Mai pushen", False),
        ("mainにpushしないでください", "main", True),
        ("อย่าpush", "push", True),
        ("use tabs", "never use tabs", False),
    ],
)
def test_a_denial_or_a_condition_that_was_left_out_turns_a_sentence(sentence: str, claim: str, expected: bool) -> None:
    assert turned(frozenset(wording.words(sentence)), frozenset(wording.words(claim))) is expected
