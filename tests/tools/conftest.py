"""What the tools' tests share: a context to run a call in."""

from __future__ import annotations

import pytest

from agentmem.domain.cancel import Cancel
from agentmem.domain.claim import Verdict
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolContext


@pytest.fixture
def context(places: Places) -> ToolContext:
    """A call in an empty work tree; nothing was read yet."""
    return ToolContext(
        places=places,
        cancel=Cancel(),
        call_id="t1",
        seen={},
        offload=lambda data, suffix: f"offload{suffix}",
        propose=lambda claim: Verdict("queued", None, "asked", "agent"),
    )
