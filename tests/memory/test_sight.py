"""Images in a history: what no model takes is told as text, and what a server refused is left out for good."""

from __future__ import annotations

import base64

import pytest
from histories import entry
from pictures import png

from agentmem.domain.entry import Entry
from agentmem.domain.message import Image, Message, Text
from agentmem.memory.read import sight
from agentmem.memory.read.replay import Replay


def shown(data: str, kind: str = "image/png") -> object:
    return sight.part(Image(kind, data, "import"))


def test_an_image_that_models_take_is_sent_as_it_is() -> None:
    image = Image("image/png", png(8_000, 8_000), "import")
    assert sight.part(image) is image


def test_one_under_the_wrong_name_is_sent_under_its_own() -> None:
    gif = base64.b64encode(b"GIF89a\x05\0\x07\0" + b"x" * 20).decode()
    assert shown(gif) == Image("image/gif", gif, "import")


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (png(8_001, 3), "image/png image, 8001 x 3 pixels, {size} bytes: left out, {most}"),
        (png(more=4_000_000), "image/png image, 2 x 2 pixels, 4.0 MB: left out, {most}"),
        ("", "image/png image, 0 bytes: left out, it is no image that models take"),
        ("AAAA", "image/png image, 3 bytes: left out, it is no image that models take"),
        ("no base64 é", "image/png image, 8 bytes: left out, it is no image that models take"),
        (png()[:-1], "image/png image, {size} bytes: left out, it is no image that models take"),
        ("*" * 80, "image/png image, 60 bytes: left out, it is no image that models take"),
        (png()[:-4] + "=AAA", "image/png image, {size} bytes: left out, it is no image that models take"),
    ],
    ids=["wide", "heavy", "empty", "tiny", "not ascii", "cut", "no base64", "bad end"],
)  # fmt: skip
def test_one_that_no_model_takes_is_told(data: str, line: str) -> None:
    assert shown(data) == Text(
        f"[{line.format(size=len(data) * 3 // 4, most='models take at most 5 MB and 8,000 pixels a side')}]", "harness"
    )


def test_unknown_kinds_are_no_images() -> None:
    bmp = base64.b64encode(b"BM" + b"\0" * 60).decode()
    assert shown(bmp, "image/bmp") == Text(
        "[image/bmp image, 63 bytes: left out, it is no image that models take]", "harness"
    )


GOOD, OTHER = png(), png(3, 3)


def user(*parts: object) -> Entry:
    content = [
        {"type": "text", "text": part, "origin": "person"}
        if isinstance(part, str) and len(part) < 40
        else {"type": "image", "media_type": "image/png", "data": part, "origin": "import"}
        for part in parts
    ]
    return entry("message", role="user", content=content)


def call(own: str) -> Entry:
    part = {"type": "tool_call", "id": own, "name": "look", "arguments": {}}
    return entry("message", role="assistant", content=[part], stop="tool_use")


def result(own: str, data: str) -> Entry:
    part = {"type": "image", "media_type": "image/png", "data": data, "origin": "tool"}
    return entry("message", role="tool", call_id=own, content=[part])


def unseen(*datas: str) -> Entry:
    return entry("unseen", images=[sight.named(Image("image/png", data)) for data in datas], why="no")


def replayed(*entries: Entry) -> tuple[Message, ...]:
    replay = Replay()
    for one in entries:
        replay.add(one)
    return replay.messages()


def images(messages: tuple[Message, ...]) -> list[str]:
    return [image.data for image in sight.images(messages)]


def test_what_was_refused_is_left_out_wherever_it_stands() -> None:
    history = [user("see", GOOD), entry("call"), call("a"), result("a", GOOD), entry("call"), user("and", GOOD, OTHER)]
    assert images(replayed(*history)) == [GOOD, GOOD, GOOD, OTHER]
    told = replayed(*history, unseen(GOOD))
    assert images(told) == [OTHER]
    line = Text("[image/png image, 2 x 2 pixels, 81 bytes: left out, the model's server refused it]", "harness")
    assert told[0].parts == (Text("see", "person"), line)
    assert told[2].parts == (line,)
    again = [*history, unseen(GOOD), entry("call"), user("once more", GOOD)]
    assert images(replayed(*again)) == [OTHER]


def test_what_was_sent_before_keeps_its_messages_where_they_hold_no_image() -> None:
    replay = Replay()
    for one in (user("hi"), entry("call"), call("a"), result("a", GOOD)):
        replay.add(one)
    before = replay.messages()
    replay.add(unseen(GOOD))
    after = replay.messages()
    assert after[0] is before[0]
    assert images(after) == []


@pytest.mark.parametrize("body", [{}, {"images": "x"}, {"images": [3, None]}, {"images": ["0" * 16]}])
def test_a_malformed_entry_leaves_out_nothing(body: dict[str, object]) -> None:
    assert images(replayed(user("see", GOOD), entry("unseen", **body))) == [GOOD]
