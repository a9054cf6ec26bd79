"""Shape: what of a door's settings decides how its request bodies look, as plain data that a log can keep.

    {"kind":"chat","provider":"openai","name":"gpt-5.2","max_output":128000,"dialect":{"limit_key":"max_completion_tokens"}}

Never an address, a key or a header: none of them stands in a body. What is as usual is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentmem.domain.prompt import Prompt
from agentmem.model.dialect import Dialect, dialect_of
from agentmem.model.endpoint import Endpoint

Write = Callable[[Prompt], bytes]


class ShapeUnknown(Exception):
    """No body can be written for a shape: it is missing, damaged, or of a door that this version does not have."""


def chat_shape(endpoint: Endpoint) -> dict[str, Any]:
    """The shape of a chat door's bodies."""
    return _shape("chat", endpoint, dialect_of(endpoint))


def messages_shape(endpoint: Endpoint) -> dict[str, Any]:
    """The shape of a Messages door's bodies."""
    return _shape("messages", endpoint, Dialect())


def litellm_shape(endpoint: Endpoint) -> dict[str, Any]:
    """The shape of what the litellm door hands over."""
    return _shape("litellm", endpoint, dialect_of(endpoint))


SCRIPTED_SHAPE: Mapping[str, Any] = {"kind": "scripted"}


def _shape(kind: str, endpoint: Endpoint, dialect: Dialect) -> dict[str, Any]:
    out: dict[str, Any] = {"kind": kind, "provider": endpoint.provider, "name": endpoint.name}
    if endpoint.max_output is not None:
        out["max_output"] = endpoint.max_output
    if differs := dialect.to_json():
        out["dialect"] = differs
    return out


def writer(model: str, shape: object) -> Write:
    """What writes the bodies of a door of this shape for `model` (litellm's naming). Raises `ShapeUnknown`."""
    if not isinstance(shape, Mapping):
        raise ShapeUnknown("the log does not say how the door wrote its requests")
    kind = shape.get("kind")
    if kind == "scripted":
        from agentmem.model.scripted import scripted_body

        return lambda prompt: scripted_body(model, prompt)
    endpoint, dialect = _endpoint(model, shape), _dialect(shape)
    if kind == "chat":
        from agentmem.model.chat_body import ChatBody

        return ChatBody(endpoint, dialect).write
    if kind == "messages":
        from agentmem.model.messages_body import MessagesBody

        return MessagesBody(endpoint).write
    if kind == "litellm":
        from agentmem.model.litellm_body import LitellmBody

        return LitellmBody(endpoint, dialect).write
    raise ShapeUnknown(f"this agentmem has no door of the kind {kind!r}")


def _endpoint(model: str, shape: Mapping[str, Any]) -> Endpoint:
    provider, name, most = shape.get("provider"), shape.get("name"), shape.get("max_output")
    if not (isinstance(provider, str) and isinstance(name, str)):
        raise ShapeUnknown("what the log says of the door is damaged: provider or name is missing")
    if most is not None and (isinstance(most, bool) or not isinstance(most, int)):
        raise ShapeUnknown("what the log says of the door is damaged: max_output is no number")
    return Endpoint(model, provider, name, base_url="", max_output=most)


def _dialect(shape: Mapping[str, Any]) -> Dialect:
    try:
        return Dialect.from_json(shape.get("dialect", {}))
    except ValueError as error:
        raise ShapeUnknown(f"this agentmem does not know the door's dialect: {error}") from None
