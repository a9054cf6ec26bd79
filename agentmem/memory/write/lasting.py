"""Lasting: whether a sentence says what is to hold beyond the task at hand, told by its form.

A wish, a rule, a decision, or what something is lasts: "we deploy from main", "never touch migrations/", "my shell is
fish". What something is doing or how it fares just now, a choice among what was offered, and a request for this turn
do not: "my test is failing", "I prefer option 2", "always happy to help". Where the form leaves it open the sentence is
not taken: what is missed can be said with `remember`, what is kept wrongly would be believed.
"""

from __future__ import annotations

import re

from agentmem.memory.write.attribute import is_kept
from agentmem.memory.write.bidding import bids
from agentmem.memory.write.passing import HERE, fares, points

_PLACE = re.compile(
    rf"(?:in (?:this|the|our) {HERE}|by default|in general|(?P<rule>by convention|as a rule|from now on)),? +",
    re.IGNORECASE,
)
_SETS = re.compile(
    r"(?:use|run|keep|put|write|name|format|prefer|avoid|commit|answer|reply|don't|do not|all|every|each|no)\b",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"(?:i|we)(?P<would>'d| would)?(?: really| strongly| much| generally| usually| always)* (?:(?P<mood>hate|dislike|"
    r"love)|prefer|like(?= code| tabs| spaces| short| concise| answers| (?:my|our|your) \w+ \w+)) (?P<what>.+)",
    re.IGNORECASE,
)
# A thing that is named as known, or no thing at all: what is liked stands in the talk, or is a mood.
_NO_TASTE = re.compile(
    r"(?:the|that|you|so|very|not|too|how|what|when|where|why|if|both|either|neither|all|none|yours|mine|theirs|"
    r"whatever|i|we|it|"
    r"(?:wait|do|see|go|look|start|stopp|leav|hav|tak|try|continu|finish)ing|[a-h]|#?\d+)"
    r"(?=$|[.,!]| (?!spaces?\b|char|col))|"
    r"(?:\w+ ){0,3}(?:option|approach|variant|version|solution|one|ones)\b",
    re.IGNORECASE,
)
_OFTEN = r"(?: now| always| never| only| generally| usually| mostly| both| all| also| don't| do not| strictly)*"
_HAVE = r"(?: have|'ve)?(?: just| now| finally| all)?"
_TELLS = (
    # what one does as a rule
    re.compile(
        rf"(?:we|i){_OFTEN} (?:use|require|avoid|deploy|follow|target|support|keep|name|format|run (?:on|our)|host|"
        r"store|release|ship|build with|write|test with|lint with|rely on|stick to)\b",
        re.IGNORECASE,
    ),
    # what was decided
    re.compile(
        rf"we{_HAVE} (?:decided|agreed|settled on|standardi[sz]ed on|adopted|chose|chosen|went with|"
        r"(?:switched|migrated|moved)(?: over)?(?: \w+)? (?:to|from|away|off))\b|we(?:'re| are) going with\b|"
        rf"i{_HAVE} (?:(?:decided|agreed) to (?:use|keep|go with|stick|stay|adopt|move to|switch|always|never|support|"
        r"drop|store|name|write|host|deploy)|settled on|standardi[sz]ed on|adopted)\b",
        re.IGNORECASE,
    ),
    # what a project does
    re.compile(
        rf"(?:the|this|our) {HERE} (?:\w+ )?(?:uses?|runs? (?:on|in|under|with)|requires?|targets?|follows?|supports?|"
        r"deploys?|is written|is licensed)\b|our (?:\w+ ){1,4}(?:uses?|(?:live|run)s? (?:on|in|under|with|at|only))\b",
        re.IGNORECASE,
    ),
)


def lasting(sentence: str) -> bool:
    """Whether a sentence says, by its form, what is to hold beyond the task at hand."""
    text = sentence.replace("’", "'").rstrip(" ;.")
    place = _PLACE.match(text)
    rest = text[place.end() :] if place else text
    if points(text):
        return False
    if bids(rest):
        return True
    if fares(text):
        return False
    if place and (place["rule"] or _SETS.match(rest)):
        return True
    return _wishes(rest) or is_kept(rest) or any(form.match(rest) for form in _TELLS)


def _wishes(text: str) -> bool:
    """What one likes; a liking that is cried out, or is for something to come, is a mood."""
    found = _WISH.match(text)
    if found is None or _NO_TASTE.match(found["what"]):
        return False
    return not (found["mood"] and (found["would"] or text.endswith("!")))
