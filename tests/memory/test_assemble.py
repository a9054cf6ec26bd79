from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.domain.prompt import ToolSpec
from agentmem.memory.read import assemble
from agentmem.memory.read.assemble import Epoch

TOOLS = (ToolSpec("ls", "List.", {"type": "object", "properties": {}}),)


def begin(places: Places, window: int = 200_000) -> Epoch:
    return assemble.begin(places, assemble.loader(places, window), TOOLS, window)


def test_the_system_part_in_its_order(places: Places) -> None:
    (places.root / "AGENT.md").write_text("profile")
    (places.root / "AGENTS.md").write_text("rules")
    places.memory_file.write_text("- project fact\n")
    (places.home / "MEMORY.md").write_text("- person's fact\n")
    system = os.uname()
    epoch = begin(replace(places, cwd=places.root / "sub"))
    assert epoch.system.startswith("You are agentmem, a coding agent in a terminal.")
    assert epoch.system.partition("in the person's own words.\n\n")[2] == (
        '<profile-file source="AGENT.md">\nprofile\n</profile-file>\n\n'
        '<instruction-file source="AGENTS.md">\nrules\n</instruction-file>\n\n'
        f'<memory-data source="{places.home}/MEMORY.md">\n- person\'s fact\n</memory-data>\n\n'
        '<memory-data source="MEMORY.md">\n- project fact\n</memory-data>\n\n'
        f"<state-data>\nWorking directory: {places.root}/sub\nProject root: {places.root}\n"
        f"System: {system.sysname} {system.machine}\n</state-data>"
    )
    assert [one.name for one in epoch.loaded] == ["AGENT.md", "AGENTS.md"]
    assert (epoch.tools, epoch.notes, epoch.window) == (TOOLS, (), 200_000)


def test_the_rules_are_short() -> None:
    assert len((Path(assemble.__file__).with_name("rules.md")).read_bytes()) <= 1536


def test_the_same_files_give_the_same_bytes(places: Places) -> None:
    places.memory_file.write_text("- a\n")
    first = begin(places)
    os.utime(places.memory_file, (1, 1))
    assert begin(places) == first
    places.memory_file.write_text("- b\n")
    other = begin(places)
    assert (other.system == first.system, other.id == first.id) == (False, False)


def test_instructions_leave_room_in_a_small_window(places: Places) -> None:
    (places.root / "AGENTS.md").write_text("x" * 50_000)
    epoch = begin(places, 8_000)
    assert len(epoch.system) < 8_000 + 2_000
    assert epoch.notes == ("AGENTS.md is 50000 bytes long; only the first 8000 were loaded",)


def test_a_memory_file_that_leads_out_of_the_project_is_not_shown(places: Places, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("SECRET")
    places.memory_file.symlink_to(tmp_path / "secret")
    epoch = begin(places)
    assert "SECRET" not in epoch.system
    assert epoch.notes == (f"MEMORY.md leads out of the project, to {tmp_path}/secret: not loaded",)


def test_a_memory_file_that_is_none_is_passed_over(places: Places) -> None:
    places.memory_file.mkdir()
    (places.home / "MEMORY.md").write_text(" \n")
    epoch = begin(places)
    assert ("<memory-data" in epoch.system.partition("<state-data>")[0].partition("own words.")[2], epoch.notes) == (
        False,
        (),
    )


def test_what_has_no_room_is_ranked_by_the_ledger_and_told(places: Places) -> None:
    places.memory_file.write_text("- first ^m1\n" + "".join(f"- fact {n}\n" for n in range(400)))
    places.ledger.parent.mkdir()
    line = '{"id":"l1","op":"ADD","fact":"m1","text":"first","principal":"user","at":"2026-11-30T09:00:00Z"}'
    places.ledger.write_text(line + '\n{"torn')
    epoch = begin(places)
    assert "- first ^m1\n- fact 202\n" in epoch.system
    assert epoch.notes == ("202 of 401 lines of MEMORY.md are not shown; read it for all of them",)


def test_a_working_directory_that_is_no_text_is_shown_as_text(places: Places) -> None:
    odd = places.root / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    assert f"Working directory: {places.root}/caf\ufffd" in begin(replace(places, cwd=odd)).system
