"""Tokens: secrets that can be told by their own form, as providers issue them."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise


class Rule:
    """A token begins with one of `starts`, not in the middle of a word, and goes on as `rest` says: a regular
    expression whose group 1, if there is one, is the secret alone. `mixed`: only where it looks drawn at random."""

    __slots__ = ("kind", "mixed", "rest", "starts")

    def __init__(self, kind: str, starts: str, rest: str, *, mixed: bool = False) -> None:
        self.kind = kind
        self.starts = tuple(starts.split())
        self.rest = rest
        self.mixed = mixed


@cache
def _form(rule: Rule) -> re.Pattern[str]:
    """Compiled when a text first holds one of the starts: most runs need few of them."""
    return re.compile(f"(?:{'|'.join(map(re.escape, rule.starts))}){rule.rest}")


RULES: tuple[Rule, ...] = (
    Rule("aws key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Rule("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30,255}"),
    Rule("github token", "github_pat_", r"[A-Za-z0-9_]{22,255}"),
    Rule("gitlab token", "glpat- gldt- glrt- glcbt- glptt- glsoat- gloas- glft- glimt- glagent-", r"[\w.-]{20,300}"),
    Rule(
        "slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xoxe.xox", r"[A-Za-z0-9.-]{10,400}", mixed=True
    ),
    Rule("stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9]{16,250}"),
    Rule("stripe secret", "whsec_", r"[A-Za-z0-9+/=]{24,100}"),
    Rule("google key", "AIza", r"[\w-]{35}(?![\w-])"),
    Rule("google token", "ya29.", r"[\w.-]{20,2000}", mixed=True),
    Rule("google secret", "GOCSPX-", r"[\w-]{20,60}"),
    Rule("google token", "1//0", r"[\w-]{35,200}", mixed=True),
    Rule("anthropic key", "sk-ant-", r"[\w-]{20,300}"),
    Rule("openrouter key", "sk-or-", r"[\w-]{20,200}"),
    Rule("openai key", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"[\w-]{20,400}", mixed=True),
    Rule("api key", "sk-", r"[A-Za-z0-9]{24,200}(?![\w-])", mixed=True),
    Rule("hugging face token", "hf_ api_org_", r"[A-Za-z0-9]{30,100}", mixed=True),
    Rule("npm token", "npm_", r"[A-Za-z0-9]{36,100}"),
    Rule("pypi token", "pypi-", r"[\w-]{50,500}"),
    Rule("rubygems key", "rubygems_", r"[a-f0-9]{40,60}"),
    Rule("docker token", "dckr_pat_ dckr_oat_", r"[\w-]{20,60}"),
    Rule("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", r"[a-f0-9]{50,70}"),
    Rule("sendgrid key", "SG.", r"[\w-]{20,24}\.[\w-]{39,50}"),
    Rule("shopify token", "shpat_ shpca_ shppa_ shpss_", r"[A-Fa-f0-9]{32}"),
    Rule("databricks token", "dapi", r"[a-f0-9]{32}(?:-\d)?(?![\w-])"),
    Rule("linear key", "lin_api_", r"[A-Za-z0-9]{32,60}"),
    Rule("notion token", "ntn_ secret_", r"[A-Za-z0-9]{40,60}(?![\w-])", mixed=True),
    Rule("age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,60}"),
    Rule("vault token", "hvs. hvb. hvr.", r"[\w-]{24,300}", mixed=True),
    Rule("groq key", "gsk_", r"[A-Za-z0-9]{40,80}"),
    Rule("xai key", "xai-", r"[A-Za-z0-9]{60,100}"),
    Rule("replicate token", "r8_", r"[A-Za-z0-9]{36,45}(?![\w-])"),
    Rule("perplexity key", "pplx-", r"[A-Za-z0-9]{40,60}"),
    Rule("tavily key", "tvly-", r"[A-Za-z0-9-]{28,60}", mixed=True),
    Rule("supabase token", "sbp_ sb_secret_", r"[\w-]{24,60}", mixed=True),
    Rule("grafana token", "glsa_ glc_", r"[\w+/=-]{30,400}", mixed=True),
    Rule("new relic key", "NRAK-", r"[A-Z0-9]{27}"),
    Rule("sentry token", "sntrys_ sntryu_", r"[\w+/=-]{40,400}"),
    Rule("figma token", "figd_", r"[\w-]{36,60}"),
    Rule("postman key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}"),
    Rule("atlassian token", "ATATT3 ATCTT3", r"[\w=-]{50,400}"),
    Rule("bitbucket token", "ATBB", r"[A-Za-z0-9]{28,40}"),
    Rule("mailgun key", "key-", r"[a-f0-9]{32}(?![\w-])"),
    Rule("heroku key", "HRKU-", r"[\w-]{36,80}"),
    Rule("fly token", "fm2_ fm1r_ fo1_", r"[\w+/=,-]{40,2000}"),
    Rule("telegram token", ":AA", r"[\w-]{32,34}(?![\w-])"),
    Rule("jwt", "eyJ", r"[\w-]{8,8000}\.eyJ[\w-]{8,16000}\.[\w-]{8,2000}"),
    Rule("slack webhook", "hooks.slack.com/", r"((?:services|workflows|triggers)/[\w+/-]{20,200})"),
    Rule("discord webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"(\d{15,22}/[\w-]{50,100})"),
    Rule("bearer token", "earer", r"[ \t]{1,4}([\w.~+/=-]{16,8000})", mixed=True),
    Rule("basic credentials", "asic", r"[ \t]{1,4}([A-Za-z0-9+/]{8,4000}={0,2})"),
    Rule("password", "://", r"[^\s/:@'\"`<>()\[\]{}]{0,200}:([^\s/'\"`<>]{1,300})@(?=[\w\[.-])"),
)

# Most tokens begin with letters and one of these: those are looked for together, by their last three characters.
_JOINTS = tuple(re.compile(re.escape(joint) + r"(?=[\w+/=.-]{10})") for joint in "_-.")
_STARTS = [(start, rule) for rule in RULES for start in rule.starts]
_ALONE = [one for one in _STARTS if one[0][-1] not in "_-."]
_JOINED = {
    end: [one for one in _STARTS if one[0].endswith(end)]
    for end in {start[-3:] for start, _ in _STARTS if start[-1] in "_-."}
}

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
# In front of these a letter, a digit or anything else may stand.
_ANYWHERE = frozenset({":AA", "earer", "asic", "://", "hooks.slack.com/"})
_BASE64 = frozenset("+/")
_DIGITS = re.compile(r"\d{6,16}$")
_PIECES = re.compile(r"[-_.:/+]")
# What stands for a password in documents and templates.
_PLACEHOLDER = re.compile(
    r"[$%{<\[*].*|.*(?:\.\.\.|…)|\*+|x+|X+|\.+|(?:your|my|the|some|example|dummy|fake|test)?[-_]?(?:pass(?:word|wd)?|pwd?|pw|secret|token|key)"
    r"|changeme|user(?:name)?|postgres|root|admin|guest|example|test|dev|foo|bar|redacted|hidden|masked|none|null",
    re.IGNORECASE,
)


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Where the tokens of a text stand."""
    for start, rule in _ALONE:
        yield from _found(text, start, rule)
    done: dict[int, int] = {}
    for joint in _JOINTS:
        for match in joint.finditer(text):
            at = match.start() + 1
            for start, rule in _JOINED.get(text[at - 3 : at], ()):
                first = at - len(start)
                if first < done.get(id(rule), 0) or not text.startswith(start, max(0, first)):
                    continue
                if (found := _at(text, first, start, rule)) is not None:
                    # What was matched, also if it was turned down, is not looked at again: that could go on for ever.
                    done[id(rule)] = found[1]
                    if found[2]:
                        yield found


