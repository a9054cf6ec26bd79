"""Aside: a prompt that was asked beside the conversation (for a summary), kept whole so that it can be shown again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentmem.domain.message import Message, Role, part_to_json, parts_from_json
from agentmem.domain.prompt import Prompt
from agentmem.memory.read.parts import PartLost
from agentmem.memory.stores import blobs

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}


def written(prompt: Prompt) -> bytes:
    """The prompt as a blob holds it; tools are never asked for aside."""
    told = {
        "system": prompt.system,
        "max_output": prompt.max_output,
        "messages": [_message(one) for one in prompt.messages],
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def read(folder: Path, digest: str) -> Prompt:
    """The prompt of a blob. Raises `PartLost`."""
    try:
        told = json.loads(blobs.get(folder, digest).decode("utf-8", "surrogatepass"))
        messages = tuple(_read(one) for one in told["messages"])
        return Prompt(told["system"], (), messages, told["max_output"])
    except blobs.BlobLost as error:
        raise PartLost(f"the prompt that was asked aside is lost: {error}") from None
    except (ValueError, TypeError, KeyError):
        raise PartLost(f"the prompt that was asked aside ({digest[:16]}) cannot be read") from None


def _message(message: Message) -> dict[str, Any]:
    told: dict[str, Any] = {"role": message.role, "content": [part_to_json(part) for part in message.parts]}
    return told | ({} if message.call_id is None else {"call_id": message.call_id, "error": message.error})


def _read(value: Mapping[str, Any]) -> Message:
    return Message(
        _ROLES[value["role"]], parts_from_json(value["content"]), value.get("call_id"), value.get("error", False)
    )
