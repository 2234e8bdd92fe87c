"""The documents: everything they list exists, and everything that exists is listed."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from antifaz import catalogue
from handbook.rooms import folder_of, packages

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROWS = {"table": "Tables", "graph": "Graphs", "temporal_graph": "Temporal graphs"}


def row_of(kind: str) -> str:
    """The row of the README's first table that lists the parts for a kind of dataset."""
    return next(line for line in README.splitlines() if line.startswith(f"| [{ROWS[kind]}]"))


@pytest.mark.parametrize("folder", ["methods", "guarantees"])
@pytest.mark.parametrize("kind", ROWS)
def test_the_readme_counts_and_names_every_method_and_guarantee(kind: str, folder: str) -> None:
    names = {part.wire_name() for part in catalogue.parts(folder, kind) if part.kinds[0] == kind}
    _, count, listed = re.split(rf"(\d+) {folder}: ", row_of(kind))
    assert int(count) == len(names)
    assert set(re.findall(r"`(\w+)`", re.split(r"; \d|\|", listed)[0])) == names


# --- words ---


def words_not_used() -> list[str]:
    """The words of the last table of the glossary."""
    table = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").partition("## Words that we do not use")[2]
    return re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE)


UNUSED = re.compile(rf"\b(?:{'|'.join(words_not_used())})", re.IGNORECASE)
WRITTEN_BY_RUNS = {"docs/mutants.md", "docs/proof.md"}
"""Results of long runs, which quote code and are overwritten by the next run."""
OF_MANY_LANGUAGES = {"antifaz/columns/words.py"}
"""Lists of words that are not English."""
SAYING = [folder_of(name) for name in packages()]
"""Packages whose messages are checked."""


def documents() -> list[Path]:
    """Every page that people read."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"```.*?```|`[^`\n]+`|^    .*$", "", text, flags=re.DOTALL | re.MULTILINE)


def messages(source: str) -> Iterator[tuple[int, str]]:
    """The sentences in a source that its users can meet, with their lines: texts of several words that are
    not docstrings.
    Docstrings of parts appear in the generated pages."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value if " " in node.value.strip() else ""


def test_the_glossary_lists_words():
    assert {"anew", "told", "so many"} <= set(words_not_used())


WRITTEN_BY_HAND = [path for path in documents() if path.relative_to(ROOT).as_posix() not in WRITTEN_BY_RUNS]


@pytest.mark.parametrize("path", WRITTEN_BY_HAND, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_is_in_plain_words(path: Path) -> None:
    assert [match.group() for match in UNUSED.finditer(prose(path.read_text(encoding="utf-8")))] == []


def test_messages_are_in_plain_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for folder in SAYING
        for path in sorted(folder.rglob("*.py"))
        if path.relative_to(ROOT).as_posix() not in OF_MANY_LANGUAGES
        for line, text in messages(path.read_text(encoding="utf-8"))
        if UNUSED.search(text)
    ]
    assert found == []


PLAIN = [*SAYING, ROOT / "bench"]
"""Packages whose names, comments and docstrings are checked too."""
NAMES_OF_COLUMNS = ROOT / "antifaz" / "columns" / "words.py"
"""Names that people give to columns, in any spelling: not our prose."""
UNUSED_IN_CODE = re.compile(
    rf"(?:\b|_)(?:{'|'.join(word.replace(' ', '[ _]') for word in words_not_used())})", re.IGNORECASE
)


def test_code_is_in_plain_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for folder in PLAIN
        for path in sorted(folder.rglob("*.py"))
        if path != NAMES_OF_COLUMNS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if UNUSED_IN_CODE.search(line)
    ]
    assert found == []


def described(schema: Any) -> Iterator[str]:
    """All descriptive texts of an OpenAPI document."""
    if isinstance(schema, dict):
        yield from (schema[name] for name in ("description", "summary") if isinstance(schema.get(name), str))
    for member in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from described(member)


def test_the_api_is_described_in_plain_words() -> None:
    document = json.loads((ROOT / "api_schemas" / "openapi.json").read_text(encoding="utf-8"))
    assert [text for text in described(document) if UNUSED.search(text)] == []


# --- paths ---

PATH = re.compile(r"`([\w.-]+(?:/[\w.<>*-]+)*/?)(?:::\w+)?`")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def named_paths(text: str) -> Iterator[str]:
    """Texts in backticks that look like a path of the repository: its first folder is one of ours, or it is
    a module or a page."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}
    for named in PATH.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        first, slash, _ = named.partition("/")
        if slash and "<" not in named and (first in folders or named.endswith((".py", ".md"))):
            yield named


@pytest.mark.parametrize("page", WRITTEN_BY_HAND, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [named for named in named_paths(text) if not list(ROOT.glob(named.rstrip("/")))]
    # Introductions are read as part of the generated page, one folder above.
    folder = page.parents[1] if page.parent.name == "parts" else page.parent
    missing += [link for link in LINK.findall(prose(text)) if not (folder / link).exists()]
    assert missing == []


def test_a_path_is_seen_by_its_first_folder_or_its_ending() -> None:
    text = "`antifaz/part.py` `nowhere/part` `gone/part.py` `tests/x.py::test_y` `antifaz/<name>.py`"
    assert list(named_paths(text)) == ["antifaz/part.py", "gone/part.py", "tests/x.py"]


def test_the_pages_for_newcomers_name_the_paths_that_they_speak_of() -> None:
    for page in ("CONTRIBUTING.md", "docs/architecture.md"):
        assert len(set(named_paths((ROOT / page).read_text(encoding="utf-8")))) > 15


def test_every_decision_says_what_was_decided_and_fits_on_a_screen() -> None:
    for page in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        lines = page.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("# "), page.name
        assert len(lines) <= 50, page.name


# --- pictures ---

PICTURE = re.compile(r'<img src="([^"]+)" width="\d+" alt="([^"]+)">')


def test_every_picture_that_a_page_shows_exists_is_small_and_is_described_in_words() -> None:
    shown = [(page, *found) for page in documents() for found in PICTURE.findall(page.read_text(encoding="utf-8"))]
    assert {page.parent / source for page, source, _ in shown} == set((ROOT / "docs" / "pictures").iterdir())
    for page, source, words in shown:
        assert (page.parent / source).stat().st_size < 150_000
        assert len(words) > 40
