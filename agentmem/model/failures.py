"""Failures: from what a server answered to what went wrong, and what the person can do about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agentmem.model.door import Failure, ModelError
from agentmem.model.endpoint import Endpoint
from agentmem.model.retry_after import asked_wait
from agentmem.model.sse import parse_object

_WORDS_LIMIT = 500

# The words of OpenAI, Anthropic, Mistral, Groq, DeepSeek, OpenRouter, vLLM, llama.cpp, Ollama, LM Studio, Gemini, xAI,
# Moonshot, MiniMax, Fireworks, Together and Bedrock for a prompt that does not fit.
_OVERFLOW = re.compile(
    r"context[_ ]length[_ ]exceeded|context_window_exceeded|exceed_context_size|maximum context length"
    r"|exceeds? (the|this model'?s?|model) (maximum )?context|exceeds? the available context|context window exceed"
    r"|(prompt|input) is too long|prompt too long|input length exceeds|exceed(s|ed)? context limit|context overflow"
    r"|too large for model with|reduce the length of (the|your) (messages|prompt|input)|maximum prompt length"
    r"|(longer|greater) than the (maximum )?(model|context|input) length|tokens? to keep from the initial prompt"
    r"|context the overflows|input token count.{0,40}exceeds|input tokens exceed|exceed(s|ed)? model token limit"
    r"|prompt token count.{0,40}exceeds|context size (has been )?exceeded|input is too large to process"
    r"|`?inputs`? tokens \+ `?max_new_tokens`? must be|request exceeds the maximum size|request_too_large"
    r"|token limit exceeded|exceeds the model'?s? (maximum )?(context|input)",
    re.IGNORECASE,
)
# A minute's allowance smaller than the one request: waiting never mends it, a smaller prompt does.
_OVER_ALLOWANCE = re.compile(r"request too large|input or output tokens must be reduced", re.IGNORECASE)
_NO_TOOLS = re.compile(
    r"(does not|doesn'?t|do not|not) support (the use of )?(tools?\b|tool[ _-](use|call|choice)|function[ _-]?call)"
    r"|support tool use|`?(tool[ _]calling|tools?|function calling|functions?)`? (is|are) not (support|enabl|avail)"
    r"|enable-auto-tool-choice|tools? param requires --jinja|tool use is not supported",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|invalid_model\b|unknown model|no such model|model not (exist|found)|not a valid model"
    r"|invalid model\b|try pulling it first|model [`'\"]?[^\s`'\"]+[`'\"]? (was )?(not found|does not exist|not exist)"
    r"|no models? (is |are )?loaded|model `[^`]+` does not exist",
    re.IGNORECASE,
)
_NO_KEY = re.compile(
    r"(invalid|incorrect|missing|no|expired)[ _](x-)?api[ _-]?key|api[ _]key (not valid|is invalid|expired)"
    r"|authentication_error|invalid_api_key|no auth credentials|permission_error|unauthorized",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient[ _](balance|credits?|funds)|credit balance is too low"
    r"|billing_(hard_limit|not_active)|requires more credits|payment required",
    re.IGNORECASE,
)
_NO_ROOM = re.compile(r"requires more (system )?memory|out of memory", re.IGNORECASE)
# The model wrote a call that its server could not read: asked again it may write another.
_GARBLED = re.compile(r"tool_use_failed|failed_generation|output_parse_failed|error parsing tool call", re.IGNORECASE)
_BUSY = re.compile(r"overloaded|server_error|internal_error|insufficient_system_resource|unavailable", re.IGNORECASE)
_RATE = re.compile(r"rate[ _]limit|too[ _]many[ _]requests|throttl", re.IGNORECASE)
_SECRET_NAME = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a server said: `words` for people, `all` also holds its codes and types."""

    words: str
    all: str
    code: int | None = None


