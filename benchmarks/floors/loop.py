"""The floor of a turn: ask, run the bash calls, log a line and fsync, ask again. Standard library only."""

import argparse
import http.client
import json
import os
import subprocess
import urllib.parse
from typing import Any

parser = argparse.ArgumentParser()
parser.add_argument("-p", dest="text", required=True)
parser.add_argument("--model", required=True)
parser.add_argument("--api-base", required=True)
parser.add_argument("--log", required=True)
arguments = parser.parse_args()

TOOL = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a command.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    },
}
HEADERS = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
url = urllib.parse.urlsplit(arguments.api_base)
connection = http.client.HTTPConnection(url.netloc)
log = os.open(arguments.log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
messages: list[dict[str, Any]] = [{"role": "user", "content": arguments.text}]


def ask() -> dict[str, Any]:
    """One streaming call; gives the assistant message."""
    body = {"model": arguments.model, "stream": True, "messages": messages, "tools": [TOOL]}
    connection.request("POST", url.path + "/chat/completions", json.dumps(body), HEADERS)
    text = ""
    calls: dict[int, dict[str, str]] = {}
    for line in connection.getresponse():
        if not line.startswith(b"data: {"):
            continue
        for choice in json.loads(line[6:])["choices"]:
            delta = choice["delta"]
            text += delta.get("content") or ""
            for piece in delta.get("tool_calls") or []:
                call = calls.setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] += piece.get("id") or ""
                for key in ("name", "arguments"):
                    call[key] += piece["function"].get(key) or ""
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}}
            for c in calls.values()
        ]
    return message


def record(message: dict[str, Any]) -> None:
    """Keep a message and log it."""
    messages.append(message)
    os.write(log, json.dumps(message).encode() + b"\n")


while True:
    reply = ask()
    record(reply)
    os.fsync(log)
    if "tool_calls" not in reply:
        print(reply["content"])
        break
    for call in reply["tool_calls"]:
        command = json.loads(call["function"]["arguments"])["command"]
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
        record({"role": "tool", "tool_call_id": call["id"], "content": done.stdout + done.stderr})
