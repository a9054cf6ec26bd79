"""Failures a person can mend, each with its exit code; the text of each says how."""

from __future__ import annotations

from collections.abc import Mapping

from agentmem.agent.footing import CannotWork
from agentmem.agent.planning import NoPlan
from agentmem.agent.rewind import CannotRewind
from agentmem.app.consent import NobodyToAsk, NotAgreed, NotThePerson
from agentmem.app.demo import DemoError
from agentmem.app.exporting import CannotExport
from agentmem.app.piped import NoTask, TooMuchInput
from agentmem.app.request import NotRebuilt
from agentmem.app.shift import NoFeatures
from agentmem.app.skillbook import SkillMissing
from agentmem.app.skillmaking import BadName, SkillExists
from agentmem.app.wiring import InUse, NothingToContinue
from agentmem.configfile import ConfigError
from agentmem.domain.obstacle import NotWaiting, StillOpen
from agentmem.domain.phrase import NoPhrase
from agentmem.memory.memory import (
    EntryMissing,
    FeatureMissing,
    FeatureTaken,
    ListUnreadable,
    LogWriteError,
    MemoryBusy,
    NoSkill,
    NothingThere,
    NotPromoted,
    NoVersion,
    SessionBusy,
    SessionMissing,
    Unusable,
    shortening,
)
from agentmem.model.naming import ChoiceError, NoModel
from agentmem.objects import Damaged
from agentmem.workspace.glob import BadGlob
from agentmem.workspace.paths import NoDirectory
from agentmem.workspace.repo import RepoFailed
from agentmem.workspace.straying import LeadsOut

FAILED, USAGE, REFUSED, MODEL = 1, 2, 3, 4

EXPECTED: Mapping[type[Exception], int] = {
    ConfigError: USAGE,
    NoTask: USAGE,
    TooMuchInput: USAGE,
    NoModel: MODEL,
    ChoiceError: USAGE,
    NobodyToAsk: USAGE,
    NotAgreed: FAILED,
    NotThePerson: REFUSED,
    NothingToContinue: FAILED,
    CannotRewind: FAILED,
    InUse: FAILED,
    SessionMissing: FAILED,
    EntryMissing: FAILED,
    SessionBusy: FAILED,
    LogWriteError: FAILED,
    NoDirectory: FAILED,
    LeadsOut: FAILED,
    DemoError: FAILED,
    CannotExport: FAILED,
    NotRebuilt: FAILED,
    NoFeatures: USAGE,
    NoPlan: FAILED,
    CannotWork: FAILED,
    RepoFailed: FAILED,
    SkillMissing: FAILED,
    SkillExists: FAILED,
    BadName: USAGE,
    NoSkill: FAILED,
    NoPhrase: USAGE,
    StillOpen: FAILED,
    NotWaiting: FAILED,
    NotPromoted: FAILED,
    FeatureMissing: FAILED,
    FeatureTaken: USAGE,
    ListUnreadable: FAILED,
    MemoryBusy: FAILED,
    NothingThere: FAILED,
    NoVersion: FAILED,
    Damaged: FAILED,
    Unusable: FAILED,
    BadGlob: USAGE,
    shortening.NotChanged: FAILED,
}
