"""From a name, settings and environment to a door."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from serving import Play, Seen, Server
from wires import Said, chat_events, messages_events

from agentmem.domain.cancel import Cancel
from agentmem.domain.message import Message, Reply, Text
from agentmem.domain.prompt import Prompt
from agentmem.model.catalog import ModelFacts
from agentmem.model.chat import ChatDoor
from agentmem.model.choice import Choice, ChoiceError, Wanted, choose
from agentmem.model.litellm import LitellmDoor
from agentmem.model.messages import MessagesDoor
from agentmem.model.scripted import ScriptedDoor

PROMPT = Prompt("Be brief.", (), (Message("user", (Text("hi", "person"),)),))
NO_OLLAMA = {"OLLAMA_HOST": "127.0.0.1:1"}


def speaks_both(seen: Seen) -> Play:
    events = messages_events if seen.path.endswith("/messages") else chat_events
    return Play(events(Said("Hello")))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(always=speaks_both) as server:
        yield server


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def ask(choice: Choice) -> Reply:
    last = list(choice.door.stream(PROMPT, Cancel()))[-1]
    choice.door.close()
    assert isinstance(last, Reply)
    return last


def refused(wanted: Wanted, env: Mapping[str, str], home: Path) -> str:
    with pytest.raises(ChoiceError) as caught:
        choose(wanted, env, home)
    return str(caught.value)


# -- which door, which address, which key ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "base_variable", "key_variable", "path", "name", "header"),
    [
        ("openai/gpt-4o", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/v1/chat/completions", "gpt-4o", "Bearer k-1"),
        ("gpt-4o", "OPENAI_API_BASE", "OPENAI_API_KEY", "/v1/chat/completions", "gpt-4o", "Bearer k-1"),
        ("deepseek/deepseek-chat", "DEEPSEEK_API_BASE", "DEEPSEEK_API_KEY", "/v1/chat/completions", None, "Bearer k-1"),
        ("mistral/devstral-latest", "MISTRAL_API_BASE", "MISTRAL_API_KEY", "/v1/chat/completions", None, "Bearer k-1"),
        ("groq/openai/gpt-oss-20b", "GROQ_API_BASE", "GROQ_API_KEY", "/v1/chat/completions", None, "Bearer k-1"),
        ("xai/grok-4.3", "XAI_API_BASE", "XAI_API_KEY", "/v1/chat/completions", None, "Bearer k-1"),
        (
            "openrouter/anthropic/claude-sonnet-4.5",
            "OPENROUTER_API_BASE",
            "OPENROUTER_API_KEY",
            "/v1/chat/completions",
            "anthropic/claude-sonnet-4.5",
            "Bearer k-1",
        ),
        (
            "fireworks_ai/glm-5p3",
            "FIREWORKS_API_BASE",
            "FIREWORKS_AI_API_KEY",
            "/v1/chat/completions",
            "accounts/fireworks/models/glm-5p3",
            "Bearer k-1",
        ),
        (
            "hosted_vllm/Qwen/Qwen3",
            "HOSTED_VLLM_API_BASE",
            "HOSTED_VLLM_API_KEY",
            "/v1/chat/completions",
            None,
            "Bearer k-1",
        ),
        ("lm_studio/qwen", "LM_STUDIO_API_BASE", None, "/v1/chat/completions", "qwen", None),
        ("ollama/qwen3:8b", "OLLAMA_API_BASE", None, "/v1/chat/completions", "qwen3:8b", None),
        ("claude-sonnet-4-5", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "/v1/messages", "claude-sonnet-4-5", "k-1"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_BASE", "ANTHROPIC_API_KEY", "/v1/messages", None, "k-1"),
    ],
)
def test_the_environment_leads_to_the_server(
    server: Server,
    home: Path,
    model: str,
    base_variable: str,
    key_variable: str | None,
    path: str,
    name: str | None,
    header: str | None,
) -> None:
    env = {base_variable: f"{server.url}/v1", **({key_variable: " k-1\n"} if key_variable else {})}
    choice = choose(Wanted(model), env, home)
    assert ask(choice) == Reply((Text("Hello", "agent"),), "end")
    (seen,) = server.seen
    assert seen.path == path
    assert seen.json["model"] == (name or model.partition("/")[2])
    assert (seen.headers.get("x-api-key") or seen.headers.get("authorization")) == header


def test_a_given_address_goes_before_the_environments(server: Server, home: Path) -> None:
    env = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "k-1"}
    choice = choose(Wanted("openai/local-model", api_base=f"{server.url}/v1"), env, home)
    assert choice.door.model == "openai/local-model"
    assert ask(choice).text == "Hello"
    assert choice.told == (
        "The context window of openai/local-model is not known; 128,000 tokens are assumed. "
        "`window` in config.yaml says otherwise.",
    )


def test_any_name_goes_at_an_address_without_a_key(server: Server, home: Path) -> None:
    choice = choose(Wanted("Qwen/Qwen3-8B", api_base=f"{server.url}/v1", window=40_000), {}, home)
    assert ask(choice).text == "Hello"
    assert choice.door.model == "openai/Qwen/Qwen3-8B"
    assert choice.facts == ModelFacts(40_000)
    assert server.seen[0].json["model"] == "Qwen/Qwen3-8B"
    assert "authorization" not in server.seen[0].headers
    assert choice.told == ("Qwen/Qwen3-8B names no provider; the server at api_base is taken to be OpenAI-compatible.",)


def test_a_token_of_anthropic_goes_as_a_bearer(server: Server, home: Path) -> None:
    env = {"ANTHROPIC_AUTH_TOKEN": "t-1", "ANTHROPIC_BASE_URL": server.url}
    assert ask(choose(Wanted("claude-sonnet-4-5"), env, home)).text == "Hello"
    assert server.seen[0].headers["authorization"] == "Bearer t-1"
    assert "x-api-key" not in server.seen[0].headers


def test_organization_and_project_are_sent_to_openai(server: Server, home: Path) -> None:
    env = {
        "OPENAI_API_KEY": "k",
        "OPENAI_ORGANIZATION": "org-1",
        "OPENAI_PROJECT": "p-1",
        "OPENAI_BASE_URL": server.url,
    }
    ask(choose(Wanted("gpt-4o"), env, home))
    headers = server.seen[0].headers
    assert (headers["openai-organization"], headers["openai-project"]) == ("org-1", "p-1")


def test_a_key_of_the_persons_config_serves_and_the_environments_goes_before_it(server: Server, home: Path) -> None:
    wanted = Wanted("openai/gpt-4o", keys={"openai": "from-config", "mistral": "other"})
    ask(choose(wanted, {"OPENAI_BASE_URL": server.url}, home))
    ask(choose(wanted, {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "from-env"}, home))
    assert [seen.headers["authorization"] for seen in server.seen] == ["Bearer from-config", "Bearer from-env"]


def test_keys_show_in_no_repr(home: Path) -> None:
    wanted = Wanted("openai/gpt-4o", keys={"openai": "sk-secret"})
    choice = choose(wanted, {"ANTHROPIC_API_KEY": "sk-other"}, home)
    assert "sk-" not in repr((wanted, choice))


def test_the_facts_are_the_catalogs_and_the_configs_window_stands_over_them(home: Path) -> None:
    env = {"OPENAI_API_KEY": "k"}
    known = choose(Wanted("openai/gpt-4o"), env, home)
    assert (known.facts.window, known.facts.max_output, known.facts.tools, known.told) == (128_000, 16_384, True, ())
    smaller = choose(Wanted("openai/gpt-4o", window=9_000), env, home)
    assert (smaller.facts.window, smaller.facts.max_output) == (9_000, 16_384)


# -- what goes through litellm -----------------------------------------------------------------------------------------

THROUGH = "{} is asked through litellm, which takes some seconds to load."


@pytest.mark.parametrize(
    ("wanted", "env", "told"),
    [
        (Wanted("azure/mine", window=9), {}, (THROUGH.format("azure/mine"),)),
        (Wanted("bedrock/anthropic.claude-3-haiku-20240307-v1:0"), {}, None),
        (Wanted("gemini/gemini-2.5-pro"), {"GOOGLE_API_KEY": "k"}, (THROUGH.format("gemini/gemini-2.5-pro"),)),
        (Wanted("openai/gpt-4o", door="litellm"), {"OPENAI_API_KEY": "k"}, (THROUGH.format("openai/gpt-4o"),)),
        (Wanted("of_tomorrow/m", door="litellm", window=9), {}, (THROUGH.format("of_tomorrow/m"),)),
        (
            Wanted("openai/gpt-5.4"),
            {"OPENAI_API_KEY": "k"},
            (
                "OpenAI serves gpt-5.4 with tools only by its Responses protocol, which litellm speaks.",
                THROUGH.format("openai/gpt-5.4"),
            ),
        ),
        (Wanted("gpt-6.1-sol"), {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://eu.api.openai.com/v1"}, None),
        (Wanted("openai/gpt-5-codex"), {"OPENAI_API_KEY": "k"}, None),
        (Wanted("openai/o3-pro"), {"OPENAI_API_KEY": "k"}, None),
    ],
)
def test_litellm_is_the_door_for_the_rest_and_on_request(
    home: Path, wanted: Wanted, env: dict[str, str], told: tuple[str, ...] | None
) -> None:
    choice = choose(wanted, env, home)
    assert isinstance(choice.door, LitellmDoor)
    assert choice.door.slow_start
    assert told is None or choice.told == told


@pytest.mark.parametrize(
    ("model", "env"),
    [
        ("gpt-5.2", {"OPENAI_API_KEY": "k"}),
        ("gpt-5", {"OPENAI_API_KEY": "k"}),
        ("gpt-4.1-mini", {"OPENAI_API_KEY": "k"}),
        ("o3", {"OPENAI_API_KEY": "k"}),
        ("gpt-5.5", {"OPENAI_BASE_URL": "https://gateway.example/v1"}),
        ("gpt-5.5", {"OPENAI_BASE_URL": "https://api.openai.com.example/v1"}),
        ("groq/openai/gpt-oss-120b", {"GROQ_API_KEY": "k"}),
    ],
)
def test_chat_completions_are_the_door_where_they_take_tools(home: Path, model: str, env: dict[str, str]) -> None:
    assert isinstance(choose(Wanted(model), env, home).door, ChatDoor)


# -- no model is named -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "door", "model", "why"),
    [
        ({"ANTHROPIC_API_KEY": "k"}, MessagesDoor, "anthropic/claude-sonnet-5-5", "ANTHROPIC_API_KEY is set"),
        ({"OPENAI_API_KEY": "k"}, ChatDoor, "openai/gpt-5.2", "OPENAI_API_KEY is set"),
        ({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, MessagesDoor, "anthropic/claude-sonnet-5-5", None),
        (
            {"OPENAI_API_KEY": "  ", "MISTRAL_API_KEY": "k"},
            ChatDoor,
            "mistral/devstral-latest",
            "MISTRAL_API_KEY is set",
        ),
        ({"GROQ_API_KEY": "k"}, ChatDoor, "groq/openai/gpt-oss-120b", "GROQ_API_KEY is set"),
        ({"GEMINI_API_KEY": "k"}, LitellmDoor, "gemini/gemini-pro-latest", None),
    ],
)
def test_a_key_leads_to_its_providers_model(
    home: Path, env: dict[str, str], door: type, model: str, why: str | None
) -> None:
    choice = choose(Wanted(), env, home)
    assert isinstance(choice.door, door)
    assert choice.door.model == model
    assert choice.facts.known
    assert choice.facts.tools
    told = (
        f"No model is configured; {model} was chosen because {why}. --model or `model` in config.yaml says otherwise."
    )
    assert why is None or choice.told == (told,)


def test_a_key_in_the_config_leads_to_a_model_too(home: Path) -> None:
    choice = choose(Wanted(keys={"deepseek": "k"}), {}, home)
    assert choice.door.model == "deepseek/deepseek-v4-pro"
    assert "because your config.yaml holds a key for deepseek" in choice.told[0]


@pytest.mark.parametrize(
    ("can", "also"),
    [
        (["completion", "tools"], ""),
        (["completion"], " It takes no tool calls: pull one that does, e.g. `ollama pull qwen3`."),
    ],
)
def test_without_a_key_a_local_ollama_serves(home: Path, can: list[str], also: str) -> None:
    def answer(seen: Seen) -> Play:
        bodies: dict[str, Any] = {"/api/tags": {"models": [{"name": "qwen3:8b"}]}, "/api/show": {"capabilities": can}}
        if seen.path in bodies:
            return Play((json.dumps(bodies[seen.path]).encode(),), framing="length")
        return speaks_both(seen)

    with Server(always=answer) as server:
        choice = choose(Wanted(window=8_000), {"OLLAMA_HOST": f"127.0.0.1:{server.port}"}, home)
        assert ask(choice).text == "Hello"
    assert choice.door.model == "ollama/qwen3:8b"
    assert choice.told == (
        "No model and no key is set; ollama/qwen3:8b was chosen because Ollama answers here. --model or `model` in "
        f"config.yaml says otherwise.{also}",
    )


def test_with_nothing_there_the_three_ways_are_told(home: Path) -> None:
    message = refused(Wanted(" "), NO_OLLAMA, home)
    assert message.startswith("No model is configured, no key was found and no Ollama answers on this machine.")
    for way in ("export ANTHROPIC_API_KEY=", "ollama pull", "--model openai/NAME --api-base http://", "agentmem demo"):
        assert way in message


# -- what cannot be ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "env", "message"),
    [
        (
            Wanted("openai/gpt-4o"),
            {"ANTHROPIC_API_KEY": "k"},
            "openai/gpt-4o needs a key: set OPENAI_API_KEY in the environment, "
            "or `keys: {openai: …}` in your own config.yaml.",
        ),
        (
            Wanted("claude-sonnet-4-5"),
            {"ANTHROPIC_API_KEY": " "},
            "anthropic/claude-sonnet-4-5 needs a key: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in the "
            "environment, or `keys: {anthropic: …}` in your own config.yaml.",
        ),
        (
            Wanted("gemini/gemini-2.5-pro"),
            {},
            "gemini/gemini-2.5-pro needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY in the environment, or "
            "`keys: {gemini: …}` in your own config.yaml.",
        ),
        (
            Wanted("openai/text-embedding-3-small"),
            {"OPENAI_API_KEY": "k"},
            "openai/text-embedding-3-small holds no conversations: it is listed as a model for embedding.",
        ),
        (
            Wanted(api_base="http://box/v1"),
            {"OPENAI_API_KEY": "k"},
            "An address (http://box/v1) needs a model beside it: add --model openai/NAME, with the name that the "
            "server there gives its model.",
        ),
        (Wanted("openai/gpt-4o", door="window"), {}, "door: window is no door; leave it out, or say litellm."),
        (
            Wanted("openai/m", api_base="ftp://box"),
            {},
            "The model's address (api_base) must look like https://host/v1 or http://localhost:11434/v1.",
        ),
    ],
)
def test_what_cannot_be_says_why(home: Path, wanted: Wanted, env: dict[str, str], message: str) -> None:
    assert refused(wanted, env, home) == message


# -- scripts -----------------------------------------------------------------------------------------------------------


def test_a_script_is_a_model(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"text":"Hello"}\n')
    choice = choose(Wanted(f"scripted:{path}"), {}, home)
    assert isinstance(choice.door, ScriptedDoor)
    assert (choice.facts, choice.told) == (ModelFacts(128_000, tools=True), ())
    assert ask(choice).text == "Hello"
    assert choose(Wanted(f"scripted:{path}", window=500), {}, home).facts.window == 500


def test_a_script_that_cannot_be_read_is_no_choice(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "s.jsonl"
    assert (
        refused(Wanted(f"scripted:{path}"), {}, home) == f"the script {path} cannot be read: No such file or directory"
    )
    path.write_text("{}\n{\n")
    assert refused(Wanted(f"scripted:{path}"), {}, home).startswith(f"{path}:2: no reply of a script: ")


# -- what is loaded ----------------------------------------------------------------------------------------------------

_USE = """
import sys
from pathlib import Path
from agentmem.domain.cancel import Cancel
from agentmem.domain.message import Message, Text
from agentmem.domain.prompt import Prompt
from agentmem.model.choice import Wanted, choose
model, base, home = sys.argv[1:]
env = {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}
choice = choose(Wanted(model or None, api_base=base or None), env, Path(home))
if base or model.startswith("scripted:"):
    assert list(choice.door.stream(Prompt("", (), (Message("user", (Text("hi"),)),)), Cancel()))[-1].text == "Hello"
