"""The topic pages: every example runs as it is written and prints what the page says it prints.

`python` fences of a page run in order, in one program. A `text` fence after one of them is what it prints; a `text`
fence after prose is only for reading.
"""

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest

from service.documentation.sources import FOLDER, GUIDES

PAGES = {name: (FOLDER / file).read_text(encoding="utf-8") for name, file in GUIDES.items() if "topics/" in file}
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
LINES = 100


def runs(page: str) -> Iterator[tuple[str, str]]:
    """What each example of a page prints, and what the page says."""
    names: dict[str, Any] = {}
    for code, said in EXAMPLE.findall(page):
        with redirect_stdout(StringIO()) as printed:
            exec(code, names)  # noqa: S102 - our own pages
        yield printed.getvalue(), said


def test_every_topic_is_served() -> None:
    assert {f"topics/{path.name}" for path in (FOLDER / "topics").glob("*.md")} == {
        file for file in GUIDES.values() if file.startswith("topics/")
    }


@pytest.mark.parametrize("name", PAGES)
def test_every_example_of_a_topic_prints_what_the_page_says(name: str) -> None:
    found = list(runs(PAGES[name]))
    assert found
    assert [printed for printed, _ in found] == [said for _, said in found]


@pytest.mark.parametrize("name", PAGES)
def test_a_topic_is_one_idea_with_an_example_and_what_is_done_about_it(name: str) -> None:
    assert len(PAGES[name].splitlines()) <= LINES
    assert "## An example" in PAGES[name]
    assert "## What Antifaz does about it" in PAGES[name]


def test_an_example_that_prints_something_else_is_noticed() -> None:
    page = "```python\nprint(1)\n```\n\n```text\n2\n```\n"
    assert list(runs(page)) == [("1\n", "2\n")]
