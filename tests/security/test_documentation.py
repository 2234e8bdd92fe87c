"""The page that maps every rule to its tests: no rule is missing, and every test that it names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security-tests.md").read_text()
LISTS = {"L": 14, "G": 13, "D": 13, "E": 7, "S": 25, "C": 4, "R": 10}
IDS = [f"{letter}{number}" for letter, last in LISTS.items() for number in range(1, last + 1)]
ROW = re.compile(r"^\| ([A-Z]\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
WITHOUT = ("not yet: ", "does not apply here: ")


def rows() -> dict[str, str]:
    """The evidence of every id."""
    return {name: shown for name, _, shown in ROW.findall(PAGE)}


@cache
def defined_in(path: str) -> set[str]:
    """The tests that a file defines."""
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_no_rule_is_missing_and_none_is_told_twice() -> None:
    assert [name for name, _, _ in ROW.findall(PAGE)] == IDS


@pytest.mark.parametrize("name", IDS)
def test_every_rule_has_tests_that_exist_or_a_reason(name: str) -> None:
    shown = rows()[name]
    named = TEST.findall(shown)
    assert bool(named) != shown.startswith(WITHOUT)
    assert named or len(shown) > 20
    assert [f"{path}::{test}" for path, test in named if test not in defined_in(path)] == []
    assert shown.count("`tests/") == len(named)


def test_what_is_not_there_yet_is_truly_not_there() -> None:
    """A reason that names a missing feature ends when the feature exists."""
    operations = (ROOT / "api_schemas" / "openapi.json").read_text()
    assert "not yet: `edge_local_dp`" not in PAGE or not list((ROOT / "antifaz").rglob("edge_local_dp.py"))
    assert "there are no webhooks" not in PAGE or "/v1/webhooks" not in operations
    assert "there is no ledger" not in PAGE or not list((ROOT / "storage").glob("*ledger*"))


def test_the_promise_says_what_it_must() -> None:
    promise = (ROOT / "docs" / "promise.md").read_text()
    for part in ("## What is protected", "## Against whom", "## What is public", "## What is not protected"):
        assert part in promise
    limits = promise.partition("## Known limits")[2]
    for word in ("**Time.**", "**Deletion.**", "**Withdrawal.**", "**Unrelated uploads.**", "**Plaintext in memory.**"):
        assert word in limits
    assert "SYNTACTIC_NO_FORMAL_GUARANTEE" in promise


PROMISE = (ROOT / "docs" / "promise.md").read_text()
LINE_BY_LINE = dict(
    re.findall(r"^### (.+)\n((?:[^#\n].*\n|\n)+)", PROMISE.partition("## Line by line")[2], re.MULTILINE)
)


def test_every_line_of_the_first_screen_leads_to_a_short_section_whose_tests_exist() -> None:
    screen = PROMISE.partition("## On one screen")[2].partition("\n## ")[0]
    lines = re.findall(r"^- .+\(#([\w-]+)\)\)\.$", screen, re.MULTILINE)
    assert len(lines) == len(re.findall("^- ", screen, re.MULTILINE)) > 8
    sections = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-"): text for title, text in LINE_BY_LINE.items()}
    for anchor in lines:
        named = TEST.findall(sections[anchor])
        assert named, anchor
        assert [f"{path}::{test}" for path, test in named if test not in defined_in(path)] == []
        assert len(sections[anchor].split()) < 110
