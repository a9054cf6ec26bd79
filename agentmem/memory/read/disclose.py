"""Disclose: a skill's body as the model gets it, its arguments set in, and how much room there is for bodies.

What the body names (references, scripts) the model reads when the body asks for it; the folder is told with it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from agentmem.domain.entry import Entry
from agentmem.domain.skill import Disclosed, Skill
from agentmem.memory.read import fence, invoked
from agentmem.memory.read.manifest import Section
from agentmem.memory.stores import skillfile

SHARE = 0.2
"""Of the window, what the profile and the bodies of skills may fill together."""
MOST = 25_000
"""Tokens that they may fill of the widest window."""
_BYTES_A_TOKEN = 4

_PLACE = re.compile(r"\$ARGUMENTS\[(\d{1,2})\]|\$ARGUMENTS\b|\$([1-9])(?!\d|[.,]\d)|\$\{CLAUDE_SKILL_DIR\}|\{baseDir\}")


def disclosed(skill: Skill, arguments: str = "", rule: str = "asked", by: str = "") -> Disclosed:
    """The body of a skill, read now. Raises `NoSkill` when it is no skill any more."""
    from hashlib import sha256

    sheet = skillfile.read_skill(skill.path, skill.level)
    folder = os.path.dirname(skill.path)
    text = with_arguments(sheet.body, arguments, folder) or "(It has no body: its description is all there is.)"
    body = fence.block(fence.SKILL, text, name=skill.id, why=rule, folder=folder)
    return Disclosed(skill.id, skill.path, sha256(sheet.data).hexdigest(), body, rule, by)


def with_arguments(body: str, arguments: str, folder: str) -> str:
    """A body with what was written behind its name in place of ``$ARGUMENTS``, ``$1`` to ``$9`` and ``$ARGUMENTS[0]``
    on; a body that has no place for it gets it at its end. ``{baseDir}`` is the skill's folder."""
    words = _words(arguments)
    used = False

    def fill(found: re.Match[str]) -> str:
        nonlocal used
        if found[0] in ("${CLAUDE_SKILL_DIR}", "{baseDir}"):
            return folder
        used = True
        if found[1] is None and found[2] is None:
            return arguments
        place = int(found[1]) if found[1] is not None else int(found[2]) - 1
        return words[place] if place < len(words) else ""

    # A price such as $1 is no place for an argument that nobody gave.
    text = _PLACE.sub(lambda found: fill(found) if arguments or not found[2] else found[0], body)
    return text if used or not arguments.strip() else f"{text}\n\nARGUMENTS: {arguments}".strip()


def _words(arguments: str) -> list[str]:
    import shlex

    try:
        return shlex.split(arguments)
    except ValueError:  # a quotation that is not closed
        return arguments.split()


def room(window: int, sections: Iterable[Section], branch: Iterable[Entry]) -> int:
    """Tokens left for bodies: of a window of tokens, less the profile's and those of the bodies on the branch."""
    profile = sum(tokens(section.text) for section in sections if section.kind == "profile")
    taken = sum(tokens(invoked.body_of(entry)) for entry in branch)
    return max(min(int(window * SHARE), MOST) - profile - taken, 0)


def tokens(text: str) -> int:
    """What a text takes, near enough."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)


def cut(given: Disclosed, left: int) -> Disclosed:
    """A body cut to so many tokens, at least 250; the model is told where the rest lies."""
    from dataclasses import replace

    data = given.body.encode("utf-8", "replace")
    most = max(left, 250) * _BYTES_A_TOKEN
    if len(data) <= most:
        return given
    tail = f"\n[the rest has no room here: read {fence.escaped(given.path)}]\n</{fence.SKILL}>"
    return replace(given, body=data[: most - len(tail.encode())].decode("utf-8", "ignore") + tail)
