"""Keyring: the keys of the person's own config by provider, and which of their names no provider bears."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentmem.model.provider import Provider, names, provider


def key_of(one: Provider, keys: Mapping[str, str]) -> str | None:
    """The provider's key, under its own name or another one that people use for it."""
    also = (key for name, key in keys.items() if provider(name) is one)
    return next((key.strip() for key in (keys.get(one.name, ""), *also) if key.strip()), None)


def strangers(held: Iterable[str]) -> tuple[str, ...]:
    """A notice for each name that neither a direct door nor litellm knows."""
    unknown = [name for name in held if provider(name) is None]
    if not unknown:
        return ()
    from difflib import get_close_matches

    told = []
    for name in (name for name in unknown if not _litellm_knows(name)):
        near = get_close_matches(name.lower(), names(), 1)
        told.append(
            f"config.yaml: `keys` has {name!r}, which is no provider{f'; did you mean {near[0]}?' if near else '.'}"
        )
    return tuple(told)


def _litellm_knows(name: str) -> bool:
    """Whether litellm has a folder for it; nothing of it runs."""
    from agentmem.model.pricelist import locate

    listed = locate()
    return (
        listed is not None
        and name.isidentifier()
        and any((listed.parent / "llms" / part).exists() for part in (name, f"{name}.py"))
    )