def status_failure(endpoint: Endpoint, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
    """The error for a response that is no success. `headers` has lower-case names."""
    said = _said(body.decode("utf-8", "replace"))
    if 300 <= status < 400:
        where = headers.get("location", "another address")
        said = _Said(_short(f"moved to {where}; set api_base to where it is now"), "")
    failure = _by_words(said.all, status) or _by_status(status)
    wait = asked_wait(headers, said.words) if failure in ("rate_limit", "server") else None
    return _error(endpoint, failure, said.words or f"status {status}", status, wait)


def stream_failure(endpoint: Endpoint, event: Mapping[str, Any]) -> ModelError:
    """The error for an error object that came within a stream, or as the whole body of a success."""
    said = _told(event)
    status = said.code if said.code is not None and 400 <= said.code < 600 else None
    failure = _by_words(said.all, status or 0)
    if failure is None:
        failure = _by_status(status) if status else _by_kind(said.all)
    wait = asked_wait({}, said.words) if failure in ("rate_limit", "server") else None
    return _error(endpoint, failure, said.words or "an error without a word", status, wait)


def redacted(text: str, endpoint: Endpoint) -> str:
    """`text` without the key, without a part of it that a server quoted, and without other secret headers."""
    hidden = [value for name, value in endpoint.headers.items() if _SECRET_NAME.search(name)]
    pieces = [(endpoint.key or "").strip(), *(piece for value in hidden for piece in value.split() if len(piece) >= 8)]
    for secret in pieces:
        if len(secret) < 4:
            continue
        text = text.replace(secret, "[key]")
        if len(secret) >= 12:
            text = re.sub(rf"{re.escape(secret[:8])}\S*|\S*{re.escape(secret[-8:])}", "[key]", text)
    return re.sub(r"\b(sk|gsk|xai|pk|rk)[-_][\w*.…-]{6,}", "[key]", text)


def _by_words(text: str, status: int) -> Failure | None:
    if status in (401, 403):
        return "refused_key"
    if _NO_CREDIT.search(text) or status == 402:
        return "bad_request"
    if status == 413 or _OVER_ALLOWANCE.search(text) or (status != 429 and _OVERFLOW.search(text)):
        return "overflow"
    if status == 429:
        return "rate_limit"
    for pattern, failure in _BY_WORDS:
        if pattern.search(text):
            return failure
    return None


_BY_WORDS: tuple[tuple[re.Pattern[str], Failure], ...] = (
    (_NO_TOOLS, "no_tools"),
    (_NO_MODEL, "unknown_model"),
    (_NO_KEY, "refused_key"),
    (_NO_ROOM, "bad_request"),
    (_GARBLED, "dropped"),
)


def _by_status(status: int) -> Failure:
    if status == 404:
        return "unknown_model"
    # 408, 409 and 425 tell of the moment, not of the request.
    return "server" if status >= 500 or status in (408, 409, 425) else "bad_request"


def _by_kind(text: str) -> Failure:
    if _RATE.search(text):
        return "rate_limit"
    if _BUSY.search(text):
        return "server"
    return "bad_request" if "invalid_request" in text else "dropped"


def _said(text: str) -> _Said:
    text = text.strip()
    inner = text.removeprefix("[").removesuffix("]") if text.startswith("[") else text
    if (found := parse_object(inner)) is not None:
        return _told(found)
    if text[:1] == "<":
        title = re.search(r"<title>([^<]{1,200})", text, re.IGNORECASE)
        words = f"a web page ({title[1].strip()})" if title else "a web page"
        return _Said(words, words)
    return _Said(_short(text), _short(text))


def _told(event: Mapping[str, Any]) -> _Said:
    error = event.get("error", event)
    if isinstance(error, str):
        return _Said(_short(error), _short(error))
    if not isinstance(error, Mapping):
        return _Said("", "")
    words = next((word for word in _words(error) if word), "") or next((word for word in _words(event) if word), "")
    raw = error.get("metadata")
    if isinstance(raw, Mapping) and isinstance(raw.get("raw"), str):
        # A relay's own words say little; it passes on what the provider behind it said.
        words = f"{words}: {_said(raw['raw']).words}"
    codes = [str(error.get(key) or "") for key in ("type", "code", "status")]
    code = error.get("code")
    number = int(code) if isinstance(code, (int, str)) and str(code).isdecimal() and len(str(code)) == 3 else None
    return _Said(_short(words), _short(" ".join([words, *codes])), number)


def _words(error: Mapping[str, Any]) -> Iterable[str]:
    for key in ("message", "detail", "error", "msg"):
        value = error.get(key)
        if isinstance(value, str):
            yield value.strip()
        elif isinstance(value, list):
            yield "; ".join(str(item.get("msg", "")) for item in value if isinstance(item, Mapping))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WORDS_LIMIT else text[:_WORDS_LIMIT] + "…"


def _error(endpoint: Endpoint, failure: Failure, words: str, status: int | None, wait: float | None) -> ModelError:
    said = redacted(words, endpoint)
    return ModelError(failure, _ADVICE[failure](endpoint, said, status), status=status, retry_after=wait)


def _unknown_model(endpoint: Endpoint, said: str, status: int | None) -> str:
    if endpoint.provider.startswith("ollama"):
        return f"Ollama has no model {endpoint.name}. Get it with `ollama pull {endpoint.name}`. It said: {said}"
    return (
        f"{endpoint.model} was not found: check the model's name, and api_base if you set one. The server said: {said}"
    )


def _no_tools(endpoint: Endpoint, said: str, status: int | None) -> str:
    more = ""
    if "auto-tool-choice" in said:
        more = " Start vLLM with --enable-auto-tool-choice and --tool-call-parser."
    elif "jinja" in said:
        more = " Start llama-server with --jinja."
    return (
        f"{endpoint.model} takes no tool calls, and an agent works by them: choose a model that does.{more} "
        f"The server said: {said}"
    )


def _refused_key(endpoint: Endpoint, said: str, status: int | None) -> str:
    if endpoint.key is None:
        return f"{endpoint.model} wants a key and none is set. The server said: {said}"
    return (
        f"The key for {endpoint.model} was refused: check that it is right and may use this model. "
        f"The server said: {said}"
    )


def _bad_request(endpoint: Endpoint, said: str, status: int | None) -> str:
    if status == 402 or _NO_CREDIT.search(said) or "quota" in said:
        return (
            f"The account for {endpoint.model} has no credit or quota left; waiting does not help. "
            f"The server said: {said}"
        )
    return f"{endpoint.model} refused the request{f' ({status})' if status else ''}: {said}"


_ADVICE = {
    "refused_key": _refused_key,
    "unknown_model": _unknown_model,
    "overflow": lambda endpoint, said, status: f"The prompt is too large for {endpoint.model}. The server said: {said}",
    "rate_limit": lambda endpoint, said, status: f"{endpoint.model} is at its rate limit. The server said: {said}",
    "server": lambda endpoint, said, status: (
        f"The server of {endpoint.model} failed{f' ({status})' if status else ''}. It said: {said}"
    ),
    "no_tools": _no_tools,
    "dropped": lambda endpoint, said, status: f"The stream of {endpoint.model} ended with an error: {said}",
    "bad_request": _bad_request,
}
