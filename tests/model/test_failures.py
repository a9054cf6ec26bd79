from __future__ import annotations

import json
from typing import Any

import pytest

from agentmem.model.door import ModelError
from agentmem.model.endpoint import Endpoint
from agentmem.model.failures import redacted, status_failure, stream_failure

OPENAI = Endpoint("openai/gpt-x", "openai", "gpt-x", "https://api.openai.com/v1", key="k-0123456789abcdef")
OLLAMA = Endpoint("ollama/qwen3", "ollama", "qwen3", "http://localhost:11434/v1")


def failure(status: int, body: Any, endpoint: Endpoint = OPENAI, **headers: str) -> ModelError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return status_failure(endpoint, status, headers, raw)


OVERFLOWS = [
    (
        400,
        {
            "error": {
                "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000"
            }
        },
    ),
    (400, {"error": {"message": "too long", "code": "context_length_exceeded"}}),
    (400, {"error": {"message": "Your input exceeds the context window of this model."}}),
    (
        400,
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "prompt is too long: 2 tokens > 1 maximum"},
        },
    ),
    (400, {"error": {"message": "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"}}),
    (413, {"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
    (
        400,
        {
            "object": "error",
            "message": (
                "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"
            ),
        },
    ),
    (400, {"error": {"message": "Please reduce the length of the messages or completion."}}),
    (
        413,
        {
            "error": {
                "message": "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8000",
                "code": "rate_limit_exceeded",
            }
        },
    ),
    (
        429,
        {
            "error": {
                "message": (
                    "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 45000. "
                    "The input or output tokens must be reduced in order to run successfully."
                )
            }
        },
    ),
    (
        400,
        {
            "error": {
                "message": (
                    "This endpoint's maximum context length is 65536 tokens. However, you requested about 70000 tokens"
                )
            }
        },
    ),
    (
        400,
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": '{"error":{"message":"prompt is too long"}}'},
            }
        },
    ),
    (
        400,
        {
            "object": "error",
            "message": "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        },
    ),
    (
        400,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size, try increasing it",
                "type": "exceed_context_size_error",
            }
        },
    ),
    (500, {"error": {"code": 500, "message": "input is too large to process. increase the physical batch size"}}),
    (
        400,
        {
            "error": (
                "Trying to keep the first 5000 tokens when context the overflows. However, the model "
                "is loaded with context length of only 4096 tokens"
            )
        },
    ),
    (400, {"error": "The number of tokens to keep from the initial prompt is greater than the context length"}),
    (400, {"error": {"message": "the input length exceeds the context length"}}),
    (
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": (
                        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
                    ),
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
    ),
    (400, {"error": "This model's maximum prompt length is 131072 but the request contains 537812 tokens."}),
    (400, {"error": {"message": "Invalid request: Your request exceeded model token limit: 131072"}}),
    (400, {"error": {"message": "invalid params, context window exceeds limit"}}),
    (400, {"message": "Input is too long for requested model."}),
    (422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000", "error_type": "validation"}),
    (400, {"error": {"message": "The prompt is too long: 138610, model maximum context length: 131071"}}),
    (400, {"error": {"message": "prompt token count of 150000 exceeds the limit of 128000"}}),
]


@pytest.mark.parametrize(("status", "body"), OVERFLOWS)
def test_overflow(status: int, body: Any) -> None:
    error = failure(status, body)
    assert (error.failure, error.retryable, error.status) == ("overflow", False, status)


NOT_OVERFLOWS = [
    (
        429,
        {
            "error": {
                "message": (
                    "Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000, Used 29000, "
                    "Requested 4000. Please try again in 6s."
                )
            }
        },
        "rate_limit",
    ),
    (
        429,
        {
            "type": "error",
            "error": {
                "type": "rate_limit_error",
                "message": "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
            },
        },
        "rate_limit",
    ),
    (429, {"message": "Too many tokens, please wait before trying again."}, "rate_limit"),
    (
        400,
        {"error": {"message": "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens"}},
        "bad_request",
    ),
    (400, {"error": {"message": "messages.1.content.0.text.text: Field required"}}, "bad_request"),
    (
        400,
        {
            "error": {
                "message": "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64"
            }
        },
        "bad_request",
    ),
]


@pytest.mark.parametrize(("status", "body", "kind"), NOT_OVERFLOWS)
def test_what_only_sounds_like_it(status: int, body: Any, kind: str) -> None:
    assert failure(status, body).failure == kind


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        (404, "No endpoints found that support tool use. To learn more about provider routing, visit"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (400, "`tool calling` is not supported with this model"),
        (500, "tools param requires --jinja flag"),
        (400, "This model does not support function calling."),
        (400, "Function calling is not enabled for this model"),
    ],
)
def test_no_tools(status: int, message: str) -> None:
    error = failure(status, {"error": {"message": message}})
    assert (error.failure, error.retryable) == ("no_tools", False)
    assert "choose a model that does" in str(error)


def test_no_tools_says_how_to_start_the_server() -> None:
    assert "Start llama-server with --jinja." in str(failure(500, {"error": "tools param requires --jinja flag"}))
    words = str(failure(400, {"error": "requires --enable-auto-tool-choice"}))
    assert "Start vLLM with --enable-auto-tool-choice and --tool-call-parser." in words


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            404,
            {
                "error": {
                    "message": "The model `gpt-x` does not exist or you do not have access to it.",
                    "code": "model_not_found",
                }
            },
        ),
        (404, {"error": {"type": "not_found_error", "message": "model: gpt-x"}}),
        (400, {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}),
        (400, {"error": {"message": "gpt-x is not a valid model ID", "code": 400}}),
        (400, {"object": "error", "message": "Invalid model: gpt-x", "type": "invalid_model", "code": "1500"}),
        (404, b""),
        (404, b"404 page not found"),
        (400, {"error": {"message": "No models loaded. Please load a model"}}),
    ],
)
def test_unknown_model(status: int, body: Any) -> None:
    error = failure(status, body)
    assert (error.failure, error.retryable) == ("unknown_model", False)
    assert "openai/gpt-x was not found" in str(error)


