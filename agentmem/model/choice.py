"""Choice: from a model's name, the person's settings and the environment to a door."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentmem.model.catalog import DEFAULT_WINDOW, ModelFacts, lookup
from agentmem.model.door import Door, ModelError
from agentmem.model.endpoint import Endpoint
from agentmem.model.keyring import key_of, strangers
from agentmem.model.naming import ChoiceError, Named, NoModel, resolve
from agentmem.model.provider import PROVIDERS, Provider, address, base_variable, provider

_NONE_FOUND = """\
No model is configured, no key was found and no Ollama answers on this machine. Three ways to get a model:
  1. set a provider's key, e.g.  export ANTHROPIC_API_KEY=…  (or OPENAI_API_KEY, OPENROUTER_API_KEY, MISTRAL_API_KEY, …)
  2. run Ollama (https://ollama.com) with a model that takes tools, e.g.  ollama pull qwen3
  3. name any OpenAI-compatible server:  agentmem --model openai/NAME --api-base http://localhost:8000/v1
`agentmem demo` needs none of them."""

_OTHERWISE = "--model or `model` in config.yaml says otherwise."
_GPT_VERSION = r"gpt-(\d+)(?:\.(\d+))?(?![\d.])"
_CONVERSES = frozenset({None, "chat", "responses", "completion"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the person asked for, by flag or config. A project's config may give `model` and `window` alone: an address,
    a door or a key from there would send the person's keys wherever a repository says.

    `model` is litellm's naming; None for whatever is there. `door` is "litellm" to go through it in any case. `window`
    (tokens) stands over what is known of the model. `keys` maps a provider's name to a key of the person's own config;
    the environment's key goes before it.
    """

    model: str | None = None
    api_base: str | None = None
    door: str | None = None
    window: int | None = None
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """A door, what is known of its model, and what the person should be told of how it came to be chosen."""

    door: Door
    facts: ModelFacts
    told: tuple[str, ...] = ()


def choose(wanted: Wanted, env: Mapping[str, str], home: Path) -> Choice:
    """The door for what is wanted; without a model: a key that is set, then a local Ollama that answers.

    Nothing is asked of a model here. `env` is the environment, `home` the person's level (for the catalog's cache).
    Raises `ChoiceError`.
    """
    if wanted.door not in (None, "auto", "litellm"):
        raise ChoiceError(f"door: {wanted.door} is no door; leave it out, or say litellm.")
    model = (wanted.model or "").strip()
    if model.startswith("scripted:"):
        return _scripted(model, wanted)
    if model == "none":
        from agentmem.model.absent import Absent

        return Choice(Absent(), ModelFacts(window=wanted.window or DEFAULT_WINDOW, tools=True))
    if not model:
        named = _found(wanted, env, home)
    elif wanted.door == "litellm" and provider(model.partition("/")[0]) is None:
        named = Named(None, model.partition("/")[2] or model, model)
    else:
        named = resolve(model, home, at_address=bool(wanted.api_base))
    return _opened(named, wanted, env, home)


def _scripted(model: str, wanted: Wanted) -> Choice:
    from agentmem.model.scripted import ScriptedDoor

    try:
        door = ScriptedDoor(Path(model.removeprefix("scripted:")).expanduser())
    except (ModelError, RuntimeError) as problem:
        raise ChoiceError(str(problem)) from None
    return Choice(door, ModelFacts(window=wanted.window or DEFAULT_WINDOW, tools=True))


def _found(wanted: Wanted, env: Mapping[str, str], home: Path) -> Named:
    """The model to take when none is named."""
    if wanted.api_base:
        raise ChoiceError(
            f"An address ({wanted.api_base}) needs a model beside it: add --model openai/NAME, with the name that the "
            "server there gives its model."
        )
    for one in PROVIDERS.values():
        if one.local or not one.defaults:
            continue
        where = _key_place(one, wanted, env)
        if where is not None:
            names = [f"{one.name}/{name}" for name in one.defaults]
            full = next((name for name in names if lookup(name, home).known), names[0])
            told = f"No model is configured; {full} was chosen because {where}. {_OTHERWISE}"
            return Named(one, full.partition("/")[2], full, (told,))
    return _local(env)


def _local(env: Mapping[str, str]) -> Named:
    from agentmem.model.ollama import best_model

    ollama = PROVIDERS["ollama"]
    base = address(ollama, None, env)
    _check_address(base, ollama, env)
    served = best_model(base.removesuffix("/v1"), env)
    if served is None:
        raise NoModel(_NONE_FOUND)
    told = f"No model and no key is set; ollama/{served.name} was chosen because Ollama answers here. {_OTHERWISE}"
    if served.tools is False:
        told += " It takes no tool calls: pull one that does, e.g. `ollama pull qwen3`."
    return Named(ollama, served.name, f"ollama/{served.name}", (told,))


def _opened(named: Named, wanted: Wanted, env: Mapping[str, str], home: Path) -> Choice:
    """The door to a named model."""
    facts = lookup(named.full, home)
    told = [*named.told, *strangers(wanted.keys)]
    if facts.mode not in _CONVERSES:
        raise ChoiceError(f"{named.full} holds no conversations: it is listed as a model for {facts.mode}.")
    if wanted.window:
        facts = replace(facts, window=wanted.window, known=True)
    elif not facts.known:
        told.append(
            f"The context window of {named.full} is not known; {facts.window:,} tokens are assumed. "
            "`window` in config.yaml says otherwise."
        )
    endpoint = _endpoint(named, wanted, env, facts)
    if endpoint.base_url:
        _check_address(endpoint.base_url, None if wanted.api_base else named.provider, env)
    protocol = named.provider.protocol if named.provider else "litellm"
    if wanted.door == "litellm":
        protocol = "litellm"
    elif protocol == "chat" and _needs_responses(endpoint, facts):
        protocol = "litellm"
        told.append(f"OpenAI serves {endpoint.name} with tools only by its Responses protocol, which litellm speaks.")
    if protocol == "litellm":
        told.append(f"{named.full} is asked through litellm, which takes some seconds to load.")
    return Choice(_door(protocol, endpoint), facts, tuple(told))


def _check_address(base: str, one: Provider | None, env: Mapping[str, str]) -> None:
    """Raises `ChoiceError` for what is no address, with the variable of provider `one` that holds it."""
    from agentmem.model.address import Address

    try:
        Address.parse(base)
    except ModelError as problem:
        variable = base_variable(one, env) if one else None
        raise ChoiceError(f"{variable} holds no address. {problem}" if variable else str(problem)) from None


def _endpoint(named: Named, wanted: Wanted, env: Mapping[str, str], facts: ModelFacts) -> Endpoint:
    one, prefix = named.provider, named.full.partition("/")[0]
    if one is None:
        return Endpoint(
            model=named.full,
            provider=prefix if "/" in named.full else facts.provider or "",
            name=named.name,
            base_url=(wanted.api_base or "").strip(),
            key=(wanted.keys.get(prefix) or "").strip() or None,
            max_output=facts.max_output,
            env=env,
        )
    base = address(one, wanted.api_base, env)
    key, variable = _key(one, wanted, env)
    if key is None and not one.local and base == address(one, None, {}):
        raise NoModel(
            f"{named.full} needs a key: set {' or '.join(one.keys[:2])} in the environment, "
            f"or `keys: {{{one.name}: …}}` in your own config.yaml."
        )
    headers = {header: env[name].strip() for name, header in one.headers if env.get(name, "").strip()}
    if variable == "ANTHROPIC_AUTH_TOKEN":
        headers["Authorization"], key = f"Bearer {key}", None
    return Endpoint(
        model=named.full,
        provider=one.name,
        name=one.served(named.name),
        base_url=base,
        key=key,
        headers=headers,
        max_output=facts.max_output,
        env=env,
    )


def _door(protocol: str, endpoint: Endpoint) -> Door:
    if protocol == "messages":
        from agentmem.model.messages import MessagesDoor

        return MessagesDoor(endpoint)
    if protocol == "chat":
        from agentmem.model.chat import ChatDoor

        return ChatDoor(endpoint)
    from agentmem.model.litellm import LitellmDoor

    return LitellmDoor(endpoint)


def _needs_responses(endpoint: Endpoint, facts: ModelFacts) -> bool:
    """OpenAI's own service takes function tools for its newer models on the Responses protocol alone: those listed for
    it, and from gpt-5.4 on every one that reasons unasked. Other servers that bear such names do not."""
    host = endpoint.base_url.partition("://")[2].partition("/")[0].partition(":")[0]
    if endpoint.provider != "openai" or not (host == "api.openai.com" or host.endswith(".api.openai.com")):
        return False
    version = re.match(_GPT_VERSION, endpoint.name)
    return facts.mode == "responses" or (version is not None and (int(version[1]), int(version[2] or 0)) >= (5, 4))


def _key(one: Provider, wanted: Wanted, env: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The key and the variable that held it (None for the config)."""
    for name in one.keys:
        if key := env.get(name, "").strip():
            return key, name
    return key_of(one, wanted.keys), None


def _key_place(one: Provider, wanted: Wanted, env: Mapping[str, str]) -> str | None:
    key, variable = _key(one, wanted, env)
    if key is None:
        return None
    return f"{variable} is set" if variable else f"your config.yaml holds a key for {one.name}"
