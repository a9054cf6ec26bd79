"""Redact: secrets in a text become marks such as `[redacted: github token 8f3a]`, by rules and in linear time.

    [redacted: KIND MARK]    MARK is 4 hex digits of the secret's HMAC: equal secrets have equal marks

What identifies but gives no access (hashes, commits, uuids, signatures, public keys) stays as it is. Each rule looks
for a literal first, so that a text without secrets costs little more than reading it; what follows is matched once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from agentmem.domain.message import Part, Text, Thinking, ToolCall, part_to_json, parts_from_json

Span = tuple[int, int, str]
"""From where to where a secret stands in a text, and its kind."""


# Parts of names that may make a secret of what they name.
_NAMING = (
    "key",
    "token",
    "secret",
    "auth",
    "passw",
    "passphrase",
    "credential",
    "pwd",
    "_pass",
    "_pat",
    "_salt",
    "dsn",
)

# Without one of these nobody speaks of a secret; most of what is said needs no look at its grammar.
_SPOKEN = (
    "pass|pw|pin|otp|psk| key|_key|-key| code|token|secret|phrase|mnemonic|login|log in|log-in|logged in|sign-in|"
    "signin|cred|combination|basic auth|kennwort|contraseña|senha|wachtwoord|lösenord|hasło|пароль"
)
_SPOKEN_OF = tuple(_SPOKEN.split("|"))

# Without one of these no line names a secret, in any language that is looked at.
_NAMES = (
    "pass|pwd|pin|key|token|secret|credential|login|pw|kennwort|contraseña|clave|senha|wachtwoord|lösenord|hasło|"
    "пароль|密码|密碼|パスワード|비밀번호"
)
_NAMES_OF = tuple(_NAMES.split("|"))
# Something a token could be: a long run with a figure in it, a key's first line, or an address with a password.
_RUN = re.compile(r"(?=[^\s]{0,200}\d)[^\s]{16,}|-----BEGIN|://[^\s/]*@")

_MARK = r"\[redacted: [a-z ]{2,40} [0-9a-f]{4}\]"

# What tells an entry's place and kind, and holds nothing that anyone said.
_PLACING = "type id parent_id at role kind content call_id usage stop form to of first_kept first_kept_offset why"
_FIXED = frozenset(_PLACING.split(" "))
_PASSWORD, _TELLING = "password", 8  # a shorter one may be an everyday word
_MOST_TOLD = 256
_SPEAKERS = frozenset(("person", "agent"))


def spans(text: str) -> list[Span]:
    """The secrets of a text, in order; of those that overlap the one that begins first, then the longest."""
    from agentmem.memory.write import token  # what most starts never come to is loaded when something is recorded

    found = list(token.spans(text))
    if "PRIVATE KEY-" in text or "Private-Lines" in text or "PRIVATE KEY BLOCK-" in text:
        from agentmem.memory.write import keyblock

        found += keyblock.spans(text)
    folded = _folded(text)
    if any(word in folded for word in _NAMING):
        from agentmem.memory.write import assignment

        found += assignment.spans(text, folded)
    return apart(found)


def said(text: str) -> list[Span]:
    """The secrets of a text that somebody speaks: also those that its words make one ("the password is swordfish")."""
    folded = " " + text.lower()
    if not any(word in folded for word in _SPOKEN_OF):
        return spans(text)
    from agentmem.memory.write import spoken

    return apart(unmarked([*spans(text), *spoken.spans(text)], text))


def named(text: str) -> bool:
    """Whether a text has a word that may name a secret."""
    folded = text.lower()
    return any(name in folded for name in _NAMES_OF)


def token_like(text: str) -> bool:
    """Whether something in a text could be a token."""
    return _RUN.search(text) is not None


def unmarked(found: list[Span], text: str) -> list[Span]:
    """Those that are no part of a mark: its digits may look like a PIN."""
    if not found or "[redacted: " not in text:
        return found
    there = [one.span() for one in re.finditer(_MARK, text)]
    before = ((bisect_right(there, (one[0], len(text))) - 1, one) for one in found)
    return [one for at, one in before if at < 0 or one[1] > there[at][1]]


def again(found: list[Span], text: str) -> list[Span]:
    """Where a password that is told in a text (one of the first 256) stands in it once more, without a word that says
    what it is."""
    every = (text[start:end] for start, end, kind in found if kind == _PASSWORD and end - start >= _TELLING)
    told = set(islice(every, _MOST_TOLD))
    if not told:
        return []
    form = "|".join(map(re.escape, sorted(told, key=len, reverse=True)))
    return [(*one.span(), _PASSWORD) for one in re.finditer(rf"(?<!\w)(?:{form})(?!\w)", text)]


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines (from 1) on which what is said in a text holds a secret, and of which kind."""
    for start, _, kind in said(text):
        yield text.count("\n", 0, start) + 1, kind


def without_secrets(text: str, home: Path) -> str:
    """What a person typed, with marks for its secrets, under their own key."""
    return sealed(home).said(text)


