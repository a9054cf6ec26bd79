"""Description: words that say something of a secret ("required", "stored in …") or stand for one, and are none."""

from __future__ import annotations

import re

from agentmem.memory.write.token import placeholder

_SHORTEST, _MOST_FIGURES = 4, 12

# Words that hold a sentence together: no password is one of them, and none of several words has one in it.
_GLUE = """
the a an in on at to for from with by not no never always only also already still now just too so very as that this
these those what where how why when if whether one your my our his her their its there here it they we you i he she
because about under inside behind via per between and or but than then be been being is are was were has have had must
should can could may might will would do does did which who whom whose same of into until after before every each any
some all both neither either more less most least enough up out off down again else something anything nothing whatever
mine yours ours theirs part kept set sent given shown held found lost known written read left built made taken gone put
chosen
"""
GLUE = frozenset(_GLUE.split())

# How a secret is, what kind of value it is, what is to be done about it, and who keeps it.
_SAYS = re.compile(
    r"wrong|right|correct|incorrect|empty|blank|short|long|longer|weak|strong|stronger|invalid|bad|good|fine|ok|okay|"
    r"missing|null|none|nil|undefined|unknown|unset|true|false|secret|safe|secure|insecure|random|unique|plain\w*|"
    r"clear\w*|hidden|visible|old|new|older|newer|easy|tricky|mandatory|necessary|temporary|ready|gone|minimum|maximum|"
    r"broken|stale|simple|complex|opaque|bearer|default|private|public|personal|important|different|identical|crucial|"
    r"string|text|varchar|char|buffer|bytes?|object|integer|bool|boolean|number|secretstr|nullable|hash|hashes|salt|"
    r"bcrypt|argon2\w*|scrypt|sha\d*|md5|oauth2?|base64|ascii|uuid|todo|ditto|check|contact|rotate|expire|match|ensures?|"
    r"keep|change|verify|confirm|daily|rotation|policy|length|strength|reset|field|input|value|vault|bitwarden|"
    r"1password|keepass\w*|lastpass|dashlane|keychain|keyring|falsch|leer|richtig|nötig|geheim|nicht|dans|gespeichert|"
    r"erforderlich|vide|requis|vacía|obligatori[ao]|\w{2,9}(?:ed|ing|ly|able|ible|ful|less|ous|tive|sive|nal|tial|ical|"
    r"ic|ient|n't)",
    re.IGNORECASE,
)
# An address, a path, a variable, code, a file, a stand-in, the name of another such thing, a mark.
_NAMES = re.compile(
    r"(?:[a-z]+://|[-~./\\$%<{\[(*#@])\S*|\S*(?:[(\[{<>=]|\*\*)\S*|your\S*|[A-Z]+(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z0-9]+)+|"
    r"[\w-]+(?:\.[\w-]+)+(?:'s)?|\S*(?:passw|token|secret|pwd|credential|(?:_|api|ssh)key\b)\S*|\w+'s|"
    r"\w+-(?:\w+ed|only|based|bit|digit|char\w*|lived|sensitive)",
    re.IGNORECASE,
)
# What one logs in by, or to.
_WAYS = re.compile(
    r"google|github|gitlab|sso|saml|oauth2?|ldap|okta|apple|facebook|microsoft|e-?mail|phone|user(?:name)?s?|passkeys?|"
    r"mfa|totp|prod|staging|test|live|read|write|https?|post|logout|signup|register|anonymous",
    re.IGNORECASE,
)


def describes(word: str) -> bool:
    """Whether a word that stands where a secret could says something of it, or is too little to be one."""
    return not could_be_one(word) or _SAYS.fullmatch(word) is not None or _WAYS.fullmatch(word) is not None


def could_be_one(word: str) -> bool:
    """Whether a word could be a secret at all."""
    if len(word) < _SHORTEST or word.lower() in GLUE or placeholder(word) or _NAMES.fullmatch(word):
        return False
    return any(map(str.isalnum, word)) and not (word.isdigit() and len(word) > _MOST_FIGURES)


def names_a_way(word: str) -> bool:
    """Whether a word names what one logs in by, not who logs in."""
    return word.lower() in GLUE or _WAYS.fullmatch(word) is not None
