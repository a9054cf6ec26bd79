"""What the tests of the doors share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from doors import ROWS, Row
from serving import Server


@pytest.fixture(params=ROWS, ids=lambda row: row.name)
def row(request: pytest.FixtureRequest) -> Row:
    return request.param


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server
