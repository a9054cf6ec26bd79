"""A door: one way to ask a model. Each provider protocol is one sibling module; all of them keep this contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from agentmem.domain.cancel import Cancel
from agentmem.domain.prompt import Prompt

if TYPE_CHECKING:
    from agentmem.domain.event import CallDelta, Notice, TextDelta, ThinkingDelta
    from agentmem.domain.message import Reply

Piece: TypeAlias = "TextDelta | ThinkingDelta | CallDelta | Notice | Reply"

Failure = Literal[
    "refused_key",  # 401, 403: the key is missing, wrong or not allowed
    "unknown_model",  # 404 or the provider's own word for it
    "overflow",  # the prompt is larger than the model's window
    "rate_limit",  # 429
    "server",  # 5xx, overloaded
    "network",  # no connection, a time limit, TLS
    "dropped",  # the stream ended before its end mark, or sent an error
    "no_tools",  # the model takes no tool calls
    "bad_request",  # any other 4xx: asking again the same way cannot help
    "dry",  # the scripted model has no reply left
]

RETRYABLE: frozenset[Failure] = frozenset({"rate_limit", "server", "network", "dropped"})


class ModelError(Exception):
    """A model call failed. `str(error)` says what happened and what the person can do; it never holds a key.

    `retry_after` is the wait in seconds that the server asked for, None when it asked for none. `final` marks a failure
    that waiting does not mend although its kind often heals (a certificate that is not accepted).
    """

    def __init__(
        self,
        failure: Failure,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        final: bool = False,
    ):
        super().__init__(message)
        self.failure: Failure = failure
        self.status = status
        self.retry_after = retry_after
        self.final = final

    @property
    def retryable(self) -> bool:
        """True when the same request may succeed later."""
        return self.failure in RETRYABLE and not self.final


class Door(Protocol):
    """One model behind one protocol. It keeps no history; it may keep a connection and rendered messages."""

    @property
    def model(self) -> str:
        """The model in litellm's naming, ``provider/name``."""
        ...

    @property
    def shape(self) -> Mapping[str, Any]:
        """What of the settings decides how a body looks, never a key or an address; see `agentmem.model.shape`."""
        ...

    def body(self, prompt: Prompt) -> bytes:
        """The exact request body that `stream` sends for this prompt: a pure function of prompt and settings."""
        ...

    def stream(self, prompt: Prompt, cancel: Cancel) -> Iterator[Piece]:
        """Ask once. Yields deltas as they come (and a `Notice` where a part of the stream could not be read) and, last,
        exactly one whole `Reply`.

        Raises `ModelError` (no `Reply` is yielded then), `Cancelled` when the token is set. Nothing is retried here.
        """
        ...

    def close(self) -> None:
        """Give the connection back."""
        ...
