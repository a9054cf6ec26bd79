"""Sight: the images of a history as a prompt shows them; for one that a model would refuse stands a line of text.

One image that a provider does not take makes every later request fail. So what no provider takes (too large, broken, of
a kind they do not know) is never sent; and what a server refused is left out from the entry on that says so:

    {"type":"unseen","id":"u1…","parent_id":"k9…","at":"…","images":["9f86d081884c7d65"],"why":"…what the server said"}
"""

from __future__ import annotations

import binascii
import hashlib
from collections.abc import Collection, Iterable
from dataclasses import replace

from agentmem.domain.entry import Entry
from agentmem.domain.message import Image, Message, Part, Text
from agentmem.domain.picture import Picture, picture

TYPE = "unseen"
DATA_MOST = 5 << 20
"""Letters of base64; the smallest limit among providers (Anthropic, docs "Vision")."""
SIDE_MOST = 8_000
"""Pixels; from the same page."""

_HEAD = 1 << 16  # letters that hold the size, but after very long embedded notes


def named(image: Image) -> str:
    """An image's name in an entry: 16 hex digits of its data's hash."""
    return hashlib.sha256(image.data.encode("utf-8", "replace")).hexdigest()[:16]


def refused(entry: Entry) -> frozenset[str]:
    """The images that an entry says a server refused."""
    listed = entry.body.get("images") if entry.type == TYPE else None
    return frozenset(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else frozenset()


def part(image: Image, without: Collection[str] = ()) -> Part:
    """The image as it can be sent (under its true media type), or the line that stands for it."""
    if without and named(image) in without:
        return _line(image, "the model's server refused it")
    shown = _picture(image)
    if shown is None:
        return _line(image, "it is no image that models take")
    if len(image.data) > DATA_MOST or max(shown.width, shown.height) > SIDE_MOST:
        return _line(image, f"models take at most 5 MB and {SIDE_MOST:,} pixels a side")
    return image if shown.media_type == image.media_type else replace(image, media_type=shown.media_type)


def message(one: Message, without: Collection[str]) -> Message:
    """The message, without these images; the same object where it holds none of them."""
    if not any(isinstance(item, Image) for item in one.parts):
        return one
    parts = tuple(part(item, without) if isinstance(item, Image) else item for item in one.parts)
    return one if parts == one.parts else replace(one, parts=parts)


def told(image: Image) -> str:
    """Kind and size of an image, for the person and the model."""
    shown = _picture(image)
    sides = f", {shown.width} x {shown.height} pixels" if shown and shown.width else ""
    size = len(image.data) * 3 // 4
    amount = f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size:,} bytes"
    return f"{shown.media_type if shown else image.media_type[:40] or 'unknown'} image{sides}, {amount}"


def images(messages: Iterable[Message]) -> list[Image]:
    """The images of some messages, in order."""
    return [item for one in messages for item in one.parts if isinstance(item, Image)]


def _picture(image: Image) -> Picture | None:
    data = image.data
    if not data.isascii() or len(data) % 4:
        return None
    try:
        binascii.a2b_base64(data[-4:], strict_mode=True)
        head = binascii.a2b_base64(data[:_HEAD], strict_mode=len(data) > _HEAD)
    except ValueError:
        return None
    return picture(head)


def _line(image: Image, why: str) -> Text:
    return Text(f"[{told(image)}: left out, {why}]", "harness")
