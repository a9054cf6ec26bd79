"""Request: what was sent to a model, rebuilt from files alone and checked against the hash that the log keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentmem import __version__
from agentmem.app.home import places_of
from agentmem.domain.entry import Entry
from agentmem.memory.memory import History, PartLost, Sent, history
from agentmem.model.shape import ShapeUnknown, writer

_FORGOTTEN = "call {number} of {session} holds what was forgotten: `agentmem forget` took words of it away for good"
_HEX = 32  # digits of the hash that a `call` entry keeps


class NotRebuilt(Exception):
    """A request cannot be rebuilt, or is not the one that was sent; the message names what is missing or differs."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it was sent: its `body`, and a line that says which one it is."""

    body: bytes
    told: str


def request(session: str, call: str, env: Mapping[str, str]) -> Request:
    """The request of a call: `call` is its number in the session's log, from 1 (negative: from the end), or the id of
    its entry. Raises `NotRebuilt`, `SessionMissing` and `LogWriteError`."""
    past = history(places_of(env), session)
    number = _number(past, call)
    entry = past.calls[number - 1]
    try:
        sent, body = _body(past, entry)
    except (PartLost, ShapeUnknown) as lost:
        if past.forgotten(entry):
            raise NotRebuilt(_FORGOTTEN.format(number=number, session=past.session)) from None
        raise NotRebuilt(f"call {number} of {past.session} cannot be rebuilt: {lost}{_damage(past)}") from None
    if hashlib.sha256(body).hexdigest()[:_HEX] != sent.sha256:
        gone = past.forgotten(entry)
        raise NotRebuilt(
            _FORGOTTEN.format(number=number, session=past.session) if gone else _differs(past, number, sent)
        )
    model = sent.asked.model if sent.asked else ""
    told = f"call {number} of {len(past.calls)}, {sent.at}, {model}: {len(body):,} bytes, the hash is right"
    return Request(body, told)


def _number(past: History, call: str) -> int:
    """The number of a call, from 1."""
    count = len(past.calls)
    by_id = next((number for number, one in enumerate(past.calls, 1) if one.id == call), None)
    if by_id is not None:
        return by_id
    try:
        wanted = int(call)
    except ValueError:
        raise NotRebuilt(
            f"{past.session} has no call {call!r}: give a number from 1 to {count}, or -1 for the last"
        ) from None
    if not 1 <= abs(wanted) <= count:
        raise NotRebuilt(f"{past.session} has no call {wanted}: there {'is 1' if count == 1 else f'are {count}'}")
    return wanted if wanted > 0 else count + 1 + wanted


def _body(past: History, call: Entry) -> tuple[Sent, bytes]:
    sent, prompt = past.sent(call)
    if sent.asked is None:
        raise PartLost("the log does not say which model was asked")
    try:
        return sent, writer(sent.asked.model, sent.asked.door)(prompt)
    except (ValueError, TypeError, RecursionError) as error:  # what a damaged log can hold
        raise PartLost(f"what the log holds cannot be put into a request: {error}") from None


def _differs(past: History, number: int, sent: Sent) -> str:
    """What is known of why a rebuilt body is not the one that was sent."""
    call = past.calls[number - 1]
    said = [
        f"call {number} of {past.session} is not what was sent: the parts before the messages are whole, but the body "
        f"that is rebuilt does not have the hash {sent.sha256 or '(none is kept)'}"
    ]
    earlier = past.before(call)
    good = _last(earlier, lambda one: _is_right(past, one))
    between = past.since(good, call)
    if good is None and earlier:
        said.append("no call before it on its branch can be rebuilt either")
    if between:
        after = f"call {past.calls.index(good) + 1} is still right, so " if good else ""
        said.append(f"{after}what differs is among the entries {between[0].id} to {between[-1].id}")
    made = sent.asked.agentmem if sent.asked else None
    if made != __version__:
        said.append(
            f"it was made by agentmem {made or '(unknown)'}, and this is {__version__}, which may write it otherwise"
        )
    return "; ".join(said) + _damage(past)


def _is_right(past: History, call: Entry) -> bool:
    try:
        sent, body = _body(past, call)
    except (PartLost, ShapeUnknown):
        return False
    return hashlib.sha256(body).hexdigest()[:_HEX] == sent.sha256


def _last(calls: tuple[Entry, ...], right: Callable[[Entry], bool]) -> Entry | None:
    """The last call that is right, by halving: what damages one request damages those that extend it."""
    low, high = 0, len(calls)
    while low < high:
        middle = (low + high) // 2
        if right(calls[middle]):
            low = middle + 1
        else:
            high = middle
    return calls[low - 1] if low else None


def _damage(past: History) -> str:
    return "".join(f"; the log is damaged: {notice}" for notice in past.notices)
