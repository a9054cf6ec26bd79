"""Secrecy: does a claim hold a secret? Our own rules, those of detect-secrets, and what is said in plain words.

The library's rules are a second opinion: its plugins for providers' tokens, keys and connection strings, without its
noisy ones (any word after "secret", any long hex). It is imported only for a text that could hold a token at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from math import log2
from typing import Any

from agentmem.memory.write import redact

_PLUGINS = {
    "artifactory": "ArtifactoryDetector",
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "basic_auth": "BasicAuthDetector",
    "cloudant": "CloudantDetector",
    "discord": "DiscordBotTokenDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "ibm_cloud_iam": "IbmCloudIamDetector",
    "jwt": "JwtTokenDetector",
    "mailchimp": "MailchimpDetector",
    "npm": "NpmDetector",
    "openai": "OpenAIDetector",
    "private_key": "PrivateKeyDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}
_KIND = "secret"
_WORD = (
    r"(?:pass(?:word|phrase|code|wd)|pwd|pin(?: code)?|(?:api|access|secret|private|signing|encryption|license|master|"
    r"ssh)"
    r"[ _-]?keys?|(?:access|auth|api|bearer|refresh|bot|session|personal access)[ _-]?tokens?|tokens?|secrets?|"
    r"credentials?|login|pw|passwort|kennwort|mot de passe|contraseña|clave|senha|wachtwoord|lösenord|hasło|пароль)"
)
_IS = r"\b(?:is|are|to|ist|lautet|est|es|é|är|это)\b|=|:|->"
_UNSPACED = r"(?:密码|密碼|パスワード|비밀번호)\w?(?:是|は|=|:|：)?"
_SAID = re.compile(
    rf"(?:\b{_WORD}\b[^.;\n]{{0,40}}?(?:{_IS})|{_UNSPACED})\s*[\"'`“]?([^\s\"'`”,;]{{4,200}})", re.IGNORECASE
)
_NEAR = re.compile(rf"\b{_WORD}\b.{{0,60}}", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9+/_=.~-]{16,}")
_NO_VALUE = re.compile(
    r"(?:[a-z]+://|[~./]|\$|\{|<|%)\S*|[a-z]+(?:[-_.][a-z]+)*|[A-Z]+(?:_[A-Z]+)+|\d{1,3}|\S*\.(?:md|ya?ml|json|txt|env|"
    r"py)|"
    r"\d+[a-z]{0,12}|\w+-(?:\w+ed|only|based|bit|digit)",
    re.IGNORECASE,
)


def secret(text: str) -> bool:
    """Whether a text holds something that gives access."""
    if redact.said(text) or any(True for _ in _looks(text)):
        return True
    return redact.token_like(text) and any(True for _ in _found(text))


def spans(text: str) -> list[redact.Span]:
    """Where that stands in a text, in order; none of them overlap."""
    return redact.apart([*redact.said(text), *beyond(text)])


def beyond(line: str) -> list[redact.Span]:
    """What of it our own rules for texts do not find: by the looks, and by the library's rules. Each of these looks at
    a line."""
    found = list(_looks(line))
    return found + list(_found(line)) if redact.token_like(line) else found


def _looks(text: str) -> Iterator[redact.Span]:
    """A password by its looks, wherever a key word stands before it, or a random run beside one."""
    if not redact.named(text):
        return
    for found in _SAID.finditer(text):
        value = found[1].rstrip(".!?)")
        if len(value) >= 6 and "(" not in value and not _NO_VALUE.fullmatch(value) and _mixed(value):
            yield found.start(1), found.start(1) + len(value), _KIND
    for near in _NEAR.finditer(text):
        for token in _TOKEN.finditer(near[0]):
            if _random(token[0]):
                yield near.start() + token.start(), near.start() + token.end(), _KIND


def _mixed(value: str) -> bool:
    kinds = (str.islower, str.isupper, str.isdigit, lambda letter: not letter.isalnum())
    return sum(any(map(kind, value)) for kind in kinds) >= 2 and (any(map(str.isdigit, value)) or "!" in value)


def _random(token: str) -> bool:
    """Drawn at random, by the look of it: many different letters and figures, no words of a path or a name."""
    if sum(map(str.isdigit, token)) < 3 or not any(map(str.isalpha, token)) or "/" in token or "." in token:
        return False
    bits = -sum(token.count(one) / len(token) * log2(token.count(one) / len(token)) for one in set(token))
    return bits > 3.5 and not re.fullmatch(r"[0-9a-f-]{32,64}", token)


@cache
def _plugins() -> tuple[Any, ...]:
    return tuple(
        getattr(import_module(f"detect_secrets.plugins.{module}"), name)() for module, name in _PLUGINS.items()
    )


def _found(text: str) -> Iterator[redact.Span]:
    """What the library's rules find; of what does not stand there as they give it, all of the text is the secret."""
    for plugin in _plugins():
        for value in plugin.analyze_string(text):
            at = text.find(value) if value else -1
            yield (at, at + len(value), _KIND) if at >= 0 else (0, len(text), _KIND)
