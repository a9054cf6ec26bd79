"""Every clause of what real SKILL.md files look like, read as people meant it."""

from __future__ import annotations

from pathlib import Path

import pytest
import zoo
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.stores import frontmatter, skillfile

BEASTS = zoo.beasts()


def test_the_zoo_is_large() -> None:
    assert len(BEASTS) >= 200
    assert len({beast.folder for beast in BEASTS}) == len(BEASTS)


@pytest.mark.parametrize("beast", BEASTS, ids=lambda beast: beast.clause)
def test_a_file(beast: zoo.Beast, tmp_path: Path) -> None:
    path = tmp_path / beast.folder / beast.file
    path.parent.mkdir()
    path.write_bytes(beast.data)
    if beast.state == "refused":
        with pytest.raises(skillfile.NoSkill) as refused:
            skillfile.read_skill(str(path), "project")
        assert all(word in str(refused.value) for word in beast.said)
        return
    sheet = skillfile.read_skill(str(path), "project")
    skill = sheet.skill
    assert ("warned" if skill.warnings else "loaded") == beast.state, skill.warnings
    assert all(word in "\n".join(skill.warnings) for word in beast.said)
    for wanted, got in ((beast.name, skill.name), (beast.id, skill.id), (beast.description, skill.description)):
        assert wanted is None or got == wanted
    assert beast.body is None or sheet.body.strip() == beast.body.strip()
    assert {key: skill.fields.get(key) for key in beast.fields} == beast.fields
    assert "\r" not in skill.description + sheet.body and "\ufeff" not in skill.description + sheet.body


def test_one_warning_names_file_line_and_cause() -> None:
    data = (
        b"---\nname: adr\ndescription: Write records. Core rule: one decision per file. Flags: --all\n"
        b'argument-hint: [action] e.g. "list"\n---\nBody'
    )
    skill = skillfile.parse(data, "/w/.agents/skills/adr/SKILL.md").skill
    assert skill.description == "Write records. Core rule: one decision per file. Flags: --all"
    assert skill.warnings == (
        "/w/.agents/skills/adr/SKILL.md:3: no valid YAML: mapping values are not allowed in this context "
        "(and in line 4): read as plain text",
    )


@pytest.mark.parametrize(
    "head",
    [
        "a: &a [1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n"
        "d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]",
        "a: &a [*a]",
        "a: " + "[" * 900 + "]" * 900,
        "a: " + "[" * 100_000,
        "a: " + "{a: " * 5_000,
    ],
    ids=["aliases that multiply", "an alias of itself", "deep", "deeper, not closed", "deep mappings"],
)
def test_what_is_made_to_have_no_end(head: str) -> None:
    data = f"---\nname: x\ndescription: D.\n{head}\n---\nB".encode()
    try:
        sheet = skillfile.parse(data, "/x/SKILL.md")
    except skillfile.NoSkill as refused:
        assert "too" in str(refused)
    else:
        assert sheet.skill.description == "D." and sheet.skill.warnings


def test_tags_make_nothing() -> None:
    data = b"---\nname: x\ndescription: D.\nrun: !!python/object/apply:os.system ['true']\n---\n"
    assert skillfile.parse(data, "/x/SKILL.md").skill.fields["run"] == ["true"]


@given(st.binary(max_size=300))
def test_any_bytes_are_a_skill_or_a_reason(data: bytes) -> None:
    for framed in (data, b"---\n" + data + b"\n---\nbody", b"---\nname: a\ndescription: " + data + b"\n---\n"):
        try:
            skill = skillfile.parse(framed, "/w/a/SKILL.md").skill
        except skillfile.NoSkill as refused:
            assert str(refused)
        else:
            assert skill.description.strip() and skillfile.safe_name(skill.id) == skill.id


_WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@given(st.lists(st.tuples(st.sampled_from(["name", "description", "a-b", "A_1"]), _WORDS), min_size=1, max_size=4))
def test_a_plain_head_means_to_us_what_it_means_to_yaml(pairs: list[tuple[str, str]]) -> None:
    import yaml

    head = tuple(f"{key}: {value}" for key, value in pairs)
    simple = frontmatter._simple(head)
    if simple is not None:
        found = yaml.load("\n".join(head), yaml.BaseLoader)
        assert found == simple


@given(st.text(max_size=100))
def test_an_id_is_safe(name: str) -> None:
    own = skillfile.safe_name(name)
    assert len(own) <= 64 and own == own.strip("-") and set(own) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert skillfile.safe_name(own) == own


@pytest.mark.parametrize(
    "lines",
    [
        [f"k{number}: @x" for number in range(2_000)],
        ["k: @x"] * 2_000,
        [f"k{number}: &a x" for number in range(2_000)],
        [f"{'k' * 9_000}: @x", f"{'k' * 9_000}: y", f"{'k' * 9_000}: z"],
        ["license: [a]", f"name: {'n' * 9_000}"],
    ],
)
def test_the_warnings_of_a_file_are_bounded(lines: list[str]) -> None:
    text = "\n".join(["---", "description: D.", *lines, "---", "Body"])
    found = skillfile.parse(text.encode(), "/x/a/SKILL.md").skill
    assert found.description == "D." and 1 <= len(found.warnings) <= 21
    assert max(map(len, found.warnings)) < 450
    assert all(one.startswith("/x/a/SKILL.md:") for one in found.warnings)