def test_unknown_at_ollama_says_how_to_get_it() -> None:
    for message in ('model "qwen3" not found, try pulling it first', "model 'qwen3' not found"):
        error = failure(404, {"error": {"message": message, "type": "api_error"}}, OLLAMA)
        assert "`ollama pull qwen3`" in str(error)
        assert error.failure == "unknown_model"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, {"error": {"message": "Incorrect API key provided"}}),
        (401, b""),
        (403, {"error": {"message": "Country not supported"}}),
        (400, [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}]),
        (400, {"error": {"type": "authentication_error", "message": "no"}}),
    ],
)
def test_refused_key(status: int, body: Any) -> None:
    error = failure(status, body)
    assert (error.failure, error.retryable) == ("refused_key", False)
    assert "key" in str(error)


def test_a_key_that_is_not_set() -> None:
    assert "wants a key and none is set" in str(failure(401, {"error": "no"}, OLLAMA))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            429,
            {
                "error": {
                    "message": "You exceeded your current quota",
                    "type": "insufficient_quota",
                    "code": "insufficient_quota",
                }
            },
        ),
        (402, {"error": {"message": "Insufficient Balance"}}),
        (
            400,
            {
                "error": {
                    "type": "invalid_request_error",
                    "message": "Your credit balance is too low to access the Anthropic API.",
                }
            },
        ),
        (402, {"error": {"message": "This request requires more credits, or fewer max_tokens.", "code": 402}}),
    ],
)
def test_no_credit_is_not_waited_for(status: int, body: Any) -> None:
    error = failure(status, body, **{"retry-after": "5"})
    assert (error.failure, error.retryable, error.retry_after) == ("bad_request", False, None)
    assert "no credit or quota left" in str(error)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(500, "server"), (502, "server"), (529, "server"), (408, "server"), (409, "server"), (429, "rate_limit")],
)
def test_what_may_heal(status: int, kind: str) -> None:
    error = failure(status, b"<html><head><title>Bad gateway</title>", **{"retry-after": "3"})
    assert (error.failure, error.retryable, error.retry_after) == (kind, True, 3.0)
    assert "a web page (Bad gateway)" in str(error)


@pytest.mark.parametrize("status", [302, 400, 405, 415, 418, 422])
def test_what_cannot(status: int) -> None:
    error = failure(status, {"detail": [{"msg": "field required"}, {"msg": "extra"}, 5]})
    assert (error.failure, error.retryable) == ("bad_request", False)


def test_words_of_every_shape() -> None:
    assert "field required; extra" in str(failure(422, {"detail": [{"msg": "field required"}, {"msg": "extra"}]}))
    assert "plain words" in str(failure(400, b"plain\n  words"))
    assert "status 400" in str(failure(400, {"error": None}))
    assert "status 400" in str(failure(400, {"error": 7}))
    assert "deep" in str(failure(400, {"error": {"error": "deep"}}))
    assert len(str(failure(400, b"x" * 100_000))) < 700
    assert failure(400, b"\xff\xfe[[[").failure == "bad_request"


def test_a_call_that_the_server_could_not_read_may_be_asked_again() -> None:
    for status, error in (
        (400, {"message": "Failed to call a function.", "code": "tool_use_failed"}),
        (500, "error parsing tool call: raw='{'"),
    ):
        found = failure(status, {"error": error})
        assert (found.failure, found.retryable) == ("dropped", True)


def test_more_memory_than_there_is_is_not_waited_for() -> None:
    words = "model requires more system memory (9.1 GiB) than is available (4.2 GiB)"
    assert failure(500, {"error": words}, OLLAMA).failure == "bad_request"


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "server"),
        ({"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}, "rate_limit"),
        ({"type": "error", "error": {"type": "api_error", "message": "Internal"}}, "dropped"),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": "bad"}}, "bad_request"),
        ({"error": {"code": 502, "message": "Provider disconnected"}}, "server"),
        ({"error": {"code": 429, "message": "later"}}, "rate_limit"),
        ({"error": {"code": "429", "message": "later"}}, "rate_limit"),
        ({"error": {"message": "The server had an error", "type": "server_error"}}, "server"),
        ({"error": "unexpected end"}, "dropped"),
        ({"error": {"message": "model 'x' not found"}}, "unknown_model"),
        ({"object": "error", "message": "prompt is too long"}, "overflow"),
        ({"error": {}}, "dropped"),
    ],
)
def test_within_a_stream(event: dict[str, Any], kind: str) -> None:
    assert stream_failure(OPENAI, event).failure == kind


def test_redacted() -> None:
    endpoint = Endpoint(
        "a/b", "a", "b", "http://x", key="k-0123456789abcdef", headers={"X-Auth": "Basic c2VjcmV0LXZhbHVl"}
    )
    assert redacted("key k-0123456789abcdef!", endpoint) == "key [key]!"
    assert redacted("key k-012345678… and …9abcdef and x89abcdef", endpoint) == "key [key] and …9abcdef and [key]"
    assert redacted("got Basic c2VjcmV0LXZhbHVl", endpoint) == "got Basic [key]"
    assert redacted("provided: sk-abcd****wxyz", endpoint) == "provided: [key]"
    assert redacted("a short one", Endpoint("a/b", "a", "b", "http://x", key="o")) == "a short one"
