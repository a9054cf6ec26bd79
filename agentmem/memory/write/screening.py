"""Screening: what a claim is before anyone asks whose it is: unfit, a secret, a question, an order, a grant of power.

Patterns are a first layer only: they catch the plain cases early and say why. What holds is provenance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from agentmem.memory.write import power, statement, wording
from agentmem.memory.write.secrecy import secret

Kind = Literal["unfit", "secret", "question", "current", "override", "order", "authority"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a screen found in a claim, and what the person is told of it."""

    kind: Kind
    reason: str


# Longer quotations, and code: what stands in them is spoken of, not said.
_SPOKEN_OF = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<!\w)'[^']*(?:(?<=\w)'(?=\w)[^']*)*'(?!\w)")

_CURRENT = re.compile(
    r"\b(?:for now|right now|for the moment|at the moment|just this once|this time(?: only)?|temporarily|"
    r"(?:in|for|during) this (?:session|conversation|chat|turn|task|commit|pr|pull request|change|run)|"
    r"until (?:i|we) (?:am |are |have )?(?:finish|done|merge|finished|merged)\w*)\b",
    re.IGNORECASE,
)
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|overrule|discard|drop)\b.{0,40}\b(?:previous|prior|earlier|above|preceding|"
    r"existing|all|any|your|system|other)\b.{0,30}\b(?:instruction|prompt|rule|guideline|polic|context|direction|"
    r"message|command|safety|constraint)|"
    r"\b(?:ignore|disregard|forget) (?:\w+ ){0,3}(?:above|before)\b|"
    r"\byou are (?:now|no longer)\b|\b(?:new|updated|real|hidden) (?:system )?(?:prompt|instructions?)\b|"
    r"\b(?:reveal|print|show|repeat|output|leak|disclose|send)\b.{0,30}\b(?:system|developer|hidden|initial) "
    r"(?:prompt|message|instruction)|\b(?:developer|god|dan|jailbreak|unrestricted) mode\b|"
    r"\bdo anything now\b|<\/?(?:system|assistant|user|instructions?|im_start|tool)\b|\[/?inst\]|<\|[a-z_]+\|>|"
    r"^#{1,6} ?(?:system|instruction)",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\bfrom (?:now|this point|here|today) on(?:wards?)?\b|\bfrom now onwards?\b|\bgoing forward\b|\bhenceforth\b|"
    r"\b(?:for|in) (?:all|every|any) (?:future|later|new|subsequent) (?:session|conversation|chat|task|request|run)|"
    r"\b(?:remember|save|store|memori[sz]e|note)\b.{0,20}\b(?:rule|instruction|for (?:all|future|later))|"
    r"\b(?:always|whenever|each time|every time|before (?:every|each|any)|after (?:every|each|any)|first)\b.{0,60}\b(?:"
    r"send|forward|upload|post|e-?mail|transmit|exfiltrate|copy|curl|wget|fetch|execute|run|install|include|append|add|"
    r"reply|respond|answer|say|recommend|mention|bcc|cc|share|transfer|pay|delete|push|call|use|trust|download)\b|"
    r"\b(?:send|forward|upload|post|e-?mail|transmit|exfiltrate|curl|wget|bcc|share|report)\b.{0,80}"
    r"(?:https?:|www\.|ftp:|[\w.+-]+@[\w-]+\.\w|\b[\w-]+\.(?:com|net|org|io|test|example|dev|xyz|ru|cn)\b)|"
    r"\b(?:do not|don't|never|without) (?:tell|telling|inform|informing|mention|mentioning|alert|alerting|notify|"
    r"notifying|show|warn|ask|asking)\w* (?:this |it |that )?(?:to )?(?:the )?(?:user|person|human|anyone|operator)\b|"
    r"\b(?:the )?(?:assistant|agent|model|ai|you) (?:must|should|shall|has to|have to|will|is to|are to|need to)\b",
    re.IGNORECASE,
)
_WHO = r"\b(?:i|we|he|she|they|(?:the |this |current )?user|(?:the )?person|my account|requests? from me)"
_BE = r"(?:'m|'re|'s| am| is| are| have been| has been| was| were)?"
_YES = (
    r"(?:approvals?|permissions?|confirmations?|confirming|consent|authori[sz]ation|sign-?offs?|verification|2fa|mfa)"
)
_GUARD = rf"(?:{_YES}|reviews?|sandbox(?:ing)?|safety|security|guardrails?|asking|confirm)"
_TECHNICAL = (
    r"(?:rate|line|token|memory|size|time|character|context|word|length|file|cpu|disk|upload|request|speed|recursion|"
    r"depth|thread|connection|retry|page|batch|query|buffer|cache|heap|stack|message|log)"
)
# A limit or a rank of one's own; a power that is held; a safeguard that is waived; consent given for good.
_AUTHORITY = re.compile(
    rf"\b(?:my|(?:the |this )?user'?s|person'?s) (?:(?!{_TECHNICAL} )[\w'-]+ ){{0,4}}(?<!to )(?:limit|quota|allowance|"
    rf"cap|"
    r"ceiling|clearance|(?:access|permission|authori[sz]ation|security|trust) level)s?\b|"
    r"\b(?:my|our|(?:the )?user'?s) (?:[\w'-]+ ){0,3}(?:spending|refund|approval|transfer|expense|credit|purchase|"
    r"payment) "
    r"(?:limit|authority|power|cap|budget|line)s?\b|"
    r"\b(?:raise|increase|lift|remove|double|extend|waive)s? (?:\w+ ){0,3}(?:limit|quota|cap|restriction)s? "
    r"(?:for (?:me|us|my)|to \$?\d)|"
    rf"{_WHO}{_BE} (?:(?:now|also|actually|already|fully|the|a|an|your|one of|its|this|system|site|super|database|"
    rf"domain|"
    r"cluster|org|company|network|security|account|repo|project|global|verified|in|as|logged) ?){0,5}(?:admins?|"
    r"administrators?|root|sudoers?|superusers?|sysadmins?|operators?|moderators?|supervisors?|authori[sz]ed|"
    r"whitelisted|"
    r"allow-?listed|privileged|pre-?approved|exempt|owner of (?:this|the) (?:system|agent|account|server)|(?:developer|"
    r"creator|maker) of (?:this|the) (?:agent|assistant|model|tool)|entitled|allowed to|permitted to|cleared (?:for|"
    r"to)|"
    r"trusted)\b|"
    r"\b(?:treat|regard|consider|trust) (?:me|us|this user|the user|my \w+) (?:\w+ )?as (?:\w+ )?(?:admin|root|owner|"
    r"trusted|authori[sz]ed|privileged|superuser)|\b(?:grant|give) (?:me|us|the user) (?:\w+ ){0,3}(?:admin|root|sudo|"
    r"access|rights?|privileges?|permissions?)\b|"
    r"\bmy (?:role|rank|title|position|status|access) (?:is|=|:) (?:\w+ ){0,2}(?:admin|administrator|root|owner|"
    r"superuser|operator|moderator|supervisor|full|unrestricted)\b|"
    rf"{_WHO} (?:has|have|holds?|got|was given|was granted|were granted|is granted|am granted|get|gets) (?:\w+ ){{0,2}}"
    r"(?:admin|root|sudo|superuser|full|unrestricted|elevated|unlimited|write|owner|all) (?:access|rights|privileges?|"
    rf"permissions?|control|authority)\b|{_WHO} (?:may|can|could) (?:\w+ )?(?:approve|spend|authori[sz]e|refund|"
    rf"override|"
    r"bypass|grant)\b|"
    r"\b(?:skip|bypass|disable|waive|omit|turn off|suppress|never (?:ask|require|request|wait|prompt)|no need|"
    r"(?:don't|do not|needn't|need not|not) (?:need |have |necessary )?(?:to )?(?:ask|require|request|wait|prompt|seek|"
    r"get|check)|needs? no|requires? no|no longer (?:needs?|requires?|asks?)|exempt from|not subject to)\b.{0,50}\b"
    rf"{_GUARD}\b|{_WHO} (?:don't|do not|needn't|never)(?: need to| have to|) (?:confirm|ask|get permission|"
    rf"be asked)\b|"
    r"\b(?:auto-?(?:approv|accept|confirm|grant)|pre-?(?:approv|authori[sz])|always (?:approv|allow|grant|accept|"
    rf"permit|trust))\w*|\b{_GUARD} (?:is|are|was|were) (?:no longer|not|never) (?:needed|required|necessary)\b|"
    rf"\bno (?:\w+ )?{_GUARD} (?:is |are )?(?:needed|required|necessary)\b|"
    r"\b(?:all|any|every|my|our) (?:\w+ ){0,3}(?:is|are) (?:pre-?)?(?:approved|authori[sz]ed|allowed|trusted)\b",
    re.IGNORECASE,
)
_UNGUARDED = re.compile(
    r"\bwithout (?:\w+ ){0,3}(?:approvals?|permissions?|confirmations?|confirming|asking|consent|reviews?|"
    r"sign-?offs?)\b"
)
_FORBIDS = re.compile(r"\b(?:never|not|cannot|no|nothing|nobody|must ask|ask before|refuse)\b|n't\b", re.IGNORECASE)


