"""Spoken: a secret said in words, whatever it looks like: "the password is swordfish", "login: ana / swordfish".

It has a name (a password, a PIN, the key of a network), something that gives it its value ("is", ":", "="), and the
value: a word that says nothing of what it is a value of. "The password is required", "password policy: 12 characters"
and "the key is that we cache early" give none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from agentmem.memory.write import statement
from agentmem.memory.write.description import GLUE, could_be_one, describes, names_a_way

KIND = "password"
_Kind = Literal["phrase", "pin", "key", "word"]

_WORD = (
    r"pass(?:words?|codes?|wd)|pwd|pw|(?:wi-?fi|wlan|wpa2?|network|hotspot|router|pre-?shared)[ _-](?:key|code|pass|"
    r"psk)|psk|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|lösenord|hasło|пароль"
)
_PHRASE = r"(?:pass|recovery|seed|backup) ?phrases?|mnemonic"
_PIN = (
    r"pin(?: ?code| number)?|otp|"
    r"(?:otp|2fa|mfa|verification|one[- ]time|security|door|alarm|gate|access|unlock|safe) (?:code|pin|combination)"
)
_KEY = (
    r"(?:api|access|secret|private|signing|encryption|licen[sc]e|master|ssh|deploy|service|product|activation|recovery|"
    r"account|admin|root|db|database|storage)[ _-]?keys?|"
    r"(?:client|shared|app|webhook|jwt|signing|session|api|oauth|consumer)[ _-]?secrets?|"
    r"(?:access|auth|api|bearer|refresh|bot|session|deploy|personal access)[ _-]?tokens?"
)
_OF = (
    r"(?: \([^()\n]{1,30}\)| (?:that |which )?(?:you|we|i) \w{1,20}(?: \w{1,20})?|"
    r" (?:for|of|on|to|in|at|from)(?: (?:the|our|my|this|that|your|his|her|their))?"
    r"(?: [\w@/'-]{1,40}(?:\.\w{1,20}){0,3}){1,3}?)?"
)
_GIVES = (
    r"(?:'s |(?: (?:is|are|was|ist|est|es|é|är|это)(?: (?:now|still|just|simply|currently|actually|really|always))?"
    r"(?: (?:set|changed|reset|updated) to)?:? )| (?:was |has been |been )?(?:set|changed|reset|updated) to |"
    r"(?<=[A-Z]{3}) (?=\d{4})|(?P<sign>\*{0,2}[ \t]{0,4}(?:->|=>|=(?!=)|:|\s[–—-])[ \t]{0,4}\*{0,2}[ \t]{0,4}))"
)
_NAMED = re.compile(
    rf"(?<![^\W_])(?<![$-])(?:(?P<phrase>{_PHRASE})|(?P<pin>{_PIN})|(?P<key>{_KEY})|(?P<word>{_WORD}))(?![\w-])"
    rf"[\"'`*]{{0,3}}{_OF}{_GIVES}",
    re.IGNORECASE,
)
_SETS = re.compile(
    rf"\b(?:set|chang|reset|updat|mak|us)\w* (?:[\w']{{1,20}} ){{0,3}}?(?:{_WORD}|{_PHRASE}){_OF} (?:to|as) (?=\S)",
    re.IGNORECASE,
)
# The other way round: "swordfish is the password".
_TURNED = re.compile(
    r"(?<![\w.-])(?P<value>[^\s\"'`“”]{4,80})[\"'`”]? (?:is|are) (?:the|my|our|his|her|their|its)"
    rf"(?: [\w-]{{1,20}}){{0,3}}? (?:{_WORD}|{_PHRASE}|{_PIN})"
    r"(?=\s*(?:$|[.,;!\n)]|(?:for|of|on|to|at|in|here|there|now|and|but)\b))",
    re.IGNORECASE,
)
# With who it lets in: "log in as ana / swordfish", "user ana, password swordfish".
_PAIR = re.compile(
    r"\b(?:log-?ins?|log(?:ged)? in|credentials?|creds|sign-?in|basic auth)(?: (?:details|data|info))?"
    rf"{_OF}(?: is| are| with| as| using|:| =)[ \t]{{1,3}}[\"'`]?(?P<who>[\w.@+-]{{2,64}})[\"'`]?"
    r"(?: ?/ ?|:| \| )[\"'`]?(?P<value>[^\s\"'`/|,;]{3,80})",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:user(?:name)?|login|as)[ :=]{1,3}(?P<who>[\w.@+-]{2,64})[,;/]?(?: and| with)?(?: the| its)? "
    r"(?:pass(?:word|wd|code)?|pw|pwd)[ :=]{1,3}(?P<value>[^\s\"'`/|,;]{3,80})",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"'`“‘«]([^\"'`“”‘’«»\n]{3,120})[\"'`”’»]")
_CLAUSE = re.compile(r"[^\n;!?,()|\"”]{1,200}")
_END = re.compile(r"\.(?=\s|$).*")
_CALLS = ("(", "[", "{")  # what is called is code
_FIGURES = re.compile(r"\d[\d -]{2,10}\d\b")
_LEAST_WORDS: dict[_Kind, int] = {"phrase": 3, "word": 4}
# What may follow a value; a description goes on in other ways ("different from", "to reduce the risk").
_NEXT = r"for|on|in|at|and|but|now|too|here|there|because|so|if|when|until|not|or|with|again|please"
_GOES_ON = re.compile(_NEXT, re.IGNORECASE)


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Where the values of secrets that are said in words stand, blocks of code left out; in no order."""
    code = statement.fences(text)
    for start, end in _values(text):
        if not any(first <= start < last for first, last in code):
            yield start, end, KIND


