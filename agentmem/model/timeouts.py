"""Timeouts: how long each phase of one request may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. `connect` covers name lookup, connecting, proxy and TLS together; `first_byte` runs from the last byte
    sent to the first one answered (a local model reads a long prompt for minutes); `idle` lies between two chunks."""

    connect: float = 10.0
    first_byte: float = 300.0
    idle: float = 120.0
