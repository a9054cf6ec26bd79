"""litellm failures: from whatever litellm raises to a `ModelError` that says what happened and what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from agentmem.model.door import ModelError
from agentmem.model.endpoint import Endpoint
from agentmem.model.failures import redacted, status_failure, stream_failure

# "litellm.RateLimitError: RateLimitError: OpenAIException - slow down": the names before what was said.
_NAME = r"[\w.]*(?:Error|Exception|Timeout)"
_NAMES = re.compile(rf"^(?:{_NAME}(?:\s*:\s*|\s+-\s+|\s+(?={_NAME}\b)))+")
_TRACE = "Traceback (most recent call last)"
_AFTERWORDS = re.compile(
    r"\.?\s(Handle with `litellm|Original exception:|Received Model Group=|Traceback \(most).*", re.DOTALL
)
_NO_KEY = re.compile(
    r"missing credentials|no key is set|missing .{0,40}(key|token|credentials)\b|_API_KEY is not set"
    r"|api[ _]key.{0,60}(must be|not) (set|provided)|please set .{0,60}\b(key|token)\b|unable to locate credentials"
    r"|default credentials were not found",
    re.IGNORECASE,
)
_NO_PROVIDER = re.compile(r"LLM Provider NOT provided|GetLLMProvider Exception|Unmapped LLM provider", re.IGNORECASE)
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL")

_NO_CONNECTION = frozenset({"ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror", "ProxyError"})
_NO_ANSWER = frozenset({"Timeout", "APITimeoutError", "ReadTimeout", "WriteTimeout", "PoolTimeout", "TimeoutError"})


def litellm_failure(error: Exception, endpoint: Endpoint, streaming: bool) -> ModelError:
    """The `ModelError` for an exception out of litellm; `streaming` tells that some of the reply had come."""
    chain = {kind.__name__ for one in _chain(error) for kind in type(one).__mro__}
    own = {kind.__name__ for kind in type(error).__mro__}
    words = _words(str(error))
    said = _safe(words, endpoint)
    if chain & _NO_ANSWER:
        return ModelError("network", f"{endpoint.model} did not answer in time. litellm said: {said}")
    if chain & _NO_CONNECTION or (not streaming and "Connection error" in words):
        where = endpoint.base_url or "the provider"
        return ModelError("network", f"No connection to {where}. Check the network, the proxy settings and api_base.")
    if "MidStreamFallbackError" in own or (streaming and "APIConnectionError" in own):
        return _dropped(error, endpoint, words)
    return _refused(own, error, endpoint, words)


def _dropped(error: Exception, endpoint: Endpoint, words: str) -> ModelError:
    """A stream that broke off; where the server said why, by a status or in words, that counts."""
    inner = getattr(error, "original_exception", None)
    status = getattr(inner, "status_code", None)
    if isinstance(inner, Exception) and status in (400, 401, 403, 404, 413, 429, 529):
        return status_failure(endpoint, status, _headers(inner), _said(inner, _words(str(inner)), endpoint))
    return stream_failure(endpoint, {"error": {"message": _safe(words, endpoint)}})


def _refused(own: set[str], error: Exception, endpoint: Endpoint, words: str) -> ModelError:
    said = _safe(words, endpoint)
    status = getattr(error, "status_code", None)
    if (found := _before_asking(own, error, endpoint, words)) is not None:
        return found
    if "ContextWindowExceededError" in own:
        return ModelError("overflow", f"The prompt is too large for {endpoint.model}. litellm said: {said}", status=400)
    if isinstance(status, int) and 400 <= status < 600:
        return status_failure(endpoint, status, _headers(error), _said(error, words, endpoint))
    return ModelError("bad_request", f"litellm failed for {endpoint.model} ({type(error).__name__}): {said}")


def _before_asking(own: set[str], error: Exception, endpoint: Endpoint, words: str) -> ModelError | None:
    """What litellm refuses by itself or trips over, without a word of the provider's."""
    model = endpoint.model
    if "UnsupportedParamsError" in own and "tools" in words:
        return ModelError(
            "no_tools", f"{model} takes no tool calls, and an agent works by them: choose a model that does."
        )
    if _NO_PROVIDER.search(words):
        return ModelError("unknown_model", f"litellm knows no provider for {model}: name it provider/name.")
    if getattr(error, "status_code", None) not in (None, 401, 500):
        return None
    said = _safe(words, endpoint)
    if _NO_KEY.search(words):
        return ModelError("refused_key", f"{model} needs credentials in the environment. litellm said: {said}")
    if "ImportError" in own or "pip install" in words:
        return ModelError("bad_request", f"A package that {model} needs is not installed: {said}")
    tripped = "APIConnectionError" in own and _TRACE in str(error)
    return ModelError("bad_request", f"litellm failed for {model}: {said}") if tripped else None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from, as far as that is told."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = getattr(one, "original_exception", None) or one.__cause__ or one.__context__


def _words(text: str) -> str:
    """What was said, without litellm's names around it; some of its doors show a body as Python shows bytes."""
    text = _AFTERWORDS.sub("", _NAMES.sub("", text.strip())).strip()
    if text[:2] in ("b'", 'b"'):
        from ast import literal_eval

        with suppress(ValueError, SyntaxError):
            return bytes(literal_eval(text)).decode("utf-8", "replace")
    return text


def _said(error: Exception, words: str, endpoint: Endpoint) -> bytes:
    """What the server sent, or as much of it as litellm kept: with its codes where they are there."""
    body = next((body for one in _chain(error) if isinstance(body := getattr(one, "body", None), Mapping)), None)
    if body is None:
        return _safe(words, endpoint).encode()
    return _safe(json.dumps({"error": {key: str(value) for key, value in body.items()}}), endpoint).encode()


def _headers(error: Exception) -> Mapping[str, str]:
    told = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", None
    )
    return {str(name).lower(): str(value) for name, value in dict(told or {}).items()}


def _safe(text: str, endpoint: Endpoint) -> str:
    """`text` without the key and without any secret of the environment: litellm reads those itself."""
    for name, value in endpoint.env.items():
        if len(value) >= 8 and _SECRET_NAME.search(name):
            text = text.replace(value, "[key]")
    return redacted(text, endpoint)
