"""Lasting: whether a sentence says what is to hold beyond the task at hand, told by its form.

A wish, a rule, a decision, or what something is lasts: "we deploy from main", "never touch migrations/", "my shell is
fish". What something is doing or how it fares just now, a choice among what was offered, and a request for this turn
do not: "my test is failing", "I prefer option 2", "always happy to help". Where the form leaves it open the sentence is
not taken: what is missed can be said with `remember`, what is kept wrongly would be believed.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE
_HERE = r"(?:project|repo|repository|codebase|code base|monorepo|team|service|app|api|package|library|company)"

# --- The forms of what lasts.

_PLACE = re.compile(
    rf"(?:in (?:this|the|our) {_HERE}|by default|by convention|as a rule|in general|from now on),? +", _I
)
_BIDS = re.compile(
    r"(?:use|run|keep|put|write|name|format|prefer|avoid|commit|answer|reply|don't|do not|all|every|each|no)\b", _I
)
_ORDER = re.compile(
    r"(?P<who>(?:we|i) )?(?:\w+ly )?(?:always|never)(?: ever| \w+ly)* (?P<verb>[\w'-]+)(?P<in> into\b)?", _I
)
# What follows "always" or "never" and is no bare verb: nothing is bidden.
_NO_VERB = re.compile(
    r"\w+ing|\w+(?<!e)ed|\w+[^su]s|mind|again|an?|the|on|in|at|of|for|with|from|been|was|were|is|are|am|had|has|saw|seen|"
    r"heard|knew|thought|got|went|came|did|said|told|felt|found|gave|made|took|ran|wrote|broke|chose|kept|left|meant|"
    r"sent|began|became|bought|built|lost|met|forgot|such|so|too|more|less|here|there|happy|glad|good|great|nice|fun|"
    r"one|my|our|your|their|his|her|this|that|these|those|welcome|ready|busy|curious|better|worse|wrong|right|true|"
    r"false|hard|easy|red|green|slow|enough|down|up|out|same|worth|room|something|nothing|possible|sure|me|you|us|i|we|"
    r"he|she|they|it",
    _I,
)
_VERB = frozenset(("bring", "ping", "string", "embed", "shed", "wed", "shred", "bias", "alias", "canvas"))
# What befalls someone, said of oneself, is no rule: "I always forget the flag".
_BEFALLS = re.compile(
    r"forget|get|see|have|end|wonder|know|understand|think|struggle|hit|lose|feel|need|want|hear|find", _I
)
_NAMED = re.compile(
    r"call me (?!(?:later|back|when|if|crazy|maybe|at|on|once|after|the|an?|tomorrow|out|up|old)\b)[\w.-]+"
    r"(?: [A-Z]\w*)?(?:,? please)?[.!]*",
    _I,
)
_WISH = re.compile(
    r"(?:i|we)(?P<would>'d| would)?(?: really| strongly| much| generally| usually| always)* (?:(?P<verb>prefer|hate|"
    r"dislike|love)|like(?= code| tabs| spaces| short| concise| answers| (?:my|our|your) \w+ \w+)) (?P<what>.+)",
    _I,
)
# A thing that is named as known, or no thing at all: what is liked stands in the talk, or is a mood.
_NO_TASTE = re.compile(
    r"(?:the|that|you|your (?:idea|plan)|so|very|not|too|how|what|when|where|why|if|both|either|neither|all|none|to "
    r"(?:see|hear|look|take|have|know|do|be|start|stop|continue|finish|wait|talk|go)|i|we|it|[a-h]|#?\d+)"
    r"(?=$|[.,!]| (?!spaces?\b|char|col))|(?:\w+ ){0,3}(?:option|approach|variant|version|solution|one|ones)\b",
    _I,
)
_OFTEN = r"(?: now| always| never| only| generally| usually| mostly| both| all| also| don't| do not| strictly)*"
_HAVE = r"(?: have|'ve)?(?: just| now| finally| all)?"
_TELLS = (
    re.compile(
        rf"(?:we|i){_OFTEN} (?:use|require|avoid|deploy|follow|target|support|keep|name|format|run (?:on|our)|"
        r"host|store|release|ship|build with|write|test with|lint with|rely on|stick to)\b",
        _I,
    ),
    re.compile(
        rf"we{_HAVE} (?:decided|agreed|settled on|standardi[sz]ed on|adopted|chose|chosen|went with|"
        r"(?:switched|migrated|moved)(?: over)?(?: \w+)? (?:to|from|away|off))\b|we(?:'re| are) going with\b|"
        rf"i{_HAVE} (?:(?:decided|agreed) to (?:use|keep|go with|stick|stay|adopt|move to|switch|always|never|support|"
        r"drop|store|name|write|host|deploy)|settled on|standardi[sz]ed on|adopted)\b",
        _I,
    ),
    re.compile(
        rf"(?:the|this|our) {_HERE} (?:\w+ )?(?:uses?|runs? (?:on|in|under|with)|requires?|targets?|follows?|supports?|"
        r"deploys?|is written|is licensed)\b|our (?:\w+ ){1,4}(?:uses?|(?:live|run)s? (?:on|in|under|with|at|only))\b",
        _I,
    ),
)
_IS = re.compile(r"(?:my|our) (?P<thing>(?:[\w./-]+ ){0,4}?[\w./-]+) (?:is|are)(?: always)? (?P<value>.+)", _I)
# What is called so keeps its value from one task to the next.
_ATTRIBUTE = re.compile(
    r"\b(?:name|nickname|pronoun|time ?zone|birthday|e-?mail|address|editor|ide|shell|terminal|keyboard|layout|language"
    r"|locale|role|job|title|company|employer|city|country|os|system|laptop|machine|database|db|stack|framework|branch|"
    r"ci|linter|formatter|runner|manager|registry|host|hosting|provider|cloud|region|domain|port|licen[sc]e|version|"
    r"convention|policy|rule|style|guide|indentation|length|width|default|standard|schema|api|backend|frontend|tracker|"
    r"cadence|target|prefix|suffix|format|encoding|favou?rite|preference|library|tool|font|theme)e?s?$",
    _I,
)
# What comes and goes with a task, whatever is said of it, by its last word or by what it is called beside it.
_OF_TASK = re.compile(
    r"\b(?:tests?|builds?|bugs?|errors?|issues?|problems?|questions?|tasks?|tickets?|prs?|requests?|changes?|code|"
    r"functions?|scripts?|goals?|plans?|ideas?|guess|steps?|point|worry|concern|attempt|turn|feeling|impression|mistake|bad|fault|"
    r"fix|patch|commit|pipeline|deploy|release|run|(?<!default )(?<!main )(?<!release )(?<!stable )branch|meeting|"
    r"flight|order|hike|trip)$|\b(?:old|former|previous|last|next|current|first|second|other|new|latest)\b",
    _I,
)
_VALUE = re.compile(
    r"[`\"'“]|\d|[A-Z]|[\w+-]*[._/@:\d][\w./@:+-]*\w|(?:an?|the) (?!bit|lot|mess|pain|problem|bug|joke|same)\w|"
    r"(?:called|named|written|hosted|based|pinned|versioned|licensed|generated|located|managed|configured|maintained|"
    r"owned|tagged|released|formatted|served|published|mirrored|deployed|built|defined|documented) \w+ [\w`\"'/.]|"
    r"(?:in|on|under|at) (?:[`\"'“]|[A-Z]|[\w-]*[./_\d][\w./-]*)"
)
# How something fares, and what leads to no value.
_STATE = re.compile(
    r"(?!string)[a-z]+ing\b|(?:not|so|too|very|really|pretty|quite|still|now|just|all|again|back|down|up|off|out|over|"
    r"here|there|gone|done|ready|red|green|broken|stuck|slow|fast|fine|ok|okay|good|bad|great|wrong|right|missing|late|"
    r"early|behind|ahead|dead|weird|odd|strange|strong|sad|sick|expected|supposed|about|to|what|how|why|that|because|"
    r"more|less|better|worse|different|almost|nearly|also|only|never|clean|frozen|hidden|like|awesome|offline|online|"
    r"full|long|short|big|small|huge|old|new|hot|cold|unclear|unknown|for|by|with|from|of|in|on|at|under|my|our|your)\b|"
    r"(?!(?:dai|week|month|quarter|year|hour|night)ly)[a-z]+(?:y|able|ible|ed|ful|less|ous|ive|al|ent|ant)\b"
)

# --- What ties a sentence to the moment.

_CHOICE = r"option|alternative|variant|choice|suggestion|proposal|approach|solution|answer|plan|version|candidate"
_POINTS = re.compile(
    # a thing that is pointed at
    rf"\bthis(?! {_HERE}\b)|\bthese(?! days)|\bthose\b|\bthat (?:one|way|part|bit|line|{_CHOICE})s?\b|"
    r"\b(?:in|to|with|of|for|from|like|on|at|than) that\b|\b(?:that|too)(?=[.,!]*$)|"
    r"\b(?:which|either|same|another) one\b|\bthe same\b|\b(?:here|there|above|below|attached|as follows|following|"
    r"as such)\b|^(?:that|which|here|there)\b|"
    # one of several, by its place or its number
    r"\bthe (?:first|second|third|fourth|fifth|last|latter|former|other|next|previous|current|simpler|shorter|longer"
    r"|better|newer|older|left|right|top|bottom)\b|"
    rf"\b(?:{_CHOICE}|step|lines?|item|number|no\.|example) #?(?:\d+(?!\.\d)|[a-h]|one|two|three|four|i{{1,3}})\b|"
    rf"(?<!\w)#\d+|\byour (?:\w+ )?(?:idea|fix|change|first|second|last|{_CHOICE})s?\b|"
    # a word whose meaning was said elsewhere
    r"\b(?:it|its|him|her|them|his|hers|they|he|she|their)\b|"
    # this hour
    r"\b(?:today|tonight|tomorrow|yesterday|right now|just now|currently|at the moment|for now|so far|lately|soon|"
    r"in a (?:minute|moment|second|bit|sec|while)|(?:next|coming) (?:week|month|sprint|time))\b|"
    # this turn
    r"\blet'?s\b|\b(?:help|show) me (?!the\b|all\b|a diff)|\bplease (?:fix|help|check|look|explain|show|tell|write|add|"
    r"make|run|change)\b",
    _I,
)
# The same for what is no order: "never push while CI is running" is a rule, "our CI is running" is none.
_FARES = re.compile(
    r"(?:\b(?:am|is|are)|'m|'re) (?:now |still |also |really |just )*(?!string\b|going with\b)[a-z]{2,}ing\b|"
    r"\bkeeps? [a-z]+ing\b|(?<!every )(?<!each )\bon (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|"
    r"\b(?:already|yet|later|meanwhile|until|till|as long as|error|trying|wish|you)\b|"
    r"\b(?:want|need|like|love|prefer|try|hate)s? (?:for )?(?:me |us )?to (?:see|hear|look|take|have|know|do|be|start|"
    r"stop|continue|finish|wait|talk|go)\b|\b(?:want|need) to\b|\b(?:would|'d) like to\b|"
    r"\b(?:first|instead)(?=[.,!]*$)|\b(?:first|then) (?:fix|do|look|check|start|continue|go|move|finish)\b",
    _I,
)


def lasting(sentence: str) -> bool:
    """Whether a sentence says, by its form, what is to hold beyond the task at hand."""
    text = sentence.replace("’", "'").rstrip(" ;.")
    place = _PLACE.match(text)
    rest = text[place.end() :] if place else text
    if _POINTS.search(text):
        return False
    if _orders(rest):
        return True
    if _FARES.search(text):
        return False
    if place and (_BIDS.match(rest) or not place[0].lower().startswith("in ")):
        return True
    return _wishes(rest) or _describes(rest) or any(form.match(rest) for form in _TELLS)


def _orders(text: str) -> bool:
    """A standing order or habit, "always" or "never" and a bare verb; or what to be called."""
    found = _ORDER.match(text)
    if found is None:
        return _NAMED.fullmatch(text) is not None
    word = found["verb"].lower()
    if found["who"] and (_BEFALLS.fullmatch(word) or found["in"]):
        return False
    return word in _VERB or _NO_VERB.fullmatch(word) is None


def _wishes(text: str) -> bool:
    """What one likes; a liking that is cried out, or a wish to be granted now, is a mood."""
    found = _WISH.match(text)
    if found is None or _NO_TASTE.match(found["what"]):
        return False
    return found["verb"] in (None, "prefer", "Prefer") or not (text.endswith("!") or found["would"])


def _describes(text: str) -> bool:
    """What something of one's own is: not how it fares."""
    found = _IS.match(text)
    if found is None or _OF_TASK.search(found["thing"]):
        return False
    if _VALUE.match(found["value"]):
        return True
    return _ATTRIBUTE.search(found["thing"]) is not None and _STATE.match(found["value"]) is None