def _found(text: str, start: str, rule: Rule) -> Iterator[tuple[int, int, str]]:
    at = text.find(start)
    while at >= 0:
        found = _at(text, at, start, rule)
        if found is not None and found[2]:
            yield found
        at = text.find(start, found[1] if found is not None else at + len(start))


def _at(text: str, at: int, start: str, rule: Rule) -> tuple[int, int, str] | None:
    """The token that begins at `at`; with the kind "" one that was turned down; None where there is none."""
    before = text[at - 1] if at else " "
    if start not in _ANYWHERE and (
        before in _WORD or (before in _BASE64 and start[0] in "AeS") or (before == "-" and start == "eyJ")
    ):
        return None
    form = _form(rule)
    match = form.match(text, at)
    if match is None:
        return None
    first, last = match.span(1 if form.groups else 0)
    secret = text[first:last]
    if rule.kind == "telegram token":
        digits = _DIGITS.search(text, max(0, at - 17), at)
        return (digits.start(), last, rule.kind) if digits else (first, last, "")
    if rule.kind == "password":
        user = text[at + 3 : first - 1]
        return first, last, "" if secret == user or _PLACEHOLDER.fullmatch(secret) else rule.kind
    drawn = secret if form.groups else secret[len(start) :]
    if (rule.mixed and not mixed(drawn)) or (rule.kind == "basic credentials" and not _is_basic(drawn)):
        return first, last, ""
    return first, last, rule.kind


def _is_basic(coded: str) -> bool:
    """Whether it is the base64 of a user, a colon and a password."""
    try:
        plain = binascii.a2b_base64(coded + "=" * (-len(coded) % 4)).decode()
    except ValueError:
        return False
    return ":" in plain and plain.isprintable()


def placeholder(secret: str) -> bool:
    """Whether a text only stands where a secret would stand."""
    return _PLACEHOLDER.fullmatch(secret) is not None


def mixed(secret: str) -> bool:
    """Whether a text looks drawn at random: letters and digits among each other, not words and a number."""
    digits = sum(letter.isdigit() for letter in secret)
    if digits == 0 or digits == len(secret):
        return False
    changes = sum(one.isdigit() != two.isdigit() for one, two in pairwise(secret))
    cases = any(letter.islower() for letter in secret) and any(letter.isupper() for letter in secret)
    least = 2 if cases and not secret.isalnum() else 3 if cases else 4
    if changes < least or len(set(secret)) < min(8, len(secret) // 2):
        return False
    return max(map(len, _PIECES.split(secret))) >= min(12, len(secret))
