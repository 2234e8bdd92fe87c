"""Mistakes made by hand: each is a change of the product as it is, and its tests exist and notice it."""

import re
from pathlib import Path

import pytest

from bench.mutants.__main__ import PAGE, ROOT
from bench.mutants.engine import KILLED, SURVIVED, UNTRIED, Copy, copy_of
from bench.mutants.mistakes import Mistake, listed, outcomes
from bench.mutants.page import outcomes_on, write_mistakes

MISTAKES = listed()
OF_THE_VERIFIER = [each for each in MISTAKES if all(test.startswith("tests/oracles/") for test in each.tests)]
"""Those that the contests with the definitions notice; the other ones are tried by `make mutants`."""


@pytest.fixture(scope="module")
def product():
    with copy_of(ROOT) as copy:
        yield copy


def test_every_mistake_is_a_change_of_the_product_as_it_is() -> None:
    """If a line of the product changes, its mistakes must change too."""
    assert [each.name for each in MISTAKES if not each.texts(ROOT)] == []
    assert len({each.changes for each in MISTAKES}) == len(MISTAKES)


def test_every_mistake_names_tests_that_exist() -> None:
    for test in {test for each in MISTAKES for test in each.tests}:
        file, _, name = test.partition("::")
        assert re.search(rf"^(?:async )?def {name.partition('[')[0]}\(", (ROOT / file).read_text(), re.MULTILINE), test


def test_the_page_tells_of_every_mistake_and_of_none_that_nobody_noticed() -> None:
    known = outcomes_on(PAGE)
    assert known.keys() == {(each.name, test) for each in MISTAKES for test in each.tests}
    assert set(known.values()) <= {"noticed", "not tried"}


def test_a_mistake_is_noticed_if_its_test_fails_with_it_and_passes_without(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text("def double(number):\n    return 2 * number\n")
    (tmp_path / "test_part.py").write_text("from part import double\n\n\ndef test_it():\n    assert double(2) == 4\n")
    (tmp_path / "test_broken.py").write_text("def test_it():\n    assert False\n")
    copy, test = Copy(tmp_path), "test_part.py::test_it"

    def tried(wrong: str, *tests: str, right: str = "2 * number") -> list[str]:
        mistake = Mistake("a mistake", (("part.py", right, wrong),), tests)
        return [outcome for _, outcome in outcomes(mistake, copy)]

    assert tried("3 * number", test) == [KILLED]
    assert tried("number + 2", test) == [SURVIVED]
    assert tried("3 * number", test, "test_broken.py::test_it") == [KILLED, UNTRIED]
    assert tried("3 * number", "test_part.py::test_that_is_not_there") == [UNTRIED]
    assert tried("3 * number", test, right="4 * number") == tried("3 * number)", test) == [UNTRIED]
    assert "2 * number" in (tmp_path / "part.py").read_text()


def test_a_verifier_with_a_mistake_is_noticed_and_one_without_is_not(product: Copy) -> None:
    mistake = next(each for each in OF_THE_VERIFIER if each.name == "k is not enough")
    assert [outcome for _, outcome in outcomes(mistake, product)] == [KILLED]
    assert product.fate({}, mistake.tests).outcome == SURVIVED


@pytest.mark.long
@pytest.mark.parametrize("mistake", OF_THE_VERIFIER, ids=lambda each: each.name)
def test_every_mistake_of_the_verifier_is_noticed(mistake: Mistake, product: Copy) -> None:
    assert {outcome for _, outcome in outcomes(mistake, product)} == {KILLED}


def test_the_table_keeps_what_it_says_of_mistakes_that_were_not_tried_this_time(tmp_path: Path) -> None:
    page, (first, second) = tmp_path / "page.md", MISTAKES[:2]
    page.write_text("before\n\n## Mistakes\n\nwhat was there\n\n## After\n\nafter\n")
    write_mistakes(page, [first, second], {first.name: dict.fromkeys(first.tests, KILLED)})
    write_mistakes(page, [first, second], {second.name: dict.fromkeys(second.tests, SURVIVED)})
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "what was there" not in text
    assert f"| {first.name} |" in text
    assert (text.count("| noticed |"), text.count("| NOT noticed |")) == (len(first.tests), len(second.tests))
