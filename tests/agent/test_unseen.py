"""One image that a server refuses does not end a session: the request goes on without it, and says so."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from agent.scripts import call, ended, log_of, make_agent, play
from pictures import png

from agentmem.agent.agent import Agent
from agentmem.agent.unseen import without_images
from agentmem.domain.event import Event, Notice
from agentmem.domain.places import Places
from agentmem.memory.memory import sight
from agentmem.model.door import ModelError

REFUSED = "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum"
DONE = {"text": "Done."}


def error(message: str, failure: str = "bad_request") -> dict[str, Any]:
    return {"error": {"failure": failure, "message": message}}


def imported(places: Places, *images: str) -> str:
    """A session in which the person showed images."""
    places.sessions.mkdir(parents=True)
    own = "2026-11-30T09-00-00-aaaaaa"
    parts: list[Any] = [{"type": "text", "text": "what is this?", "origin": "import"}]
    parts += [{"type": "image", "media_type": "image/png", "data": data, "origin": "import"} for data in images]
    rows = [
        {"type": "session", "id": own, "version": 1, "at": "2026-11-30T09:00:00Z", "cwd": str(places.root)},
        {"type": "message", "id": "a1", "parent_id": None, "at": "", "role": "user", "content": parts},
    ]
    (places.sessions / f"{own}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return own


def sent(agent: Agent) -> list[int]:
    """How many images each request held."""
    return [len(sight.images(prompt.messages)) for prompt in agent.door.requests]  # type: ignore[attr-defined]


def warnings(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice) and event.level == "warning"]


def test_a_refused_image_is_left_out_told_and_never_sent_again(places: Places) -> None:
    own = imported(places, png(), png(3, 3))
    with make_agent(places, [error(REFUSED), DONE, DONE], resume=own) as agent:
        events = play(agent, "and?")
        assert (ended(events).stop, ended(events).text) == ("done", "Done.")
        assert warnings(events) == [
            "the request failed with its images (image/png image, 2 x 2 pixels, 81 bytes; image/png image, 3 x 3 "
            f"pixels, 81 bytes); it goes on without them: {REFUSED}"
        ]
        play(agent, "go on")
        assert sent(agent) == [2, 0, 0]
        entries = [line for line in log_of(agent) if line["type"] == "unseen"]
        assert [(len(one["images"]), one["why"]) for one in entries] == [(2, REFUSED)]
    with make_agent(places, [DONE], resume=own) as agent:
        assert ended(play(agent, "later")).stop == "done"
        assert sent(agent) == [0]


def test_an_image_that_no_model_takes_is_never_sent(places: Places) -> None:
    own = imported(places, png(9_000, 9_000))
    with make_agent(places, [DONE], resume=own) as agent:
        assert warnings(play(agent, "go")) == []
        assert sent(agent) == [0]
        assert "9000 x 9000 pixels" in agent.door.body(agent.door.requests[0]).decode()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ("unknown_model", "No endpoints found that support image input"),
        ("bad_request", "this model does not support vision"),
    ],
)
def test_other_words_for_it(places: Places, failure: str, message: str) -> None:
    own = imported(places, png())
    with make_agent(places, [error(message, failure), DONE], resume=own) as agent:
        assert ended(play(agent, "go")).stop == "done"
        assert sent(agent) == [1, 0]


def test_a_body_of_too_many_bytes_is_its_images(places: Places) -> None:
    own = imported(places, png())
    with make_agent(places, [DONE], resume=own) as agent:
        long = ModelError("overflow", "prompt is too long", status=400)
        assert without_images(agent, long) is None
        large = ModelError("overflow", "request_too_large", status=413)
        assert without_images(agent, large) is not None
        assert without_images(agent, large) is None


def test_a_second_failure_ends_the_turn(places: Places) -> None:
    own = imported(places, png())
    with make_agent(places, [error(REFUSED), error(REFUSED)], resume=own) as agent:
        assert ended(play(agent, "go")).stop == "model_error"


@pytest.mark.parametrize(("failure", "message"), [("bad_request", "no credit"), ("refused_key", "no image for you")])
def test_what_is_not_about_images_ends_the_turn_at_once(places: Places, failure: str, message: str) -> None:
    own = imported(places, png())
    with make_agent(places, [error(message, failure), DONE], resume=own) as agent:
        assert ended(play(agent, "go")).stop == "model_error"
        assert sent(agent) == [1]


def test_without_images_an_error_that_names_one_ends_the_turn(places: Places) -> None:
    with make_agent(places, [error(REFUSED), DONE]) as agent:
        assert ended(play(agent, "go")).stop == "model_error"


def test_reading_an_image_does_not_put_it_into_the_history(places: Places) -> None:
    Path(places.root / "big.png").write_bytes(base64.b64decode(png(9_000, 9_000)))
    with make_agent(places, [{"tool_calls": [call("read", path="big.png")]}, DONE]) as agent:
        play(agent, "look")
        assert sent(agent) == [0, 0]
