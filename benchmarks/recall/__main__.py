"""How good recall is: `python -m benchmarks.recall --locomo FILE --beam DIR [--sessions DIR] [--json]`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.line import machine, today
from benchmarks.recall import ablation, abstaining, corpora, figures, reading, rivals, speed, updates
from benchmarks.recall.corpora import FACTUAL, Project, questions_of

TUNED_ON = {"conv-26", "conv-41", "conv-43", *(f"beam-{number}" for number in (1, 5, 9, 13, 17))}
"""Where settings were chosen; the rest only checked them."""

Ranker = Callable[[str], list[str]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the data allows; prints one JSON document or a page. Where there is no such data it says what lacks, and
    ends with 2."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="LoCoMo's conversations (JSON)")
    parser.add_argument("--beam", type=Path, metavar="DIR", help="BEAM's chats, e.g. beam/100K")
    parser.add_argument("--sessions", type=Path, metavar="DIR", help="the three coding sessions of our own questions")
    parser.add_argument("--records", type=int, default=100_000, help="records of the speed rows (100000; 0: none)")
    parser.add_argument("--quick", action="store_true", help="no ablation, no abstention curves, no speed")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args(argv)
    if not (arguments.locomo or arguments.beam or arguments.sessions):
        parser.error("give at least one of --locomo, --beam and --sessions")
    try:
        with tempfile.TemporaryDirectory(prefix="agentmem-recall-") as scratch:
            found = _all(arguments, Path(scratch))
    except corpora.Lacking as error:
        parser.error(str(error))
    document = {"benchmark": "recall", "date": today(), "machine": machine(), **found}
    print(json.dumps(document, indent=1) if arguments.json else page(document))
    return 0


def _all(arguments: argparse.Namespace, root: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    sets: list[tuple[str, list[Project], Sequence[str]]] = []
    if arguments.locomo:
        talks = [corpora.written(one, root / "locomo" / one.name) for one in corpora.locomo(arguments.locomo)]
        sets.append(("locomo", talks, ()))
        told = [
            corpora.written(one, root / "told" / one.name) for one in corpora.locomo(arguments.locomo, captions=True)
        ]
        found["locomo_with_captions"] = {"recall": _one(told, (), product)}
    if arguments.beam:
        chats = [corpora.written(one, root / "beam" / one.name) for one in corpora.beam(arguments.beam)]
        sets.append(("beam", chats, FACTUAL))
    if arguments.sessions:
        own = corpora.coding(arguments.sessions, root / "coding")
        sets.append(("coding", [corpora.written(own, root / "coding")], ()))
    for name, projects, kinds in sets:
        _say(f"{name}: {sum(1 for _ in questions_of(projects, kinds))} questions")
        found[name] = {ranker: _one(projects, kinds, make) for ranker, make in RANKERS.items()}
    found["currency"] = _currency({name: projects for name, projects, _ in sets}, root)
    if not arguments.quick:
        found["reading"] = {name: reading.compared(projects, kinds) for name, projects, kinds in sets}
        _say("ablation")
        found["ablation"] = dict(ablation.rows(sets))
        _say("abstention")
        by_name = {name: projects for name, projects, _ in sets}
        curves = abstaining.curves(by_name.get("locomo", []), by_name.get("beam", []), root / "abstaining")
        found["abstention"] = {"let_in": abstaining.LET_IN, "curves": [asdict(one) for one in curves]}
        if arguments.records:
            found["speed"] = [asdict(one) for one in _speed(arguments, sets, root)]
    return found


def product(project: Project) -> Ranker:
    """What `agentmem recall --scope sessions` gives."""
    return lambda question: [hit.id for hit in project.ranked(question)]


RANKERS: dict[str, Callable[[Project], Ranker | None]] = {
    "recall": product,
    "full scan": rivals.full_scan,
    "FTS5 porter OR": rivals.plain,
    "bm25s": rivals.bm25s,
}


def _one(projects: Sequence[Project], kinds: Sequence[str], make: Callable[[Project], Ranker | None]) -> dict[str, Any]:
    """The figures of one ranker, whole, by kind of question, and apart for where settings were and were not chosen."""
    rankers = {id(project): make(project) for project in projects}
    if None in rankers.values():
        return {}
    every: list[tuple[str, str, dict[str, float]]] = []
    for project, question in questions_of(projects, kinds):
        rank = rankers[id(project)]
        if rank is not None:
            of = figures.of_ranking(rank(question.text), question.gold)
            every.append((project.corpus.name, question.kind, of))
    whole = [one for _, _, one in every]
    by_kind = {kind: figures.mean([one for _, which, one in every if which == kind]) for _, kind, _ in every}
    tuned, rest = ([one for name, _, one in every if (name in TUNED_ON) == chosen] for chosen in (True, False))
    return {
        **figures.mean(whole),
        "interval": figures.intervals(whole),
        "kinds": by_kind,
        "tuned_on": figures.mean(tuned),
        "rest": figures.mean(rest),
        "questions": len(whole),
    }


def _currency(sets: dict[str, list[Project]], root: Path) -> dict[str, Any]:
    _say("currency")
    generated, superseded = updates.measured(root / "updates")
    held = {"generated": generated, "superseded fact in the first five": superseded}
    if "beam" in sets:
        held["beam"] = updates.current(sets["beam"])
    return {
        name: {"held": sum(ones), "of": len(ones), "interval": figures.interval([float(one) for one in ones])}
        for name, ones in held.items()
    }


def _speed(
    arguments: argparse.Namespace, sets: Sequence[tuple[str, list[Project], Sequence[str]]], root: Path
) -> list[speed.Timed]:
    talk = next((projects for name, projects, _ in sets if name in ("locomo", "beam")), [])
    if not talk:
        return []
    _say(f"speed over {arguments.records:,} records")
    speed.large([project.corpus for project in talk], root / "large", arguments.records)
    rebuild, project = speed.rebuilt(root / "large")
    asked = [question.text for one in talk for question in one.corpus.questions][:200]
    small = speed.queries(talk[0], [question.text for question in talk[0].corpus.questions][:200], 5.0)
    return [
        rebuild,
        speed.queries(project, asked, 1.5),
        small,
        speed.entries(root / "entries"),
    ]


def page(document: dict[str, Any]) -> str:
    """The document for people."""
    rows = []
    for name in ("locomo", "locomo_with_captions", "beam", "coding"):
        for ranker, found in document.get(name, {}).items():
            if found:
                told = "  ".join(f"{key} {found[key]}" for key in figures.NAMES)
                low, high = found["interval"]["R@5"]
                rows.append(f"{name:22} {ranker:16} {told}   R@5 {low} to {high}")
                if ranker == "recall":
                    halves = (f"{half} R@5 {found[half].get('R@5')}" for half in ("tuned_on", "rest"))
                    rows.append(f"{'':40}{' · '.join(halves)}")
    for name, one in document.get("currency", {}).items():
        rows.append(f"{name}: {one['held']} of {one['of']} ({one['interval'][0]} to {one['interval'][1]} %)")
    for name, forms in document.get("reading", {}).items():
        for one in forms:
            told = f"{one['answers']} % of the answers, {one['bytes']} bytes"
            rows.append(f"{name}: {one['form']} in 2 % of {one['window']:,} tokens: {told}")
    for name, sets in document.get("ablation", {}).items():
        rows.append(f"without {name:30} " + "  ".join(f"{which} {a} {b}" for which, (a, b) in sets.items()))
    return "\n".join([*rows, *_abstention(document), *_timed(document)])


def _abstention(document: dict[str, Any]) -> list[str]:
    rows: list[str] = []
    for curve in document.get("abstention", {}).get("curves", []):
        rows.append(f"{curve['of']} stays out, where {document['abstention']['let_in']} of the answerable get a block:")
        rows += [f"  {key}: {curve[key]}" for key in ("elsewhere", "removed", "unanswerable")]
        rows.append(f"  threshold at 0.9: {curve['threshold']}")
    return rows


def _timed(document: dict[str, Any]) -> list[str]:
    return [
        f"{one['what']}: {one['ours']:.2f}, floor {one['floor']:.2f}, {one['ratio']:.2f} x (at most {one['most']})"
        for one in document.get("speed", [])
    ]


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
