"""Preamble: what may stand before or behind a statement, or be left out of it, and leave it its speaker's own.

"Please remember that", "by the way" and "our conventions:" may; "Bob claims that", "in theory," and "bad ideas:" may
not. What is not known here is taken for a part of the statement: that costs a question to the person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from agentmem.memory.write import contrary, wording
from agentmem.memory.write.clause import Word

_THIS = (
    r"(?:this|that|these|those|it|(?:all )?(?:of )?these|"
    r"(?:the )?following(?: (?:facts?|things?|points?|rules?|notes?|conventions?|preferences?|decisions?|lines?))?)"
)
_LATER = r"for (?:(?:all |the )?(?:later|future|next) sessions?|later|(?:the )?future(?: reference)?|next time)"
_FILLER = (
    r"just so you know|you should know(?: that)?|i (?:almost )?forgot(?: to (?:say|mention|tell you|add))?(?: that)?|"
    r"(?:as )?i (?:have |already |just )*(?:said|told you|mentioned)(?: it| this| that| before| earlier| already)*|"
    r"(?:it was|it's|it has been|we|we have|we've) (?:decided|agreed)(?: that)?|as (?:a rule|always|you know)|"
    r"(?:no|nope)(?= ?[,.])|"
    r"please|pls|plz|hi there|hey there|hi|hey|hello|agentmem|assistant|ok|okay|so|well|also|and|but|btw|by the way|"
    r"fyi|for your information|for the record|actually|yes|yeah|yep|thanks|thank you|great|perfect|cool|nice|good|"
    r"alright|all right|anyway|just|now|then|finally|again|one more thing|one thing|as a reminder|a reminder|"
    r"quick note|important(?:ly)?|very important|first(?: of all)?|firstly|second(?:ly)?|third(?:ly)?|last(?:ly)?|"
    r"additionally|furthermore|moreover|besides|to be clear|in general|generally|from now on|going forward|"
    r"in (?:the )?future|(?:in|for) (?:this|our) (?:project|repo|repository|codebase)|"
    r"(?:reminder|correction|update|note|remember|save|store|record|for memory)(?= ?:)|" + _LATER
)
_WISH = (
    r"(?:i|we)(?:'d| would)? (?:want|need|like|love|ask|expect|prefer) you to|i'd like you to|"
    r"you (?:should|must|need to|have to)|you|(?:i|we)(?: would|'d)|(?:can|could|would|will) you|"
    r"(?:we|i)(?: have)?(?: just| already| finally)? (?:decided|agreed|chosen) to|"
    r"make sure (?:that )?you|be sure to|"
    r"it(?:'s| is) important(?: that| to)?|let's|let us|always"
)
_KEEP = (
    r"remember(?: to)?|memori[sz]e|keep in mind|bear in mind|take note|make a note|be aware|"
    r"(?:note|save|store|record|write|keep|know)(?: down)?(?= (?:this|that|these|those|the following|down)\b)"
)
_ASK = (
    rf"(?:(?:{_WISH})[ ,]+(?:always )?)?(?:{_KEEP})(?: down| for (?:me|us)| (?:in|to) (?:your )?memory| in memory\.md|"
    rf" {_LATER})*(?:,? {_THIS})?(?: {_LATER})?(?: please)?(?: that)?"
    r"|(?:don't|do not|never) forget(?: to| that| this| these)?"
)
_OTHERS = (
    r"bitte|merk(?:e)? dir|denk(?:e)? daran|souviens-toi|rappelle-toi|retiens|recuerda|ricorda|lembre-se|onthoud|"
    r"kom ihåg|zapamiętaj|запомни|hatırla|que|che|dass|dat|att|że|что"
)
_WE = r"wir|ich|nous|je|nosotros|yo|noi|io|wij|ik|мы|я"
_UNSPACED = r"(?:请|請)?(?:记住|記住|记得|記得|牢记|注意|覚えて(?:おいて)?(?:ください)?)"
_END = r"(?:[\s,:;.!–—-]+|$)"
_ASKING = re.compile(rf"(?:(?:{_FILLER}|{_ASK}|{_OTHERS}){_END}|{_UNSPACED}[\s,:;、]*)+", re.IGNORECASE)
_LEAD = re.compile(rf"(?:(?:{_WISH}|{_FILLER}|{_ASK}|{_OTHERS}|{_WE}){_END}|{_UNSPACED}[\s,:;、]*)+", re.IGNORECASE)
_TRAIL = re.compile(
    r"(?:(?:please|pls|thanks|thank you|cheers|btw|by the way|from now on|going forward|in (?:the )?future|"
    r"ok|okay|too|as well|now|again|always|already|last (?:week|month|year|night|spring|summer|autumn|fall|winter)|"
    r"yesterday|recently|(?:and )?(?:please )?(?:remember|note|save|keep|store) (?:that|this|it|these)|"
    rf"{_LATER}){_END})+",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    rf"(?:(?:{_FILLER})[\s,:;.!–—-]+)*(?:can|could|would|will) you(?: please)? (?:{_KEEP})\b", re.IGNORECASE
)
# What someone goes on to, of how they feel or what they ask; it takes nothing from what they said before.
_MOMENT = re.compile(
    r"which is why\b|(?:and |but |so )?(?:i'm|i am|we're|we are) (?:\w+ )?(?:hoping|wondering|excited|curious|trying)\b"
    r"|(?:and |but |so )?(?:can|could|would|will) you\b",
    re.IGNORECASE,
)
_ARTICLES = frozenset(["a", "an", "the", "this", "that", "these", "those", "is", "are", "be", "it", "its"])
_OWN = frozenset(["my", "our", "your", "we", "i", "me", "us", "am"])
_FILLERS = frozenset(
    [
        "please",
        "pls",
        "really",
        "actually",
        "just",
        "basically",
        "simply",
        "also",
        "btw",
        "definitely",
        "very",
        "now",
        "recently",
    ]
) | {"always", "strongly"}
_TO_DO = frozenset(["write", "explain", "review", "read"])  # hedges elsewhere
_STARTS = frozenset(["i", "we", "it", "you", "please", "can", "could", "would", "let's", "now"])
_COPULA = frozenset(["is", "are", "am", "has", "have"])
_ELLIPTIC = frozenset(["do", "does", "did"])  # "(Bob does)" gives what stood before to another
_STRESS = frozenset(["any", "ever"])
_ABOUT = frozenset(["about", "some", "few", "quick", "more", "on", "side"])
_OFF_TEXT = """
or nor though although however except right correct sometimes occasionally mostly usually partly temporarily some most
half excluded excepted aside changed dropped abandoned reverted undid regret regretted
"""
_MODAL_TEXT = "may will shall must can want wants plan plans hope try tries going"
_IS = frozenset(["let's", "it's", "that's", "here's", "what's", "there's"])
_NOUNS_TEXT = """
decision decisions rule rules convention conventions fact facts preference preferences constraint constraints info
information note notes setup stack tools tooling style guideline guidelines requirement requirements architecture
infrastructure environment workflow standard standards policy policies default defaults detail details context
background summary basics overview testing tests deployment database backend frontend ci build release naming
formatting config configuration reminder answer procedure procedures language languages versions hosts ports paths
code git team memory project general coding commits security settings
"""
_HEDGES_TEXT = """
claim claims claimed say says said saying think thinks thought believe believes believed wrote write writes written
tell tells told hear heard read reads state states stated suggest suggests suggested argue argues argued wonder
wonders ask asks asked guess guesses hope hopes wish wishes assume assumes assumed suppose imagine pretend allege
alleges allegedly supposedly reportedly apparently theoretically hypothetically rumour rumor rumours myth myths
mistaken insist insists mention mentions mentioned quote quotes quoted according quiz question questions q example
examples option options alternative alternatives idea ideas candidate candidates proposal proposals suggestion
suggestions hypothesis hypotheses theory scenario bad wrong worst evil mistake mistakes error errors anti-pattern
anti-patterns antipattern antipatterns attack attacks attacker attackers malicious poison injection payload spam
phishing dont's don'ts dangerous danger risk risks risky nobody nope fake lie lies joke true-or-false true false
whether which would could might should summarise summarize translate explain review proofread rewrite fail fails
failed former formerly previously old older legacy draft drafts todo output log logs
slogan motto tagline placeholder caption
role persona character bot their his her they he she them ticket comment message mail e-mail page
behauptet sagt sagte meint glaubt schrieb schreibt denkt vermutet dit pense croit prétend affirme dice cree piensa
afirma dijo zegt denkt beweert disse diz acha говорит сказал сказала думает считает утверждает пишет
"""
_SUBORDINATE_TEXT = """
in on at for from to with by per under during before after once while whereas as according unlike like despite
without within over between among through via if when unless until where although though because since than of
"""
_COMPARING_TEXT = "over than from against versus vs of without after before like to instead or nor with by not"
_NOUNS, _HEDGES, _SUBORDINATE, _COMPARING, _OFF, _MODAL = (
    frozenset(text.split())
    for text in (_NOUNS_TEXT, _HEDGES_TEXT, _SUBORDINATE_TEXT, _COMPARING_TEXT, _OFF_TEXT, _MODAL_TEXT)
)


def stripped(text: str) -> str:
    """A sentence without the asking and the filling words that it begins with; all of it where it is nothing else."""
    found = _ASKING.match(text)
    rest = text[found.end() :] if found is not None else text
    return rest if wording.words(rest) else text


def requested(text: str) -> bool:
    """Whether a sentence asks, in the form of a question, for what it says to be remembered."""
    return _REQUEST.match(text) is not None


def asks_along(words: Sequence[Word]) -> bool:
    """Whether words at the beginning of a clause may be left out."""
    told = list(words)
    while told and told[-1].text in _ARTICLES | _OWN:
        told.pop()
    return not told or _LEAD.fullmatch(_line(told)) is not None


def thanks(words: Sequence[Word]) -> bool:
    """Whether words at the end of a clause may be left out."""
    return filling(words) or _TRAIL.fullmatch(_line(words)) is not None


def filling(words: Sequence[Word]) -> bool:
    """Whether words amid a clause may be left out."""
    return all(word.glue or word.text in _FILLERS for word in words)


def stressing(words: Sequence[Word]) -> bool:
    """Whether words behind a negation may be left out, as they only stress it: "never ever", "not any"."""
    return all(word.glue or word.text in _FILLERS | _STRESS for word in words)


def listed(words: Sequence[Word]) -> bool:
    """Whether words are the other members of a list: "eslint, prettier and" before "vitest"."""
    told = [word.text for word in words if not word.glue]
    return 0 < len(told) <= 4 and (_COMPARING | _MODAL).isdisjoint(told) and not doubtful(told)


def before(words: Sequence[Word], edge: str) -> bool:
    """Whether a clause that stands before an `edge` leaves what follows it a statement of its own. Before a colon it
    must say that it does: "our rules:", not "Bob:" nor "output:"."""
    if asks_along(words):
        return True
    told = [word.text for word in words if not word.glue]
    if not told or doubtful(told) or words[0].text in _SUBORDINATE or any(map(_of_another, told)):
        return False
    return any(word.text in _NOUNS | _OWN for word in words) if edge == ":" else len(told) > 1


def introduces(words: Sequence[Word], edge: str) -> bool:
    """`before`, for what speaks of "I" or "we": whose that is hangs on more. "Our form: I agree" and "as a buyer,
    I pay" tell of somebody else, "my setup: I use vim" does not."""
    if asks_along(words):
        return True
    if edge not in (":", "&") and words[0].text not in ("i", "we") and _COPULA.isdisjoint(word.text for word in words):
        return False
    if words[0].text in _OWN and edge != ":":
        return not doubtful([word.text for word in words])
    if any(word.edge and word.text in _SUBORDINATE for word in words) or not before(words, edge):
        return False
    return edge != ":" or all(word.glue or word.text in _NOUNS | _ABOUT for word in words)


def behind(words: Sequence[Word]) -> bool:
    """Whether a clause that follows leaves what stood before it as it is."""
    if _MOMENT.match(_line(words)) is not None:
        return True
    told = [word.text for word in words if not word.glue]
    if not told:
        return True
    if words[0].text == "and" and told[0] in _TO_DO:
        told = told[1:]
    plain = words[0].text not in _SUBORDINATE - {"because", "since"} and words[0].text != "but"
    return plain and not doubtful(told) and _OFF.isdisjoint(told) and told[-1] not in _ELLIPTIC


def contrasts(words: Sequence[Word]) -> bool:
    """Whether what follows "but" is a clause of its own ("but isort is off"), and no exception ("but vim")."""
    return words[0].text in _STARTS or any(word.text in ("is", "are") for word in words[1:2])


def doubtful(told: Sequence[str]) -> bool:
    """Whether words quote, doubt, ask or deny."""
    hedged = any(word in _HEDGES and following != "in" for word, following in pairwise((*told, "")))
    return hedged or contrary.turned(frozenset(told), frozenset())


def _of_another(word: str) -> bool:
    return word.endswith("'s") and word not in _IS


def _line(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)
