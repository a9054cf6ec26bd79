"""Clause: a sentence as its words, and the places in it where a clause may begin, as far as its signs tell."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from agentmem.memory.write import wording

LONGEST = 400
"""Words of a sentence that are looked at; what is longer is a document, and no sentence."""

_CJK = "[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
# Signs that stand between words of scripts without blanks, as NFKC spells them.
_INNER = re.compile(f"(?<={_CJK})[,:;!?]|[,:;!?](?={_CJK})|[。、]")
_JOINS = frozenset({"and", "but", "&"})
_BECAUSE = frozenset({"because", "since"})
# Who is to behind "so": what follows may only be a wish, "so the tests pass"; "so slow" begins no clause.
_WHO = frozenset(["i", "we", "you", "it", "they", "he", "she", "the", "my", "our", "your"])
_PAST = frozenset({"was", "were"})  # wording lets them go, yet they tell what is from what was
_SHORT = tuple(
    (re.compile(rf"\b{short}(?![\w'])"), full)
    for short, full in (
        ("(?:can't|cannot)", "can not"),
        ("won't", "will not"),
        ("shan't", "shall not"),
        ("([a-z]+)n't", r"\1 not"),
        ("i'm", "i am"),
        ("we're", "we are"),
        ("(i|we)'ve", r"\1 have"),
        ("(i|we) have got", r"\1 have"),
        ("my name's", "my name is"),
        (r"(i|we)'d(?= (?:really )?(?:rather|like|prefer|love|want|hate)\b)", r"\1 would"),
    )
)
_CLOSING = "\"'`“”‘’*.!?…"


@dataclass(frozen=True, slots=True)
class Word:
    """A word, folded. `edge` tells what stands before it where a clause may begin: a comma (also for a dash and a
    semicolon), ``:``, ``(``, ``)``, ``&`` for a joining word, ``.`` for a "so" behind which may stand a mere wish, so
    that a clause only ends there; else it is empty. `glue` words say nothing by themselves."""

    text: str
    edge: str
    glue: bool


def words(text: str) -> list[Word]:
    """The words of a sentence, at most `LONGEST`; none of a longer one."""
    found: list[Word] = []
    edge = ""
    for raw in fold(text).split():
        edge = "(" if raw[0] in "([{" else edge
        if told := wording.bare(raw):
            if found and found[-1].text == "so" and told in _WHO:
                found[-1] = Word("so", ".", glue=True)
            joins = told in _JOINS
            at = "&" if joins else "," if told in _BECAUSE else edge
            found.append(Word(told, at, joins or (told in wording.GLUE and told not in _PAST)))
            edge = "&" if joins else _after(raw)
        elif set(raw) <= set("-–—,;:/|"):
            edge = ","
        if len(found) > LONGEST:
            return []
    return found


def content(text: str) -> list[str]:
    """`wording.words`, short forms written out: "don't" is "do" and "not"."""
    return wording.words(fold(text))


def fold(text: str) -> str:
    """The text as its words are compared, with short forms written out ("don't": "do not") and with blanks after the
    signs of scripts that have none."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    for short, full in _SHORT if "'" in folded or "cannot" in folded else ():
        folded = short.sub(full, folded)
    return folded if folded.isascii() else _INNER.sub(r"\g<0> ", folded)


def _after(raw: str) -> str:
    """The edge behind a word with its signs."""
    tail = raw.rstrip(_CLOSING)
    if tail.endswith((",", ";", "—", "–", "、", "。")) or raw.endswith((".", "!", "?", "…")):
        return ","
    return ":" if tail.endswith(":") else ")" if tail.endswith((")", "]", "}")) else ""
