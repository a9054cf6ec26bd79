"""Corpora: dialogues and coding sessions as the logs of a project, with questions and the entries that answer them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.memory import import_log, recalled

QUESTIONS = Path(__file__).with_name("coding-sessions.json")
FACTUAL = (
    "contradiction_resolution",
    "information_extraction",
    "knowledge_update",
    "multi_session_reasoning",
    "temporal_reasoning",
)
_SHAPE = (ValueError, LookupError, TypeError, AttributeError)  # JSON, or its keys, are not those of the data
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"


class Lacking(Exception):
    """What the data at a place lacks."""


@contextmanager
def _data(where: Path, what: str) -> Iterator[None]:
    """Raises `Lacking` where what is read inside is missing or something else than `what`."""
    try:
        yield
    except OSError as error:
        raise Lacking(f"{error.filename or where}: {error.strerror or error}; {what} belongs there") from error
    except _SHAPE as error:
        raise Lacking(f"{where}: is not {what} ({type(error).__name__}: {error})") from error


def _asked(found: list[Corpus], where: Path, what: str) -> list[Corpus]:
    if not any(question.gold for corpus in found for question in corpus.questions):
        raise Lacking(f"{where}: holds no question that has an answer; {what} belongs there")
    return found


@dataclass(frozen=True, slots=True)
class Said:
    """One message; `role` is user or assistant, `speaker` a name or "", `at` a time, `session` the log it stands in."""

    id: str
    session: str
    role: str
    speaker: str
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the entries that answer it, its kind, and of a changed fact the entries of the old and new one."""

    text: str
    gold: frozenset[str]
    kind: str
    old: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Corpus:
    """One project: what was said in it, or the folder that holds its logs already; and what is asked."""

    name: str
    said: tuple[Said, ...]
    questions: tuple[Question, ...]
    root: Path | None = None


@dataclass(slots=True)
class Project:
    """A corpus on disk, with the finder that searches it."""

    corpus: Corpus
    places: Places
    finder: recalled.Finder = field(init=False)

    def __post_init__(self) -> None:
        self.finder = recalled.Finder(self.places, Clock())
        self.finder.catch_up()

    def ranked(self, question: str, most: int = 10) -> list[recalled.Hit]:
        """The hits that the product gives in the scope of sessions."""
        return list(self.finder.find(recalled.Wanted(question, "sessions", most=most)).hits)


def places(root: Path) -> Places:
    """A project's places, its person's level beside it."""
    return Places(root, root, root / "home", root / ".agent")


def written(corpus: Corpus, root: Path, without: Collection[str] = ()) -> Project:
    """The corpus as logs below `root`, but for some entries."""
    if corpus.root is not None:
        return Project(corpus, places(corpus.root))
    found = places(root)
    found.sessions.mkdir(parents=True)
    logs: dict[str, list[Said]] = {}
    for one in corpus.said:
        logs.setdefault(one.session, []).append(one)
    for session, said in logs.items():
        rows = [{"type": "session", "id": session, "version": 1, "at": said[0].at, "cwd": str(root)}]
        rows += [_entry(one) for one in said if one.id not in without]
        text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        (found.sessions / f"{session}.jsonl").write_text(text, encoding="utf-8")
    return Project(corpus, found)


def _entry(one: Said) -> dict[str, Any]:
    named = {"name": one.speaker} if one.speaker else {}
    content = [{"type": "text", "text": one.text, "origin": "import"}]
    return {
        "type": "message",
        "id": one.id,
        "parent_id": None,
        "at": one.at,
        "role": one.role,
        **named,
        "content": content,
    }


def locomo(file: Path, *, captions: bool = False) -> list[Corpus]:
    """LoCoMo's conversations; a record is date, speaker and text, with `captions` also what an image shows. Raises
    `Lacking`."""
    what = "LoCoMo's JSON, e.g. locomo10.json"
    with _data(file, what):
        found = [_conversation(one, captions) for one in json.loads(file.read_text(encoding="utf-8"))]
    return _asked(found, file, what)