def _values(text: str) -> Iterator[tuple[int, int]]:
    for found in _NAMED.finditer(text):
        yield from _value(text, found.end(), _kind(found), signed=found["sign"] is not None)
    for found in _SETS.finditer(text):
        yield from _value(text, found.end(), "word", signed=False)
    for found in _TURNED.finditer(text):
        if could_be_one(found["value"]) and (found["value"].isdigit() or not describes(found["value"])):
            yield found.span("value")
    for found in (*_PAIR.finditer(text), *_BESIDE.finditer(text)):
        value = found["value"].rstrip(".!?)")
        if not names_a_way(found["who"]) and not describes(value):
            yield found.start("value"), found.start("value") + len(value)


def _kind(found: re.Match[str]) -> _Kind:
    kinds: tuple[_Kind, ...] = ("phrase", "pin", "key")
    return next((kind for kind in kinds if found[kind]), "word")


def _value(text: str, at: int, kind: _Kind, *, signed: bool) -> Iterator[tuple[int, int]]:
    """The value that begins at `at`, unless a description or nothing does; `signed`: behind a sign, not a verb."""
    clause = _CLAUSE.match(text, at)
    said = _END.sub("", clause[0]).rstrip(" .\"'`*") if clause else ""
    if (quoted := _QUOTED.match(text, at)) is not None:
        if _fits_quoted(quoted[1].split(), kind):
            yield quoted.span(1)
    elif kind == "pin":
        figures = _FIGURES.match(said)
        if figures and sum(map(str.isdigit, figures[0])) >= 4:
            yield at, at + figures.end()
    elif _is_phrase(said.split(), kind):
        yield at, at + len(said)
    elif (size := _one_word(said.split(), kind, signed=signed)) and text[at + size : at + size + 1] not in _CALLS:
        yield at, at + size


def _fits_quoted(words: list[str], kind: _Kind) -> bool:
    if len(words) == 1:
        return not describes(words[0])
    return kind in _LEAST_WORDS and GLUE.isdisjoint(words)


def _is_phrase(words: list[str], kind: _Kind) -> bool:
    """Several words that nothing holds together: a password of words; "the password is wrong" begins otherwise."""
    if len(words) < _LEAST_WORDS.get(kind, 99) or (kind == "word" and describes(words[0])):
        return False
    return all(word.isalpha() and word.lower() not in GLUE for word in words)


def _one_word(words: list[str], kind: _Kind, *, signed: bool) -> int:
    """The length of a value of one word, 0 where it is none."""
    word = words[0].rstrip(".}]:*") if words else ""
    if describes(word) or not (len(words) == 1 or _GOES_ON.fullmatch(words[1])):
        return 0
    if kind == "key" and (signed or len(word) < 6 or word.isdigit()):
        return 0  # "token: Identifier" is a type; a key that is drawn at random is found by its looks
    return len(word)
