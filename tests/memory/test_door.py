from __future__ import annotations

from agentmem.memory import memory


def test_every_name_of_the_door_leads_somewhere() -> None:
    assert [name for name in memory.__all__ if getattr(memory, name, None) is None] == []