def _conversation(one: Mapping[str, Any], captions: bool) -> Corpus:
    talk = one["conversation"]
    said = []
    number = 1
    while f"session_{number}" in talk:
        at = _day(talk[f"session_{number}_date_time"].split(" on ")[-1])
        for turn in talk[f"session_{number}"]:
            shows = f" [{turn['blip_caption']}]" if captions and turn.get("blip_caption") else ""
            text = turn["text"] + shows
            said.append(Said(turn["dia_id"], f"{number:03d}", "user", turn["speaker"], at, text))
        number += 1
    known = {turn.id for turn in said}
    questions = []
    for asked in one["qa"]:
        named = re.findall(r"D:?(\d+):(\d+)", " ".join(asked["evidence"]))
        gold = frozenset(f"D{int(session)}:{int(turn)}" for session, turn in named) & known
        if gold:
            questions.append(Question(asked["question"], gold, _CATEGORIES[asked["category"]]))
    return Corpus(one["sample_id"], tuple(said), tuple(questions))


_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


def beam(folder: Path) -> list[Corpus]:
    """BEAM's chats. Raises `Lacking`."""
    what = "BEAM's folders with chat.json and probing_questions.json"
    chats = sorted((path for path in folder.rglob("chat.json")), key=lambda path: (len(path.parent.name), path))
    found = []
    for path in chats:
        with _data(path.parent, what):
            found.append(_chat(path.parent))
    return _asked(found, folder, what)


def _chat(folder: Path) -> Corpus:
    said = []
    for batch in json.loads((folder / "chat.json").read_text(encoding="utf-8")):
        at = _day((batch.get("time_anchor") or "").replace("-", " "))
        for turn in (turn for group in batch["turns"] for turn in group):
            if turn.get("time_anchor"):
                at = _day(turn["time_anchor"].replace("-", " "))
            text = re.sub(r"\s*->->.*$", "", turn["content"], flags=re.S)  # a mark of how the data was made
            said.append(Said(str(turn["id"]), f"{int(batch['batch_number']):03d}", turn["role"], "", at, text))
    asked = json.loads((folder / "probing_questions.json").read_text(encoding="utf-8"))
    questions = tuple(_probe(kind, one) for kind, every in asked.items() for one in every)
    return Corpus(f"beam-{folder.name}", tuple(said), questions)


def _probe(kind: str, one: Mapping[str, Any]) -> Question:
    source = one.get("source_chat_ids", [])
    changed = source if kind == "knowledge_update" and isinstance(source, dict) else {}
    old, new = (frozenset(_flat(changed.get(key, []))) for key in ("original_info", "updated_info"))
    return Question(one["question"], frozenset(_flat(source)), kind, old, new)


def _flat(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _flat(one)
    else:
        yield str(value)


def coding(logs: Path, root: Path) -> Corpus:
    """Coding sessions of other tools, brought in as `agentmem sessions import` does, with our own questions.
    Raises `Lacking`."""
    found = places(root)
    found.shared.mkdir(parents=True)
    asked = json.loads(QUESTIONS.read_text(encoding="utf-8"))["questions"]
    for name in sorted({one["file"] for one in asked}):
        with _data(logs / name, "a session of another tool"):
            (logs / name).stat()  # what is not there is nothing to import
            import_log(logs / name, found, Clock(), "0")
    at: dict[tuple[str, int], str] = {}
    for log in sorted(found.sessions.glob("*.jsonl")):
        for line in log.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            source = entry.get("source")
            if entry["type"] == "message" and isinstance(source, dict):
                at.setdefault((Path(source["file"]).name, source["line"]), entry["id"])
    questions = tuple(Question(one["question"], frozenset(_answers(one, at)), "coding") for one in asked)
    return Corpus("coding", (), questions, root)


def _answers(one: Mapping[str, Any], at: Mapping[tuple[str, int], str]) -> Iterator[str]:
    return (at[one["file"], line] for line in one["lines"] if (one["file"], line) in at)


def _day(text: str) -> str:
    """``8 May, 2023`` or ``March 15 2024`` as a time, "" for anything else."""
    words = re.findall(r"[A-Za-z]+|\d+", text)
    month = next((word[:3].lower() for word in words if word[:3].lower() in _MONTHS.split()), None)
    numbers = [int(word) for word in words if word.isdigit()]
    if month is None or len(numbers) != 2:
        return ""
    day, year = sorted(numbers)
    return f"{year}-{_MONTHS.split().index(month) + 1:02d}-{day:02d}T00:00:00Z"


def questions_of(projects: Sequence[Project], kinds: Collection[str] = ()) -> Iterator[tuple[Project, Question]]:
    """Every question that has an answer, of some kinds."""
    for project in projects:
        for question in project.corpus.questions:
            if question.gold and (not kinds or question.kind in kinds):
                yield project, question
