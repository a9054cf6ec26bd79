"""Attribute: what something of one's own is ("my shell is fish"), told from how it fares ("my laptop is slow").

What is named by its place in a setup keeps its value from task to task; so does what is given a name, a place or a
figure of identity. What comes and goes with a task has no lasting value, and an adjective tells a state.
"""

from __future__ import annotations

import re

_IS = re.compile(
    r"(?:my|our) (?P<thing>(?:[\w./-]+ ){0,4}?[\w./-]+) (?:is|are)(?: always)? (?P<value>.+)", re.IGNORECASE
)
_KEPT = re.compile(
    r"\b(?:name|nickname|pronoun|time ?zone|birthday|e-?mail|address|editor|ide|shell|terminal|keyboard|layout|language"
    r"|locale|role|job|title|company|employer|city|country|os|system|laptop|machine|database|db|stack|framework|branch|"
    r"ci|linter|formatter|runner|manager|registry|host|hosting|provider|cloud|region|domain|port|licen[sc]e|version|"
    r"convention|policy|rule|style|guide|indentation|length|width|default|standard|schema|api|backend|frontend|tracker|"
    r"cadence|target|prefix|suffix|format|encoding|favou?rite|preference|library|tool|font|theme|timeout|interval|"
    r"threshold|size|retention|hours)e?s?$",
    re.IGNORECASE,
)
_OF_TASK = re.compile(
    r"\b(?:tests?|builds?|bugs?|errors?|issues?|problems?|questions?|tasks?|ticket|deadline|demo|hunch|part|prs?|requests?|changes?|code|"
    r"functions?|scripts?|goals?|plans?|ideas?|guess|steps?|point|worry|concern|attempt|turn|feeling|impression|mistake|"
    r"bad|fault|fix|patch|commit|pipeline|deploy|release|run|(?<!default )(?<!main )(?<!release )(?<!stable )branch|"
    r"meeting|flight|order|hike|trip|files?|class|method|variable|query|command|cursor|screen|window|output|diff|process|"
    r"response|input|data|results?|usage|coverage|load)$|"
    r"\b(?:old|former|previous|last|next|current|first|second|other|new|latest)\b",
    re.IGNORECASE,
)
_READING = re.compile(r"\d ?%|\b(?:full|now|left|old|again)$", re.IGNORECASE)
_MADE = (
    r"called|named|written|hosted|based|pinned|versioned|licensed|generated|located|managed|configured|maintained|owned|"
    r"tagged|released|formatted|served|published|mirrored|deployed|built|defined|documented"
)
_VALUE = re.compile(
    r"[`\"'“]|[A-Z]|\w[\w+-]*[._/@:\d][\w./@:+-]*\w|(?:an?|the) (?!bit|lot|mess|pain|problem|bug|joke|same|jerk)\w|"
    rf"(?:{_MADE}) \w+ [\w`\"'/.]|(?:in|on|under|at) (?:[`\"'“]|[A-Z]|[\w-]*[./_\d][\w./-]*)"
)
# How something fares, and what leads to no value.
_STATE = re.compile(
    r"(?!string)[a-z]+ing\b|(?:not|so|too|very|really|pretty|quite|still|now|just|all|again|back|down|up|off|out|over|"
    r"here|there|gone|done|ready|red|green|broken|stuck|slow|fast|fine|ok|okay|good|bad|great|wrong|right|missing|late|"
    r"early|behind|ahead|dead|weird|odd|strange|strong|sad|sick|expected|supposed|about|to|what|how|why|that|because|"
    r"more|less|better|worse|different|almost|nearly|also|only|never|clean|frozen|hidden|like|awesome|offline|online|"
    r"full|long|short|big|small|huge|old|new|hot|cold|unclear|unknown|for|by|with|from|of|in|on|at|under|my|our|your)\b|"
    r"(?!(?:dai|week|month|quarter|year|hour|night)ly)[a-z]+(?:y|able|ible|ed|ful|less|ous|ive|al|ent|ant)\b",
    re.IGNORECASE,
)


def is_kept(text: str) -> bool:
    """Whether a sentence says what something of one's own is, beyond the task at hand."""
    found = _IS.match(text)
    if found is None or _OF_TASK.search(found["thing"]) or _READING.search(found["value"]):
        return False
    if _VALUE.match(found["value"]):
        return True
    return _KEPT.search(found["thing"]) is not None and _STATE.match(found["value"]) is None
