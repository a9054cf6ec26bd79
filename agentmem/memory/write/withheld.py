"""Withheld: what stands for words that are kept from every later reader: they can be recognised, and not read."""

from __future__ import annotations

from pathlib import Path

from agentmem.memory.stores import seal
from agentmem.memory.write import wording

_DIGITS = 16


def mark(text: str, home: Path) -> str:
    """16 hex digits of the claim's HMAC under the person's own key: claims of the same words have the same mark."""
    import hashlib  # loads OpenSSL, which nothing needs before the first refusal
    import hmac

    words = " ".join(wording.words(text)) or text
    return hmac.new(seal.key(home), words.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:_DIGITS]


def note(mark: str | None, reason: str) -> str:
    """What stands in the place of withheld words: ``[withheld 3f2a…: it holds a secret]``."""
    return f"[withheld {mark}: {reason}]" if mark else f"[withheld: {reason}]"
