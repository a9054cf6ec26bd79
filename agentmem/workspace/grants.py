"""Grants: what the person allowed for good in this session."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentmem.domain.tool import Access


@dataclass(frozen=True, slots=True)
class Grants:
    """What the person said "always" to in this session: writes inside the workspace; commands, each word for word."""

    writes: bool = False
    commands: frozenset[str] = field(default_factory=frozenset)

    def extended(self, accesses: Iterable[Access]) -> Grants:
        """These grants and what an "always" to a call with those accesses adds. Ask only where `can_always` is true."""
        grants = self
        for access in accesses:
            if access.kind == "write":
                grants = replace(grants, writes=True)
            elif access.kind == "run":
                grants = replace(grants, commands=grants.commands | {access.target})
        return grants
