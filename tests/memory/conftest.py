"""What the memory room's tests share: a clock that stands still and ids that count."""

from __future__ import annotations

from itertools import count

import pytest

from agentmem.domain.clock import Clock

NOON = 1796040131.0  # 2026-11-30T12:02:11Z


@pytest.fixture
def clock() -> Clock:
    numbers = count(1)
    return Clock(now=lambda: NOON, monotonic=lambda: 0.0, random=lambda size: next(numbers).to_bytes(size, "big"))