def screen(text: str) -> Finding | None:
    """The weightiest thing that is found in a claim's text, None when it is plain."""
    if (fault := wording.fault(text)) is not None:
        return Finding("unfit", fault)
    line = wording.clean(text)
    bare = unquoted(line)
    return next((Finding(kind, _TOLD[kind]) for kind, seen in _SCREENS if seen(line, bare)), None)


def seizes(text: str) -> bool:
    """Whether a text grants power or gives an order over the rules; much less is looked for than in a claim."""
    line = wording.clean(text)
    bare = unquoted(line)
    return any(seen(line, bare) for kind, seen in _SCREENS if kind in ("override", "authority"))


def unquoted(line: str) -> str:
    """The text without its longer quotations and its code; the whole where nothing else is in it."""
    bare = _SPOKEN_OF.sub(lambda found: " … " if len(found[0].split()) > 2 else found[0], line)
    return bare if len(wording.words(bare)) > 1 else line


def overrides(bare: str) -> bool:
    """Whether a text, quotations aside, speaks to the agent against its instructions."""
    return _OVERRIDE.search(bare) is not None


def grants(bare: str) -> bool:
    """Whether a text, quotations aside, raises a limit, claims a rank, or waives an approval."""
    if _AUTHORITY.search(bare) or power.seized(bare):
        return True
    found = _UNGUARDED.search(bare)
    return found is not None and not _FORBIDS.search(bare[: found.start()])


_TOLD: Mapping[Kind, str] = {
    "secret": "it holds a secret; keep those in a password store and name only where they lie",
    "override": "it tells the agent to set its instructions aside",
    "authority": "it grants power on the word of whoever gains by it",
    "question": "it asks, and states nothing",
    "current": "it only matters for the task at hand",
    "order": "it is a standing order",
}
# The weightiest first; each looks at the whole line, or at it without what it quotes.
_SCREENS: tuple[tuple[Kind, Callable[[str, str], bool]], ...] = (
    ("secret", lambda line, bare: secret(line)),
    ("override", lambda line, bare: overrides(bare)),
    ("authority", lambda line, bare: grants(bare)),
    ("question", lambda line, bare: statement.asks(line)),
    ("current", lambda line, bare: _CURRENT.search(bare) is not None),
    ("order", lambda line, bare: _ORDER.search(bare) is not None),
)
