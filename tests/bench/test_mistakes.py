"""The list of mistakes: each is a change of the current code, for a test that exists."""

import re
from pathlib import Path

from bench.mistakes.__main__ import NOTICED, UNNOTICED, UNTRIED, _tried, write_page
from bench.mistakes.listed import MISTAKES, ROOT, Mistake


def test_every_mistake_is_a_change_of_the_product_as_it_is() -> None:
    """If a line of the product changes, its mistakes must change too."""
    assert [each.name for each in MISTAKES if not each.applies or each.old == each.new] == []
    assert len({each.name for each in MISTAKES}) == len(MISTAKES) >= 50


def test_every_mistake_names_a_test_that_exists() -> None:
    for each in MISTAKES:
        file, _, name = each.test.partition("::")
        assert re.search(rf"^(?:async )?def {name}\(", (ROOT / file).read_text(), re.MULTILINE), each.test
        assert file.split("/")[1] in ("leaks", "gate", "faults", "security")


def test_the_page_tells_of_every_mistake_and_of_none_that_nobody_noticed() -> None:
    page = (ROOT / "docs" / "mutants.md").read_text()
    for each in MISTAKES:
        row = f"| {each.name} | `{each.file}` | `{each.test}` | "
        assert page.count(row) == 1, each.name
        assert page.partition(row)[2].startswith((NOTICED, UNTRIED)), each.name


def test_a_mistake_is_noticed_where_its_test_fails_and_only_there(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text("def double(number):\n    return 2 * number\n")
    (tmp_path / "test_part.py").write_text("from part import double\n\n\ndef test_it():\n    assert double(2) == 4\n")
    threefold = Mistake("threefold", "part.py", "2 * number", "3 * number", "test_part.py::test_it")
    added = Mistake("added", "part.py", "2 * number", "number + 2", "test_part.py::test_it")
    (tmp_path / "test_broken.py").write_text("def test_it():\n    assert False\n")
    broken = Mistake("broken", "part.py", "2 * number", "3 * number", "test_broken.py::test_it")
    gone = Mistake("gone", "part.py", "4 * number", "3 * number", "test_part.py::test_it")
    lost = Mistake("lost", "part.py", "2 * number", "3 * number", "test_part.py::test_that_is_not_there")
    assert [_tried(each, tmp_path) for each in (threefold, added)] == [NOTICED, UNNOTICED]
    assert [_tried(each, tmp_path) for each in (lost, broken, gone)] == [UNTRIED] * 3
    assert "2 * number" in (tmp_path / "part.py").read_text()


def test_the_table_is_written_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- mistakes -->\nwhat was there\n<!-- end of mistakes -->\nafter\n")
    write_page(page, [(MISTAKES[0], NOTICED)])
    told = page.read_text()
    assert told.startswith("before\n")
    assert told.endswith("after\n")
    assert "what was there" not in told
    assert f"| {MISTAKES[0].name} |" in told
