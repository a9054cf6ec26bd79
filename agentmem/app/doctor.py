"""Doctor: what is wrong with Python, git, config, model, sessions, memory and skills, and what mends it."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from agentmem import __version__, regular
from agentmem.app.consent import require_person
from agentmem.app.home import places_of
from agentmem.app.wiring import Options, choose_model
from agentmem.config import load_config
from agentmem.configfile import ConfigError
from agentmem.domain import measure
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.memory import check, checkup
from agentmem.model.naming import ChoiceError

_MEMORY_MOST = 16 << 20  # bytes of a MEMORY.md that are read
State = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `mend` says what to do when it is not ok."""

    about: str
    state: State
    text: str
    mend: str | None = None

    def to_json(self) -> dict[str, str | None]:
        """The finding as an object of `agentmem doctor --json`."""
        return {"about": self.about, "state": self.state, "text": self.text, "mend": self.mend}


def examine(env: Mapping[str, str]) -> list[Finding]:
    """Look at everything; a check that fails is a finding, never an exception. Raises NoDirectory."""
    places = places_of(env)
    found = [_python(), *_programs(env)]
    checks: tuple[Callable[[], Iterator[Finding]], ...] = (
        lambda: _config(places, env),
        lambda: _private(places),
        lambda: _sessions(places),
        lambda: _checkpoints(places),
        lambda: _memory(places),
        lambda: _skills(env),
    )
    for look in checks:
        try:
            found += look()
        except OSError as error:
            found.append(Finding("disk", "wrong", str(error), "mend the permissions or the disk, then run this again"))
    return found


def report(found: list[Finding]) -> str:
    """The findings as lines for a person."""
    marks: Mapping[State, str] = {"ok": "ok   ", "note": "note ", "wrong": "WRONG"}
    lines = []
    for one in found:
        lines.append(f"{marks[one.state]} {one.about:<11} {one.text}")
        if one.mend:
            lines.append(f"{'':<18}-> {one.mend}")
    wrong = sum(one.state == "wrong" for one in found)
    lines.append(f"\n{wrong} wrong" if wrong else "\nall well")
    return "\n".join(lines)


def _python() -> Finding:
    said = f"agentmem {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    if sys.flags.dont_write_bytecode:
        return Finding("python", "note", f"{said}; PYTHONDONTWRITEBYTECODE is set", "unset it: starts are much slower")
    return Finding("python", "ok", said)


def _programs(env: Mapping[str, str]) -> Iterator[Finding]:
    path = env.get("PATH")
    for name, state, why in (
        ("git", "wrong", "install git: projects are found by it"),
        ("bash", "wrong", "install bash: the bash tool runs it"),
        ("rg", "note", "install ripgrep: searches become several times faster"),
    ):
        where = shutil.which(name, path=path)
        missing: State = "wrong" if state == "wrong" else "note"
        yield Finding(name, "ok", where) if where else Finding(name, missing, "is not installed", why)


def _config(places: Places, env: Mapping[str, str]) -> Iterator[Finding]:
    try:
        config = load_config(places.home, places.own)
    except ConfigError as error:
        yield Finding("config", "wrong", str(error), "edit the file; `agentmem config` shows what is in force")
        return
    for notice in config.notices:
        yield Finding("config", "note", notice, "edit the file")
    if not config.notices:
        yield Finding("config", "ok", ", ".join(sorted(set(config.sources.values()))) or "no file, all defaults")
    try:
        choice = choose_model(Options(), config, env, places.home)
    except ChoiceError as error:
        first, _, more = str(error).partition("\n")
        yield Finding("model", "wrong", first, " ".join(more.split()) or None)
        return
    choice.door.close()
    yield Finding("model", "ok", f"{choice.door.model}, window {choice.facts.window:,} tokens")
    for told in choice.told:
        yield Finding("model", "note", told)


