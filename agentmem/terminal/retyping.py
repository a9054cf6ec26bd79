"""Retyping: one line of text put before the person to be changed."""

from __future__ import annotations


def retyped(label: str, text: str) -> str | None:
    """The line as the person left it; None when they went away (Ctrl-C, Ctrl-D) or emptied it."""
    from prompt_toolkit import prompt

    try:
        return prompt(label, default=" ".join(text.split())).strip() or None
    except (EOFError, KeyboardInterrupt):
        return None
