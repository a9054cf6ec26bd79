"""Passing: what ties a sentence to the moment: a thing pointed at, one of what was offered, this hour, this turn."""

from __future__ import annotations

import re

HERE = r"(?:project|repo|repository|codebase|code base|monorepo|team|service|app|api|package|library|company)"
_CHOICE = r"option|alternative|variant|choice|suggestion|proposal|approach|solution|answer|plan|version|candidate"
_POINTS = re.compile(
    # a thing that is pointed at
    rf"\bthis(?! {HERE}\b)|\bthese(?! days)|\bthose\b|\bthat (?:one|way|part|bit|line|{_CHOICE})s?\b|"
    r"\b(?:in|to|with|of|for|from|like|on|at|than) that\b|\b(?:that|too)(?=[.,!]*$)|"
    r"\b(?:which|either|same|another) one\b|\bthe same\b|\b(?:here|there|above|below|attached|as follows|following|"
    r"as such)\b|^(?:that|which)\b|"
    # one of several, by its place or its number
    r"\bthe (?:first|second|third|fourth|fifth|last|latter|former|other|next|previous|current|simpler|shorter|longer|"
    r"better|newer|older|left|right|top|bottom)\b|"
    rf"\b(?:{_CHOICE}|step|lines?|item|number|no\.|example) #?(?:\d+(?!\.\d)|[a-h]|one|two|three|four|i{{1,3}})\b|"
    rf"(?<!\w)#\d+|\byour (?:\w+ )?(?:idea|fix|change|first|second|last|{_CHOICE})s?\b|"
    # a word whose meaning was said elsewhere
    r"\b(?:it|its|him|her|(?<!/)them|his|hers|they(?!/)|he|she|their)\b|"
    # this hour
    r"\b(?:today|tonight|tomorrow|yesterday|right now|just now|currently|at the moment|for now|so far|lately|soon|"
    r"in (?:an?|one|two|five|ten|\d+|a few) (?:minutes?|moments?|seconds?|bit|sec|while|hours?|days?)|"
    r"(?:next|coming) (?:week|month|sprint|time))\b|"
    # this turn
    r"\blet'?s\b|\b(?:help|show) me (?!the\b|all\b|a diff)|"
    r"\bplease (?:fix|help|check|look|explain|show|tell|write|add|make|run|change)\b",
    re.IGNORECASE,
)
_DOING = r"see|hear|look|take|have|know|do|be|start|stop|begin|continue|finish|wait|talk|discuss|go(?! with)"
_FARES = re.compile(
    r"(?:\b(?:am|is|are)|'m|'re) (?:now |still |also |really |just )*(?!string\b|going with\b)[a-z]{2,}ing\b|"
    r"\bkeeps? [a-z]+ing\b|(?<!every )(?<!each )\bon (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|"
    r"\b(?:already|yet|later|meanwhile|until|till|as long as|an error|trying|wish|you)\b|"
    r"\b(?:follow|use|keep|target|support) (?:your|my)\b|\bsupport the (?:idea|plan|change)\b|"
    rf"\b(?:want|need|like|love|prefer|try|hate)s? (?:for )?(?:me |us )?to (?:{_DOING})\b|\b(?:want|need) to\b|"
    r"\b(?:would|'d) like to\b|"
    rf"\b(?:decided|agreed) to (?:{_DOING}|postpone|meet|disagree|skip|pause|cancel|delay|leave|revisit)\b|"
    r"\b(?:first|instead|both)(?=[.,!]*$)|\b(?:first|then) (?:fix|do|look|check|start|continue|go|move|finish)\b|"
    r"\b(?:too|so) (?:much|many|long|slow)",
    re.IGNORECASE,
)


def points(text: str) -> bool:
    """Whether a sentence points at something of this talk, this hour or this turn, whatever else it says."""
    return _POINTS.search(text) is not None


def fares(text: str) -> bool:
    """Whether it says how something fares, or what is to come of this turn. In an order that is a condition ("never
    push while CI is running"), anywhere else it passes ("our CI is running")."""
    return _FARES.search(text) is not None
