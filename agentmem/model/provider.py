"""Providers that a direct door can serve: protocol, address, and the variables that hold keys, as one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

Protocol = Literal["chat", "messages", "litellm"]


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider, named as litellm names it.

    `keys` and `bases` are environment variables, the first one set counts; `defaults` are models to take when only a
    key is there, best first. A `local` provider needs no key; an address without a path gets `/v1`. `prefix` stands
    before names that have no slash when they go to the server. `headers` maps variables to headers sent if set.
    """

    name: str
    protocol: Protocol
    base_url: str = ""
    keys: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()
    local: bool = False
    prefix: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    def served(self, name: str) -> str:
        """The name that the server itself uses."""
        return name if "/" in name else self.prefix + name


# In the order in which keys are looked for when no model is configured.
_PROVIDERS = (
    Provider(
        "anthropic",
        "messages",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
        ("claude-sonnet-5-5", "claude-sonnet-5", "claude-sonnet-4-6", "claude-sonnet-4-5"),
    ),
    Provider(
        "openai",
        "chat",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        ("gpt-5.2", "gpt-5.1", "gpt-5", "gpt-4.1"),
        headers=(("OPENAI_ORGANIZATION", "OpenAI-Organization"), ("OPENAI_PROJECT", "OpenAI-Project")),
    ),
    Provider(
        "openrouter",
        "chat",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY", "OR_API_KEY"),
        ("OPENROUTER_API_BASE",),
        ("anthropic/claude-sonnet-5.5", "anthropic/claude-sonnet-5", "anthropic/claude-sonnet-4.5"),
        prefix="openrouter/",
    ),
    Provider(
        "deepseek",
        "chat",
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        ("DEEPSEEK_API_BASE",),
        ("deepseek-v4-pro", "deepseek-flash", "deepseek-chat"),
    ),
    Provider(
        "mistral",
        "chat",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        ("MISTRAL_API_BASE",),
        ("devstral-latest", "mistral-large-latest"),
    ),
    Provider(
        "xai", "chat", "https://api.x.ai/v1", ("XAI_API_KEY",), ("XAI_API_BASE",), ("grok-4.7", "grok-4.5", "grok-4.3")
    ),
    Provider(
        "groq",
        "chat",
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        ("GROQ_API_BASE",),
        ("openai/gpt-oss-120b", "openai/gpt-oss-20b"),
    ),
    Provider(
        "cerebras",
        "chat",
        "https://api.cerebras.ai/v1",
        ("CEREBRAS_API_KEY",),
        ("CEREBRAS_API_BASE",),
        ("gpt-oss-120b",),
    ),
    Provider(
        "together_ai",
        "chat",
        "https://api.together.ai/v1",
        ("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHERAI_API_KEY", "TOGETHER_AI_TOKEN"),
        ("TOGETHER_AI_API_BASE",),
        ("zai-org/GLM-5.3", "zai-org/GLM-4.7", "moonshotai/Kimi-K2-Instruct"),
    ),
    Provider(
        "fireworks_ai",
        "chat",
        "https://api.fireworks.ai/inference/v1",
        ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
        ("FIREWORKS_API_BASE",),
        ("glm-5p3", "glm-5p2", "kimi-k2p6"),
        prefix="accounts/fireworks/models/",
    ),
    # Its chat-completions face refuses tool results without opaque signatures, which litellm keeps.
    Provider(
        "gemini",
        "litellm",
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        defaults=("gemini-pro-latest", "gemini-2.5-pro"),
    ),
    Provider(
        "ollama",
        "chat",
        "http://127.0.0.1:11434/v1",
        ("OLLAMA_API_KEY",),
        ("OLLAMA_API_BASE", "OLLAMA_HOST"),
        local=True,
    ),
    Provider(
        "hosted_vllm",
        "chat",
        "http://127.0.0.1:8000/v1",
        ("HOSTED_VLLM_API_KEY",),
        ("HOSTED_VLLM_API_BASE",),
        local=True,
    ),
    Provider(
        "lm_studio",
        "chat",
        "http://127.0.0.1:1234/v1",
        ("LM_STUDIO_API_KEY",),
        ("LM_STUDIO_API_BASE",),
        local=True,
    ),
    Provider(
        "llamafile",
        "chat",
        "http://127.0.0.1:8080/v1",
        ("LLAMAFILE_API_KEY",),
        ("LLAMAFILE_API_BASE",),
        local=True,
    ),
)

PROVIDERS: Mapping[str, Provider] = {provider.name: provider for provider in _PROVIDERS}

# Other names that people use for the same servers.
_ALSO = {
    "ollama_chat": "ollama",
    "vllm": "hosted_vllm",
    "llamacpp": "llamafile",
    "llama_cpp": "llamafile",
    "llama.cpp": "llamafile",
    "lmstudio": "lm_studio",
    "custom_openai": "openai",
    "openai_like": "openai",
    "together": "together_ai",
    "fireworks": "fireworks_ai",
}


def provider(name: str) -> Provider | None:
    """The provider of that name, None for one that no direct door serves."""
    return PROVIDERS.get(_ALSO.get(name, name))


def names() -> tuple[str, ...]:
    """Every name a provider may be called by."""
    return (*PROVIDERS, *_ALSO)


def base_variable(found: Provider, env: Mapping[str, str]) -> str | None:
    """The variable that holds the provider's address, None where none is set."""
    return next((name for name in found.bases if env.get(name, "").strip()), None)


def address(found: Provider, given: str | None, env: Mapping[str, str]) -> str:
    """The address to ask: the one given, else the environment's, else the provider's own; "" where litellm knows it.

    An endpoint's full address (``…/chat/completions``, ``…/v1/messages``) is taken for its base. OLLAMA_HOST may be
    what Ollama's server takes: a host, with or without a port. Whether it is an address at all is not looked at here.
    """
    variable = base_variable(found, env)
    value = env[variable].strip() if variable else ""
    if variable == "OLLAMA_HOST" and "://" not in value:
        value = _from_host(value)
    base = ((given or "").strip() or value or found.base_url).rstrip("/")
    if found.protocol == "messages":
        return base.removesuffix("/messages").removesuffix("/v1")
    base = base.removesuffix("/chat/completions")
    if found.local and "/" not in base.partition("://")[2]:
        base += "/v1"
    return base


def _from_host(host: str) -> str:
    """``0.0.0.0``, ``:11434`` or ``box:11434`` as an address that a client can ask."""
    try:
        parts = urlsplit(f"http://{host}")
        port = parts.port
    except ValueError:
        return f"http://{host}"
    if not host.isprintable():  # parsing would leave it out
        return f"http://{host}"
    name = parts.hostname or "127.0.0.1"
    name = "127.0.0.1" if name in ("0.0.0.0", "::") else f"[{name}]" if ":" in name else name
    return f"http://{name}:{port or 11434}{parts.path}"
