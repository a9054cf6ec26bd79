"""Assignments: secrets that can be told by the name they are given, as in `DB_PASSWORD=…`, `"apiKey": "…"`.

A line such as `env` prints (NAME=value, the name in capitals) counts whatever its value looks like; anywhere else the
value must look drawn at random, so that code that only speaks of tokens and passwords stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import log2

from agentmem.memory.write.token import mixed, placeholder

KIND = "secret"
_WORDS = ("secret", "token", "passw", "passphrase", "key", "credential", "auth", "pwd", "_pass", "_pat", "_salt", "dsn")
_NAMED = re.compile(r"[A-Za-z0-9_.-]+$")
_NAME = re.compile(r"[A-Za-z0-9_.-]*+")
# After the name: a quote that closes it, what assigns, a quote that opens the value.
_ASSIGNS = re.compile(r"(?:\\{0,7}[\"'`\]]){0,2}[ \t]{0,8}(?:=>|:=|[=:]|(?<= )|,)[ \t]{0,8}")
# In a text within a text (JSON in JSON) quotes and line ends stand behind backslashes.
_ESCAPED = r"\\{1,7}([\"'])([^\"'\s\\]{%s})\\{1,7}\1|"
_ENV_VALUE = re.compile(
    _ESCAPED % "0,8000" + r"\"([^\"\n]{0,8000})\"|'([^'\n]{0,8000})'|([^\s\"'`\x00-\x1f\x7f]{0,8000})"
)
_VALUE = re.compile(
    _ESCAPED % "8,512"
    + r"\"([^\"\s\\]{8,512})\"|'([^'\s\\]{8,512})'|`([^`\s\\]{8,512})`|([A-Za-z0-9+/_.~!@#%^-]{10,512}={0,2})"
)
_BARE_ENV, _BARE = 5, 6  # the groups of values without quotes
_LINE_END = re.compile(r"\\{1,7}(?:[nrt]|u000[aAdD9])")
_GOES_ON = re.compile(r"(?![A-Za-z]+[.,:;!?)]*(?:$|\\))(?![A-Za-z_][\w.-]*[=:])[^\\]")
_OPENING = tuple("$%<{[(*")  # of a variable, a template, a stand-in
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
# Names that hold one of the words but no secret.
_HARMLESS = re.compile(
    r".*(?:file|path|dir|url|uri|id|name|type|len|length|count|limit|size|hash|sock|method|mode|enabled|expiry|expires|"
    r"expire|ttl|prefix|suffix|header|field|param|format|algorithm|version|host|port|user|tokens|tokenizer|public[_-]?key|"
    r"pub[_-]?key|author|authors|keyword|keywords|keys|keyboard|monkey|agent_pid)|"
    r".*(?:gpg|next|page|cursor|continuation|max|min|num|total|input|output|cached|prompt|completion|sort|primary|foreign|"
    r"partition|cache|public|object|row|group|s3|idempotency|dedup|correlation|request|trace|bind|hot|short)[_-]?"
    r"(?:token|key|auth)s?",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r".*(?:secret|token|passw(?:or)?d|passphrase|credentials?|auth|(?:api|access|private|signing|encryption|account|"
    r"master|shared|service|license|deploy|admin|client|app|db|master|session|webhook|jwt|hmac|aes|rsa|ssh|storage)"
    r"[_.-]?key|_key|key_base|pwd|_pass|_pat|_salt|dsn)(?:[_.-]?(?:key|value|base|prod|production|dev|staging|live|test|old|"
    r"new|\d+))?",
    re.IGNORECASE,
)
_HEX = re.compile(r"[0-9a-fA-F]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LOCATION = re.compile(r"(?:~|\.{1,2})?/(?:[\w.@+-]+/)*[\w.@+-]*|[a-z]+://[^\s@]*|[A-Za-z]:\\.*")
_CODE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::|->)[A-Za-z_][A-Za-z0-9_]*)+(?:\(.*)?|[A-Za-z_]\w*[(\[].*")
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d+)?|true|false|yes|no|on|off|none|null|nil|undefined", re.IGNORECASE)


def spans(text: str, folded: str) -> Iterator[tuple[int, int, str]]:
    """Where the values of secret names stand; `folded` is the text in small letters, each at its place."""
    for word in _WORDS:
        at = folded.find(word)
        while at >= 0:
            end, found = _at(text, at, at + len(word))
            if found is not None:
                yield (*found, KIND)
            at = folded.find(word, end)


def is_secret(name: str, value: str) -> bool:
    """Whether `value` is a secret because it is called `name`."""
    return _names_secret(name) and _random(value)


def _at(text: str, at: int, end: int) -> tuple[int, tuple[int, int] | None]:
    """Where to look on, and the value of the name that holds the word from `at` to `end`."""
    rest = _NAME.match(text, end)
    name_end = rest.end() if rest else end
    assigns = _ASSIGNS.match(text, name_end)
    if assigns is None:
        return name_end, None
    named = _NAMED.search(text, max(0, at - 80), at)
    start = named.start() if named else at
    if text[start - 1 : start] == "\\" and (escape := _LINE_END.match(text, start - 1)) is not None:
        start = min(escape.end(), at)  # the line's end before the name
    name = text[start:name_end]
    env = text.startswith("=", name_end) and name != "AUTH" and _ENV_NAME.fullmatch(name) is not None
    found = (_env(text, name_end + 1) if env else None) or _drawn(text, assigns.end())
    if found is None:
        return name_end, None
    start, end, secret = found
    if secret and _names_secret(name.lstrip("-")):
        return end, (start, end)
    # A long value that was turned down is not looked through again: that could go on for ever.
    return end if end - start > 256 else name_end, None


@lru_cache(1024)
def _names_secret(name: str) -> bool:
    return len(name) <= 120 and _SECRET.fullmatch(name) is not None and _HARMLESS.fullmatch(name) is None


def _env(text: str, at: int) -> tuple[int, int, bool] | None:
    """The value of a NAME=value and whether it could be a secret, None where there is none."""
    match = None if text[at : at + 1] in _OPENING else _ENV_VALUE.match(text, at)
    if match is None or match.lastindex is None:
        return None
    start, end = match.span(match.lastindex)
    if match.lastindex == _BARE_ENV:
        end = start + len(_line(text[start:end]).rstrip(";,)]}&|\\"))
    value = text[start:end]
    if len(value) < 4 or value[0] in _OPENING:
        return None
    harmless = any(form.fullmatch(value) for form in (_NUMBER, _LOCATION, _CODE)) or placeholder(value)
    return start, end, not harmless


def _line(value: str) -> str:
    """A value up to the line end that stands in it as an escape, unless what follows cannot be another line: a password
    may hold a backslash."""
    for found in _LINE_END.finditer(value):
        if _GOES_ON.match(value, found.end()) is None:
            return value[: found.start()]
    return value


def _drawn(text: str, at: int) -> tuple[int, int, bool] | None:
    """The value at `at` and whether it looks drawn at random, None where there is none."""
    match = _VALUE.match(text, at)
    if match is None or match.lastindex is None:
        return None
    start, end = match.span(match.lastindex)
    called = match.lastindex == _BARE and text[end : end + 1] in ("(", "[", "{", "<")
    return start, end, not called and _random(text[start:end])


def _random(value: str) -> bool:
    """Whether a value looks drawn at random: no word, no path, no code, no hash or uuid."""
    if not 10 <= len(value) <= 512 or _LOCATION.fullmatch(value) or _CODE.fullmatch(value) or _UUID.fullmatch(value):
        return False
    if _HEX.fullmatch(value):
        return len(value) in (32, 48, 96, 128)
    if len(value) < 16:
        return _strong(value)
    return mixed(value) and entropy(value) >= 3.2


def _strong(value: str) -> bool:
    """A password as people choose strong ones: letters of both cases, digits and a sign."""
    kinds = (str.islower, str.isupper, str.isdigit, lambda letter: letter in "!@#%^&*+=~?")
    return all(any(kind(letter) for letter in value) for kind in kinds)


def entropy(value: str) -> float:
    """Bits a character, by the characters' own frequencies."""
    return -sum((n := value.count(one) / len(value)) * log2(n) for one in set(value))