def _private(places: Places) -> Iterator[Finding]:
    for folder in dict.fromkeys((places.own, places.shared)):
        if not folder.is_dir():
            yield Finding("folder", "ok", f"{folder} is not there yet; the first session makes it")
            continue
        mode = stat.S_IMODE(folder.stat().st_mode)
        if mode & 0o077:
            yield Finding("folder", "note", f"{folder} can be read by others", f"chmod 700 {folder}")
        elif not os.access(folder, os.W_OK):
            yield Finding("folder", "wrong", f"{folder} cannot be written", f"chmod u+w {folder}")
        else:
            yield Finding("folder", "ok", str(folder))


def _sessions(places: Places) -> Iterator[Finding]:
    found = check(places)
    for trouble in found.troubles:
        state: State = "wrong" if trouble.wrong else "note"
        yield Finding("session", state, f"{trouble.where}: {trouble.what}", trouble.mend)
    yield Finding("sessions", "ok", f"{found.sound} of {found.logs} sound")


def _checkpoints(places: Places) -> Iterator[Finding]:
    from agentmem.agent import pruning

    try:
        bounds = load_config(places.home, places.own).bounds
    except ConfigError:
        return  # it is told already
    count, size = pruning.amount(places, bounds)
    said = f"{measure.size(size)} of {count} session{'' if count == 1 else 's'}"
    if size > bounds.size:
        what = f"{said}, more than {measure.size(bounds.size)}"
        yield Finding("checkpoints", "note", what, "agentmem doctor --prune, or set checkpoint_megabytes")
    elif count:
        yield Finding("checkpoints", "ok", said)


def prune(env: Mapping[str, str], now: float) -> Finding:
    """Let old checkpoints go now. Raises `NotThePerson` under an agent, `ConfigError`, `NoDirectory`."""
    from agentmem.agent import pruning

    require_person(env, "let go of checkpoints")
    places = places_of(env)
    bounds = load_config(places.home, places.own).bounds
    try:
        done = pruning.at_once(places, bounds, now, env)
    except OSError as error:
        return Finding("pruned", "wrong", str(error), "mend the permissions or the disk, then run this again")
    said = f"{measure.size(max(done.freed, 0))} of {done.sessions} old sessions; {measure.size(done.left)} left"
    if done.why:
        return Finding("pruned", "note", f"{said}; not all of it: {done.why}", "run this again later")
    return Finding("pruned", "ok", said)


def _memory(places: Places) -> Iterator[Finding]:
    for file in (places.memory_file, places.home / "MEMORY.md"):
        if not file.exists():
            continue
        try:
            lines = regular.read(file, _MEMORY_MOST).decode().count("\n")
        except OSError as error:
            yield Finding("memory", "wrong", f"{file} cannot be read: {error.strerror}", "make it a text file")
        except UnicodeDecodeError as error:
            yield Finding("memory", "wrong", f"{file} is not UTF-8: {error}", "save it as UTF-8")
        else:
            yield Finding("memory", "ok", f"{file}, {lines} lines")
    with suppress(OSError):  # told above
        for one in checkup.secrets(Desk(places, Clock())):
            yield Finding("memory", "note", f"{one.where} {one.what}", one.mend)
    waiting = places.queue / "waiting"
    count = sum(1 for _ in waiting.glob("*.json")) if waiting.is_dir() else 0
    if count:
        yield Finding("queue", "note", f"{count} claim{'s wait' if count > 1 else ' waits'} for you", "agentmem review")


def _skills(env: Mapping[str, str]) -> Iterator[Finding]:
    """How many skills are offered; each file that cannot be used, or was mended in reading."""
    from agentmem.app.skillbook import opened, problems

    book = opened(env)
    for path, state, reason in problems(book):
        yield Finding("skill", "note", f"{path} is {state}: {reason}", "agentmem skills check")
    if book.found.withheld:
        count = len(book.found.withheld)
        said = f"{count} skill{'s' if count > 1 else ''} of this project, whose folder is not trusted, not offered"
        yield Finding("skills", "note", said, "look at them (agentmem skills list), then: agentmem trust")
    yield Finding("skills", "ok", f"{len(book.found.skills)} offered")