heavy = {"litellm", "httpx", "openai", "pydantic", "rich", "prompt_toolkit", "typer", "yaml", "asyncio", "logging"}
print(sorted({name.partition(".")[0] for name in sys.modules} & heavy))
"""


@pytest.mark.parametrize("kind", ["chat", "messages", "scripted", "found"])
def test_a_common_provider_never_loads_litellm(server: Server, tmp_path: Path, kind: str) -> None:
    script = tmp_path / "s.jsonl"
    script.write_text('{"text":"Hello"}\n')
    model, base = {
        "chat": ("openai/gpt-4o", f"{server.url}/v1"),
        "messages": ("anthropic/claude-sonnet-4-5", server.url),
        "scripted": (f"scripted:{script}", ""),
        "found": ("", ""),
    }[kind]
    done = subprocess.run(
        [sys.executable, "-c", _USE, model, base, str(tmp_path / "home")],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]},
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


# -- what is no address ------------------------------------------------------------------------------------------------

_LIKE = "The model's address (api_base) must look like https://host/v1 or http://localhost:11434/v1."


@pytest.mark.parametrize("model", ["ollama/qwen3", "openai/m", "anthropic/m", "gemini/gemini-2.5-pro", "hosted_vllm/m"])
@pytest.mark.parametrize(
    "base",
    ["notaurl", "box:11434", "http://exa mple/v1", "http://x/v1\r\nA: b", "http://[::1", "http://x:y", "file:///x"],
)
def test_an_address_that_is_none_is_refused_at_once(home: Path, model: str, base: str) -> None:
    env = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k"}
    assert refused(Wanted(model, api_base=base), env, home) == _LIKE


@pytest.mark.parametrize(
    ("model", "variable", "value"),
    [
        ("openai/m", "OPENAI_BASE_URL", "notaurl"),
        ("ollama/qwen3", "OLLAMA_API_BASE", "box"),
        ("ollama/qwen3", "OLLAMA_HOST", "bo x"),
        ("ollama/qwen3", "OLLAMA_HOST", "bo\tx"),
        ("ollama/qwen3", "OLLAMA_HOST", "[::1"),
        ("anthropic/m", "ANTHROPIC_BASE_URL", "http://[::1"),
        (None, "OLLAMA_HOST", "http://[::1"),
    ],
)
def test_a_variable_that_holds_no_address_is_named(home: Path, model: str | None, variable: str, value: str) -> None:
    assert refused(Wanted(model), {variable: value}, home) == f"{variable} holds no address. {_LIKE}"
