"""litellm call: one call of litellm in a thread of its own, and the loading of litellm itself."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

_LOADING = threading.Lock()

# Read by litellm while it is imported and later, so they must stand in the process's own environment: no download of
# price lists and headers, no network of its own, and no `.env` of some folder above it loaded into our environment.
_SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "true",
    "LITELLM_MODE": "PRODUCTION",
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """litellm is there; from now on the provider is waited for."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The call ended by an exception."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Ended:
    """The call ended, or somebody woke the reader."""


Item = Loaded | Failed | Ended | Mapping[str, Any]


class Call:
    """A call whose chunks, as plain objects, come out of `items`: first `Loaded`, last `Failed` or `Ended`."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.items: SimpleQueue[Item] = SimpleQueue()
        self._arguments = arguments
        self._left = threading.Event()
        self._over = False
        self._stream: Any = None

    def start(self) -> None:
        """Begin. The thread is a daemon: a process may end while it waits for a server."""
        threading.Thread(target=self._run, name="litellm", daemon=True).start()

    def wake(self) -> None:
        """Let a blocked reader look up."""
        self.items.put(Ended())

    def leave(self) -> None:
        """Nobody reads any more: end the call if it is not over, and break its connection where it can be found."""
        self._left.set()
        if not self._over:
            _hang_up(self._stream)

    def _run(self) -> None:
        try:
            litellm = load()
            self.items.put(Loaded())
            if self._left.is_set():
                return
            self._stream = _ask(litellm, self._arguments)
            for chunk in self._stream:
                if self._left.is_set():
                    return
                self.items.put(chunk.model_dump(exclude_none=True))
            self._over = True
            self.items.put(Ended())
        except Exception as error:
            # litellm raises whatever its code for a provider trips over, and each of it ends the call: none may be lost
            # in this thread. The reader names it.
            self.items.put(Failed(error))
        finally:
            if not self._over and (response := _response(self._stream)) is not None:
                response.close()


def load() -> Any:
    """The litellm module, quiet: it prints and logs nothing. The first time takes seconds. Raises `ImportError`."""
    with _LOADING:
        os.environ.update(_SETTINGS)
        from importlib import import_module

        litellm: Any = import_module("litellm")
        litellm.suppress_debug_info = True
        litellm.telemetry = False
        litellm.disable_streaming_logging = True
        _silence()
        return litellm


def _silence() -> None:
    """Standard output is the answer's and standard error the face's: what libraries log goes nowhere, and neither do
    the warnings of their own code."""
    import logging
    import warnings

    quiet = logging.NullHandler()
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "asyncio", "botocore", "google"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [quiet]
        logger.propagate = False
    warnings.filterwarnings("ignore", module=r"(litellm|pydantic|openai|httpx|google|botocore)(\.|$)")


def _ask(litellm: Any, arguments: Mapping[str, Any]) -> Any:
    """Start the call. A model that litellm does not know is taken to have no tools; where the provider speaks chat
    completions the provider itself is asked instead."""
    try:
        return litellm.completion(**arguments)
    except litellm.UnsupportedParamsError as error:
        provider = str(arguments["model"]).partition("/")[0]
        if "tools" not in str(error) or provider not in litellm.openai_compatible_providers:
            raise
        return litellm.completion(**arguments, allowed_openai_params=["tools"])


def _hang_up(stream: Any) -> None:
    """Break the stream's connection from another thread, so that a blocked read ends and the server stops its work."""
    response = _response(stream)
    line = response.extensions["network_stream"].get_extra_info("socket") if response is not None else None
    if isinstance(line, socket.socket):
        with suppress(OSError):  # closed already
            socket.socket.shutdown(line, socket.SHUT_RDWR)


def _response(stream: Any) -> Any:
    """The HTTP response that a stream reads; None where there is none. litellm gives no way to it: it is looked for in
    what the stream holds."""
    for held in _held(stream):
        extensions = getattr(held, "extensions", None)
        if isinstance(extensions, dict) and "network_stream" in extensions:
            return held
    return None


def _held(stream: Any) -> Iterator[Any]:
    """The stream and the objects in it, its generators' variables included, nearest first."""
    seen: set[int] = set()
    layer = [stream]
    for _ in range(5):
        inner = []
        for one in layer:
            if id(one) in seen or isinstance(one, (str, bytes, int, float, list, dict, tuple, type, type(None))):
                continue
            seen.add(id(one))
            yield one
            frame = getattr(one, "gi_frame", None)
            inner += list((frame.f_locals if frame is not None else getattr(one, "__dict__", {})).values())
        layer = inner[:200]
