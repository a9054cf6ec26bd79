"""What the commands' tests share: standing in a project, as the person it belongs to."""

from __future__ import annotations

import pytest

from agentmem.domain.places import Places


@pytest.fixture
def here(places: Places, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A project that has an `.agent/`, stood in by its person."""
    (places.root / ".agent").mkdir()
    monkeypatch.chdir(places.root)
    monkeypatch.setenv("AGENTMEM_HOME", str(places.home))
    monkeypatch.delenv("AGENTMEM_AGENT", raising=False)
    return places
