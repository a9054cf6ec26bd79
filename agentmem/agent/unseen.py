"""Unseen: a request that failed over an image is made again without its images, so that no image ends a session."""

from __future__ import annotations

import re

from agentmem.agent.agent import Agent
from agentmem.domain.begun import Notice
from agentmem.memory.memory import sight
from agentmem.model.door import Failure, ModelError

_WORDS = re.compile(r"\bimages?\b|image_url|media_type|\bvision\b|mmproj|multi-?modal", re.IGNORECASE)
_ELSEWHERE: frozenset[Failure] = frozenset({"refused_key", "rate_limit", "network", "dropped", "dry"})
_TOO_MANY_BYTES = 413
_TOLD = 3


def without_images(agent: Agent, failure: ModelError) -> Notice | None:
    """What to tell the person before the request is made again; None where its images are not what failed. Records that
    they are left out from here on. Raises `LogWriteError`."""
    if failure.failure in _ELSEWHERE or not (failure.status == _TOO_MANY_BYTES or _WORDS.search(str(failure))):
        return None
    found = sight.images(agent.session.prompt(agent.max_output).messages)
    if not found:
        return None
    names = dict.fromkeys(map(sight.named, found))
    agent.session.record_unseen(tuple(names), str(failure))
    shown = "; ".join(sight.told(image) for image in found[:_TOLD])
    more = f" and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
    what = f"{shown}{more}"
    return Notice("warning", f"the request failed with its images ({what}); it goes on without them: {failure}")
