from __future__ import annotations

import pytest

from agentmem.model.retry_after import asked_wait

NOON = 1_700_000_000.0


@pytest.mark.parametrize(
    ("headers", "words", "seconds"),
    [
        ({"retry-after": "7"}, "", 7.0),
        ({"retry-after": " 1.5 "}, "try again in 3s", 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, "", 0.25),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, "", 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT", "date": "Tue, 14 Nov 2023 22:13:45 GMT"}, "", 5.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, "", 0.0),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "-5"}, "", None),
        ({"retry-after": "inf"}, "", None),
        ({"retry-after": "٣"}, "", None),
        ({}, "Rate limit reached. Please try again in 1.2s. Visit", 1.2),
        ({}, "Please try again in 6m0s.", 360.0),
        ({}, "Please try again in 1h2m3.5s.", 3723.5),
        ({}, "Please try again in 320ms", 0.32),
        ({}, "please retry after 20 seconds", 20.0),
        ({}, "Please wait 2 minutes before", 120.0),
        ({}, "Please retry in 12.34s.", 12.34),
        ({}, "retry your request", None),
        ({}, "Limit 10000, used 9000 tokens per min. Try again later", None),
        ({}, "wait for 5 models", None),
        ({}, "", None),
    ],
)
def test_asked_wait(headers: dict[str, str], words: str, seconds: float | None) -> None:
    found = asked_wait(headers, words, lambda: NOON)
    assert found == (None if seconds is None else pytest.approx(seconds))
