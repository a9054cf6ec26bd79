"""Call ids: from whatever an id is in the log to one the asked provider takes, and never two to one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_ALNUM = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class IdForm:
    """What ids a provider takes (`legal`, a pattern, matches them whole), and how another one is made from a digest."""

    legal: str
    make: Callable[[bytes], str]


def _short(digest: bytes) -> str:
    number = int.from_bytes(digest)
    return "".join(_ALNUM[number // 62**place % 62] for place in range(9))


def _long(digest: bytes) -> str:
    return "call_" + digest.hex()[:24]


MESSAGES_IDS = IdForm("[A-Za-z0-9_-]{1,64}", _long)
CHAT_IDS = IdForm("[A-Za-z0-9_-]{1,40}", _long)  # OpenAI refuses ids over 40 characters.
MISTRAL_IDS = IdForm("[A-Za-z0-9]{9}", _short)


class CallIds:
    """The ids of one prompt. Ask in the prompt's order: the earlier id has the first choice, so that what a longer
    prompt adds never changes what its beginning was given."""

    def __init__(self, form: IdForm) -> None:
        self._form = form
        self._given: dict[str, str] = {}
        self._taken: set[str] = set()

    def legal(self, call_id: str) -> str:
        """The id to send for `call_id`, the same one each time."""
        if (known := self._given.get(call_id)) is not None:
            return known
        found = call_id if re.fullmatch(self._form.legal, call_id) else self._made(call_id, 0)
        salt = 0
        while found in self._taken:
            salt += 1
            found = self._made(call_id, salt)
        self._given[call_id] = found
        self._taken.add(found)
        return found

    def _made(self, call_id: str, salt: int) -> str:
        # Most sessions hold legal ids alone: they never pay for this import.
        from hashlib import sha256

        return self._form.make(sha256(f"{salt}:{call_id}".encode("utf-8", "surrogatepass")).digest())