def apart(found: list[Span]) -> list[Span]:
    """Spans in order, no two of which overlap: together they cover what all of them did."""
    kept: list[Span] = []
    for span in sorted(found, key=lambda span: (span[0], -span[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
        elif span[1] > kept[-1][1]:  # it reaches further: nothing of it may stay
            kept[-1] = (kept[-1][0], span[1], kept[-1][2])
    return kept


def marks(text: str) -> list[str]:
    """The marks that stand in a text."""
    if "[redacted: " not in text:
        return []
    return re.findall(_MARK, text)


def mark_in(call: ToolCall, known: Collection[str], shown: Callable[[], str]) -> str | None:
    """A mark in the arguments of a call that stands for a secret: one of `known`, or one in what was `shown`; None
    without one."""
    found = marks(str(dict(call.arguments)))
    text = shown() if found else ""
    return next((mark for mark in found if mark in known or mark in text), None)


def sealed(home: Path) -> Redactor:
    """A redactor under the person's own key, which is read when the first secret is found."""

    def key() -> bytes:
        from agentmem.memory.stores import seal  # few sessions meet a secret

        return seal.key(home)

    return Redactor(cache(key))


def _folded(text: str) -> str:
    """The text in small letters, each at its place: a letter that grows when it is folded stays."""
    folded = text.lower()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


class Redactor:
    """Redacts under a key that `key` gives when the first secret is found. `marks` are those put so far. Without
    `rules` nothing is a secret."""

    def __init__(self, key: Callable[[], bytes], *, rules: bool = True) -> None:
        self.marks: set[str] = set()
        self._told: dict[str, str] = {}
        self._key = key
        self._rules = rules

    def text(self, text: str) -> str:
        """The text with a mark for each secret; the same object when there is none."""
        return self._marked(text, spans)

    def said(self, text: str) -> str:
        """The same of what somebody speaks: a person, the agent. A password that was told once is known again where no
        word says what it is."""
        text = self._marked(text, said)
        for secret, mark in self._told.items():
            if secret in text:
                text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", mark, text)
        return text

    def _marked(self, text: str, rules: Callable[[str], list[Span]]) -> str:
        found = rules(text) if self._rules and text else []
        if not found:
            return text
        out: list[str] = []
        at = 0
        for start, end, kind in found:
            out += (text[at:start], self.mark(kind, text[start:end]))
            at = end
        return "".join((*out, text[at:]))

    def data(self, data: bytes) -> bytes:
        """Bytes of a text; what is no UTF-8 in them stays."""
        text = data.decode("utf-8", "surrogateescape")
        clean = self.text(text)
        return data if clean is text else clean.encode("utf-8", "surrogateescape")

    def value(self, value: Any) -> Any:
        """A JSON value with every text in it redacted, keys too."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self.value(key): self._named(key, item) for key, item in value.items()}
            case list() | tuple():
                return [self.value(item) for item in value]
        return value

    def part(self, part: Part) -> Part:
        """A part of a message. Signatures, ids and images stay; a thought that held a secret loses its signature, which
        is no longer true of it: providers take it for text or leave it out."""
        match part:
            case Text() if (text := self._of(part)) is not part.text:
                return Text(text, part.origin)
            case Thinking() if (text := self.text(part.text)) is not part.text:
                return Thinking(text, None, part.provider, None, part.origin)
            case ToolCall():
                raw = None if part.raw is None else self.text(part.raw)
                name = self.text(part.name)
                return ToolCall(part.id, name, self._arguments(part), raw, part.origin)
        return part

    def _of(self, part: Text) -> str:
        return self.said(part.text) if part.origin in _SPEAKERS else self.text(part.text)

    def _arguments(self, call: ToolCall) -> Any:
        """What a call is made with; what is to be remembered is said, not written into a file."""
        given = self.value(call.arguments)
        if call.name != "remember":
            return given
        return {key: self.said(item) if isinstance(item, str) else item for key, item in given.items()}

    def parts(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """The parts of a message."""
        return tuple(map(self.part, parts))

    def record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """An entry made of another tool's record: whatever is text in it but ids, names of kinds and places."""
        out = {key: item if key in _FIXED else self._named(key, item) for key, item in record.items()}
        if isinstance(content := record.get("content"), list):
            out["content"] = [self._item(item) for item in content]
        elif isinstance(content, str):
            out["content"] = self.text(content)
        return out

    def _item(self, item: Any) -> Any:
        for part in parts_from_json([item]):
            if (clean := self.part(part)) != part:
                return part_to_json(clean)
        return item

    def _named(self, key: Any, value: Any) -> Any:
        if (
            isinstance(key, str)
            and isinstance(value, str)
            and len(value) >= 10
            and any(w in key.lower() for w in _NAMING)
        ):
            from agentmem.memory.write import assignment

            if assignment.is_secret(key, value):
                return self.mark(assignment.KIND, value)
        return self.value(value)

    def mark(self, kind: str, secret: str) -> str:
        """The mark of a secret."""
        import hashlib  # loads OpenSSL, which nothing needs before the first secret
        import hmac

        digest = hmac.new(self._key(), secret.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        mark = f"[redacted: {kind} {digest[:4]}]"
        self.marks.add(mark)
        if kind == _PASSWORD and len(secret) >= _TELLING:
            self._told[secret] = mark
        return mark
