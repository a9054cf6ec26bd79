"""One post over the product's own HTTP client."""

from __future__ import annotations

from collections.abc import Mapping

from agentmem.domain.cancel import Cancel
from agentmem.model.http import Client
from agentmem.model.timeouts import Timeouts

QUICK = Timeouts(connect=2.0, first_byte=5.0, idle=5.0)


def post(url: str, env: Mapping[str, str] | None = None, body: bytes = b"{}", **headers: str) -> tuple[int, bytes]:
    client = Client(url, env or {}, QUICK)
    try:
        with client.post("/ask", headers, body, Cancel()) as answer:
            return answer.status, answer.body(QUICK.idle)
    finally:
        client.close()
