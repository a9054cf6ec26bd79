"""Believed: the files that hold what is believed, as they stand on disk, for who only reads them."""

from __future__ import annotations

from agentmem.memory.stores.ledger import records
from agentmem.memory.stores.semantic import bytes_of, read, text_bytes, text_of

__all__ = ["bytes_of", "read", "records", "text_bytes", "text_of"]
