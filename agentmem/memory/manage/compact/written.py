"""Written: what a model wrote of a span, and whether it may be used at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agentmem.domain.message import Reply
from agentmem.memory.manage.compact.invented import invented, without
from agentmem.memory.manage.compact.receipt import Ground, tokens_of
from agentmem.memory.read.identifiers import stands

_THOUGHT = re.compile(r"\A\s*<(think|thinking|analysis)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# Scripts without blanks between words are compared by two letters.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_UNSPACED}]{{2}}|[^\W\d_{_UNSPACED}]{{5,}}")
_FEW = 3


@dataclass(frozen=True, slots=True)
class Written:
    """A text that may be used: its `text`, without the `invented` identifiers it held; or "" and the `fault`."""

    text: str
    fault: str = ""
    invented: tuple[str, ...] = ()


def check(reply: Reply, of: Ground, most: int, known: Sequence[str] = ()) -> Written:
    """Look at a reply: what is empty, grown, about nothing or made up is no summary. It may have at most `most` tokens;
    `known` are texts whose identifiers it may name beside those of the span."""
    if reply.stop == "refusal":
        return Written("", "the model refused to write it")
    text = _THOUGHT.sub("", reply.text).strip()
    if not text:
        return Written("", "the reply was empty" if not reply.parts else "the reply held no text")
    if reply.stop == "length":
        text = text.rpartition("\n")[0].rstrip() or text
    if tokens_of(text) >= of.before or tokens_of(text) > most:
        allowed = min(most, of.before - 1)
        return Written("", f"it is too long: about {tokens_of(text)} tokens, where {allowed} are allowed")
    clean = text
    out: tuple[str, ...] = ()
    while made_up := invented(clean, of.salient.source, *known):
        clean, out = without(clean, made_up).strip(), (*out, *made_up)
    if len(clean) < len(text) / 2:
        return Written("", "most of it names what is not in the record")
    about = _about(clean, of)
    return Written(clean, "", out) if about else Written("", "it names nothing of what was said or done")


def _about(text: str, of: Ground) -> bool:
    """Whether a text is about the span: it names something of it, or, of a span that names little, shares its words."""
    names = [one for one in (*of.salient.every, *of.salient.rest) if len(one.text) > 3]
    if len(names) >= _FEW:
        return any(stands(one.text, text, whole=False) for one in names)
    words = set(_WORD.findall(text.casefold()))
    source = of.salient.source.casefold()
    return sum(word in source for word in words) >= min(_FEW, max(1, len(set(_WORD.findall(source)))))
