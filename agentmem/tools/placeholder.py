"""Placeholder: a line such as `# ... rest unchanged` that stands for code a model left out."""

from __future__ import annotations

import re

_COMMENT = r"(?:#+|//+|/\*+|<!--|--|;+|%+|\*|\{/\*|\"\"\"|'''|rem\b)"
_LEFT_OUT = (
    r"(?:rest|remain|existing|unchanged|unmodified|same|previous|other|omitted|as before|as above|keep|stays?|code)"
)
# `# ... rest unchanged`, `// existing code ...`, `[... omitted ...]`; but not a spread such as `[...other, x]`
_DOTTED = re.compile(
    rf"^(?:{_COMMENT}\W*(?:\.\.\.|…).*\b{_LEFT_OUT}"
    rf"|{_COMMENT}\s*\(?(?:the\s+)?(?:rest|remain\w*|existing|unchanged|omitted)\b.*(?:\.\.\.|…)\W*$"
    rf"|[(\[{{<]\s*(?:\.\.\.|…)\s.*\b{_LEFT_OUT}"
    rf"|[(\[<](?:rest|remainder)\s+of\b.*(?:\.\.\.|…|unchanged)\W*$)",
    re.IGNORECASE,
)
# `# rest of the function unchanged`, `// existing code here`, `/* unchanged */`, without dots
_PLAIN = re.compile(
    rf"^{_COMMENT}\s*\(?(?:the\s+)?(?:(?:rest|remainder)\s+of\b.{{0,60}}\b(?:unchanged|same|as before|here|omitted)\b|"
    r"(?:existing|remaining|previous|unchanged|same)\s+(?:code|implementation|methods?|functions?|content|lines?|logic)"
    r"(?:\s+(?:here|unchanged|as before|omitted|stays?|goes here|remains?))?|unchanged|same as before|omitted)"
    r"[\s.…*/>)-]*$",
    re.IGNORECASE,
)
_LINE_MOST = 300  # characters; no placeholder is longer


def placeholder(new: str, old: str) -> str | None:
    """The first line of `new` that only stands for left-out text and is not in `old`; None when there is none."""
    held = {line.strip() for line in old.split("\n")}
    for line in new.split("\n"):
        bare = line.strip()
        if len(bare) <= _LINE_MOST and bare not in held and (_DOTTED.match(bare) or _PLAIN.match(bare)):
            return bare
    return None
