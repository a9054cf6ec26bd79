"""Failures a person can mend, each with its exit code; the text of each says how."""

from __future__ import annotations

from collections.abc import Mapping

from agentmem.app.demo import DemoError
from agentmem.app.piped import NoTask, TooMuchInput
from agentmem.app.request import NotRebuilt
from agentmem.app.wiring import NothingToContinue
from agentmem.config import ConfigError
from agentmem.memory.memory import LogWriteError, SessionBusy, SessionMissing
from agentmem.model.naming import ChoiceError, NoModel
from agentmem.workspace.paths import NoDirectory

FAILED, USAGE, MODEL = 1, 2, 4

EXPECTED: Mapping[type[Exception], int] = {
    ConfigError: USAGE,
    NoTask: USAGE,
    TooMuchInput: USAGE,
    NoModel: MODEL,
    ChoiceError: USAGE,
    NothingToContinue: FAILED,
    SessionMissing: FAILED,
    SessionBusy: FAILED,
    LogWriteError: FAILED,
    NoDirectory: FAILED,
    DemoError: FAILED,
    NotRebuilt: FAILED,
}
