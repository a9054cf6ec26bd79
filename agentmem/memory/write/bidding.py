"""Bidding: a standing order or habit, "always" or "never" and a bare verb, and what someone wants to be called."""

from __future__ import annotations

import re

_ORDER = re.compile(
    r"(?P<who>(?:we|i) )?(?:\w+ly )?(?P<how>always|never)(?: ever| \w+ly)* (?P<verb>[a-z][\w'-]*)(?P<more> .*)?",
    re.IGNORECASE,
)
# What no bare verb ends in, and words that are none.
_NO_VERB_FORM = re.compile(r"(?:[\w'-]+(?:ing|(?<!e)ed|[^su]s)|(?:set|have) to)(?= |$)", re.IGNORECASE)
_VERB_FORM = frozenset(("bring", "ping", "string", "embed", "shed", "wed", "shred", "bias", "alias", "canvas"))
_NONE = """
mind again a an the on in at of for with from been was were is are am had has saw seen heard knew thought got went came
did said told felt found gave made took ran wrote broke chose kept left meant sent began became bought built lost met
forgot such so too more less here there happy glad good great nice fun one my our your their his her this that these
those welcome ready busy curious better worse wrong right true false hard easy red green slow enough down up out same
worth room something nothing possible sure keen eager free available ok okay fine late early afraid proud careful about
because when if just quite really greater smaller equal lower higher open me you us i we he she they it
"""
_NO_VERB = frozenset(_NONE.split())
# What befalls someone, said of oneself, is no rule: "I always forget the flag".
_BEFALL = "forget get see have end wonder know understand think struggle hit lose feel need want hear find"
_BEFALLS = frozenset(_BEFALL.split(" "))
_CALLED = re.compile(r"call me (?P<name>[\w.-]+)(?: [A-Z]\w*)?(?:,? please)?[.!]*", re.IGNORECASE)
_NOT_NAMES = """
later back when if maybe at on once after the a an tomorrow out up crazy stupid dumb lazy picky naive paranoid weird old
"""
_NO_NAME = frozenset(_NOT_NAMES.split())


def bids(text: str) -> bool:
    """Whether a sentence gives a standing order, tells a habit, or gives a name."""
    named = _CALLED.fullmatch(text)
    if named is not None:
        return named["name"].lower() not in _NO_NAME
    found = _ORDER.match(text)
    if found is None:
        return False
    verb, more = found["verb"].lower(), found["more"] or ""
    if found["who"] and (verb in _BEFALLS or more.startswith(" into ")):
        return False
    if verb in _NO_VERB or (_NO_VERB_FORM.match(f"{verb}{more}") and verb not in _VERB_FORM):
        return False
    return bool(more) or found["how"].lower() == "never"  # "always safe" says how something is
