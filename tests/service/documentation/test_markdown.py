"""The pages of documentation: no raw HTML, and links that lead to pages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from service.documentation.markdown import document
from service.documentation.sources import GROUPS, Source, sources
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[3]
PAGES = list(sources().values())


def written(text: str, file: str = "guides/tables.md") -> str:
    return document(Source("guides", "x", file, text)).html


def test_html_in_a_page_is_text() -> None:
    shown = written('# A\n\n<script>alert(1)</script> <b onclick="x">b</b>\n\n<div style="color:red">')
    assert "<script" not in shown
    assert "<b " not in shown
    assert "<div style" not in shown
    assert "&lt;script&gt;alert(1)" in shown


def test_a_link_cannot_run_anything() -> None:
    shown = written("# A\n\n[a](javascript:alert(1)) [b](data:text/html,x) ![c](https://elsewhere.example/c.png)")
    assert "<img" not in shown
    assert not re.search(r'href="(javascript|data)', shown)


def test_links_between_files_lead_to_their_pages_and_others_are_text() -> None:
    shown = written(
        "# A\n\n[k](choosing.md#which-k) [p](../policy.md) [c](../decisions/client.md) [r](../../README.md)"
    )
    assert '<a href="/docs/guides/choosing#which-k">k</a>' in shown
    assert '<a href="/docs/reference/policy">p</a>' in shown
    assert "<span>c</span>" in shown
    assert "<span>r</span>" in shown


def test_headings_have_anchors_of_their_own() -> None:
    made = document(Source("guides", "x", "x.md", "# A\n\n## Which `k`?\n\n## Which k?\n"))
    assert made.headings == (("which-k", "Which k?"), ("which-k-1", "Which k?"))
    assert 'id="which-k-1"' in made.html


def test_comments_are_not_shown() -> None:
    assert "Written by" not in written("<!-- Written by a program. -->\n\n# A")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_every_page_has_a_title_a_sentence_about_it_and_links_that_exist(page: Source) -> None:
    made = document(page)
    assert page.title
    assert len(page.subtitle) > 10
    anchors = {found.path: set(re.findall(r' id="([^"]+)"', document(found).html)) for found in PAGES}
    for target in re.findall(r'href="([^"]+)"', made.html):
        path, _, anchor = target.partition("#")
        if path.startswith(("/docs/guides/", "/docs/reference/")) or not path:
            assert (path or page.path) in anchors, target
            assert not anchor or anchor in anchors[path or page.path], target


def test_no_guide_links_to_a_file_that_is_not_served() -> None:
    lost = {
        page.name: found
        for page in PAGES
        if page.file.startswith("guides/") and (found := re.findall(r"<span>.*?</span>", document(page).html))
    }
    assert lost == {}


def test_a_built_distribution_has_every_page_beside_its_reader(tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, timeout=patience(), check=True, capture_output=True)
    built = tmp_path / "service" / "documentation" / "pages"
    files = [file for group in GROUPS.values() for file in group.values()]
    assert [file for file in files if not (built / file).is_file()] == []
