"""A local Ollama is found when it answers, and the model that takes tools is taken."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from serving import Play, Seen, Server

from agentmem.model.ollama import Served, best_model


def ollama(models: dict[str, list[str] | None], shown: list[str] | None = None) -> Server:
    """A server with these models, each with its capabilities (None: an Ollama too old to tell)."""

    def answer(seen: Seen) -> Play:
        body: dict[str, Any] = {"error": "not found"}
        if (seen.method, seen.path) == ("GET", "/api/tags"):
            body = {"models": [{"name": name} for name in models]}
        elif (seen.method, seen.path) == ("POST", "/api/show"):
            if shown is not None:
                shown.append(seen.json["model"])
            can = models[seen.json["model"]]
            body = {"details": {}} if can is None else {"capabilities": can}
        return Play((json.dumps(body).encode(),), 404 if "error" in body else 200, framing="length")

    return Server(always=answer)


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ({"qwen3:8b": ["completion", "tools"]}, Served("qwen3:8b", True)),
        ({"old:1b": ["completion"], "qwen3:8b": ["completion", "tools"]}, Served("qwen3:8b", True)),
        ({"embed": ["embedding"], "old:1b": ["completion"]}, Served("old:1b", False)),
        ({"embed": ["embedding"], "untold": None, "old": ["completion"]}, Served("untold", None)),
        ({"embed": ["embedding"]}, None),
        ({}, None),
    ],
)
def test_the_newest_model_that_takes_tools_is_taken(models: dict[str, list[str] | None], expected: Served) -> None:
    with ollama(models) as server:
        assert best_model(server.url, {}) == expected
        assert server.connections == 1


def test_it_stops_looking_at_the_first_that_fits() -> None:
    shown: list[str] = []
    with ollama({"a": ["completion"], "b": ["completion", "tools"], "c": ["completion", "tools"]}, shown) as server:
        best_model(server.url, {})
    assert shown == ["a", "b"]


def test_a_long_list_is_not_looked_through_to_its_end() -> None:
    shown: list[str] = []
    with ollama({f"m{number}": ["completion"] for number in range(40)}, shown) as server:
        assert best_model(server.url, {}) == Served("m0", False)
    assert len(shown) == 12


@pytest.mark.parametrize(
    "play",
    [
        Play((b"no json",), framing="length"),
        Play((b"[]",), framing="length"),
        Play((b'{"models":7}',), framing="length"),
        Play((b'{"models":["x",{"name":""},{"name":7},{}]}',), framing="length"),
        Play((b"[" * 100_000,), framing="length"),
        Play((b"oops",), 500, framing="length"),
        Play((b"SSH-2.0-OpenSSH\r\n",), framing="raw", ending="cut"),
        Play((), framing="raw", ending="reset"),
    ],
)
def test_what_answers_otherwise_is_no_ollama(play: Play) -> None:
    with Server(always=lambda seen: play) as server:
        assert best_model(server.url, {}) is None


def test_one_that_does_not_answer_is_given_up_soon() -> None:
    started = time.monotonic()
    with Server(always=lambda seen: Play((), framing="raw", ending="hang")) as server:
        assert best_model(server.url, {}) is None
    assert time.monotonic() - started < 10


def test_nothing_there_is_told_at_once() -> None:
    with Server() as gone:
        url = gone.url
    started = time.monotonic()
    assert best_model(url, {}) is None
    assert best_model("ftp://nowhere", {}) is None
    assert time.monotonic() - started < 5
