"""The reference pages: they equal the committed files, are complete, and every example in them is correct."""

import json
import re
from typing import Any

import pytest

from antifaz import catalogue
from antifaz.policy.parse import parse_policy
from handbook import __main__ as command
from handbook.examples import BASES, example
from handbook.pages import ARCHITECTURE, README, REFUSALS, ROOT, pages, parts_of, readme

PAGES = {path.name: text for path, text in pages().items() if path not in (README, REFUSALS, ARCHITECTURE)}
KINDS = {"tables.md": "table", "graphs.md": "graph", "temporal.md": "temporal_graph"}
FOLDERS = ("methods", "guarantees", "hierarchies", "risk", "utility", "attacks")
PARTS = [(page, folder, part) for page, kind in KINDS.items() for folder in FOLDERS for part in parts_of(folder, kind)]
BLOCK = re.compile(r"```json\n(.+?)\n```", re.DOTALL)
PATCH = re.compile(r"`(\{[^`]+\})` \|$", re.MULTILINE)


def merged(base: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7396), applied."""
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return patch
    return base | {name: merged(base.get(name), value) for name, value in patch.items()}


def identify(value: Any) -> str:
    return value.wire_name() if isinstance(value, type) else value


def test_the_committed_pages_are_those_of_the_catalogue():
    assert command.main(["--check"]) == 0, "run make docs"


def test_a_page_that_differs_or_is_missing_is_named():
    wanted = {ROOT / "docs" / "policy.md": "another text", ROOT / "docs" / "missing.md": "a text"}
    assert command.differences(wanted) == [
        "docs/policy.md is out of date: run make docs",
        "docs/missing.md is out of date: run make docs",
    ]


def test_every_part_stands_on_one_page():
    everything = {part for folder in FOLDERS for part in catalogue.parts(folder)}
    assert {part for _, _, part in PARTS} == everything
    assert len(PARTS) == len(everything)


@pytest.mark.parametrize(("page", "folder", "part"), PARTS, ids=identify)
def test_a_part_is_described_with_its_source_and_every_parameter(page, folder, part):
    section = PAGES[page].partition(f"\n## {'Risks' if folder == 'risk' else folder[:4].capitalize()}")[2]
    entry = section.partition(f"\n### `{part.wire_name()}`\n")[2].partition("\n### ")[0]
    assert "**Source:**" in entry
    assert "**Guarantees:**" in entry
    for name in set(part.model_fields) - {"name", "model", "kind"}:
        assert f"| `{name}` |" in entry


@pytest.mark.parametrize("page", PAGES)
def test_every_example_parses(page):
    blocks = BLOCK.findall(PAGES[page])
    assert len(blocks) >= 2
    for block in blocks:
        parse_policy(json.loads(block))


def test_every_field_of_a_policy_has_an_example_that_parses_and_uses_it():
    rows = [line for line in PAGES["policy.md"].splitlines() if re.match(r"\| `\w+` \|", line)]
    assert len(rows) > 40
    for row in rows:
        patch = json.loads(PATCH.search(row).group(1))
        field = row.split("`")[1]
        assert f'"{field}"' in json.dumps(patch)
        parse_policy(merged(BASES[patch.get("kind", "table")], patch))


def test_parts_that_policies_name_have_an_example_and_the_others_say_when_they_run():
    without = {part.wire_name() for page, folder, part in PARTS if example(folder, KINDS[page], part) is None}
    silent = {part.wire_name() for part in catalogue.parts("risk") if set(part.model_fields) == {"name"}}
    given = {name for part in catalogue.parts("methods") for name in part.gives}
    without_method = {part.wire_name() for part in catalogue.parts("guarantees")} - given
    assert without == silent | without_method


def introduction_of_graphs() -> str:
    """The text of the page before the individual parts."""
    return pages()[ROOT / "docs" / "graphs.md"].partition("## Methods: all")[0]


def test_the_introduction_of_graphs_names_every_part():
    introduction = introduction_of_graphs()
    for folder in FOLDERS:
        for part in parts_of(folder, "graph"):
            assert f"`{part.wire_name()}`" in introduction, part.wire_name()


def test_the_introduction_of_temporal_graphs_names_every_method_and_guarantee():
    introduction = (ROOT / "docs" / "parts" / "temporal.intro.md").read_text(encoding="utf-8")
    for folder in ("methods", "guarantees"):
        for part in parts_of(folder, "temporal_graph"):
            assert f"`{part.wire_name()}`" in introduction, part.wire_name()


def test_the_introduction_of_tables_names_every_guarantee():
    """Methods are listed by the page itself: a new one is a file and its test."""
    introduction = (ROOT / "docs" / "parts" / "tables.intro.md").read_text(encoding="utf-8")
    for part in parts_of("guarantees", "table"):
        assert f"`{part.wire_name()}`" in introduction, part.wire_name()


def test_the_introduction_of_graphs_marks_what_runs_by_default():
    introduction = introduction_of_graphs()
    for folder in ("utility", "attacks"):
        for part in parts_of(folder, "graph"):
            marked = f"`{part.wire_name()}`*" in introduction
            assert marked == getattr(part, "default", True), part.wire_name()


def test_the_readme_lists_what_is_there_and_keeps_what_is_written_by_hand():
    text = "| [Tables](docs/tables.md) | 1 methods: `old` (a; b); 2 guarantees: `x` and `y`; csv |\n| other | row |\n"
    row, other = readme(text).splitlines()
    assert "`mondrian`" in row
    assert "`old`" not in row
    assert row.endswith("`t_closeness`; csv |")
    assert other == "| other | row |"
    assert readme(readme(text)) == readme(text)
