from __future__ import annotations

import pytest

from agentmem.domain.measure import age, size


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (-50, "now"),
        (4.9, "now"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (86_399, "23 h"),
        (13.9 * 86_400, "13 d"),
        (14 * 86_400, "2 w"),
        (71 * 86_400, "2 mo"),
        (729 * 86_400, "23 mo"),
        (800 * 86_400, "2 y"),
    ],
)
def test_how_long_ago(seconds: float, told: str) -> None:
    assert age(seconds) == told


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (9_960, "10 kB"), (999_499, "999 kB"),
     (999_500, "1.0 MB"), (532_000_000, "532 MB"), (37e9, "37 GB"), (5e15, "5000 TB")],
)  # fmt: skip
def test_how_big(count: float, told: str) -> None:
    assert size(count) == told
