"""A page as PDF, made in a separate process."""

import asyncio
import ctypes.util
import re
import subprocess
import sys
import zlib
from typing import Any

import pytest

from service.report import pdf
from service.report.paper import for_paper
from tests.service.report.pages import page_of
from tests.service.samples import described, full_report

REPORT = full_report("job", "release", "dataset", "0" * 64)
needs_pango = pytest.mark.skipif(
    ctypes.util.find_library("pango-1.0") is None, reason="Pango is not installed: no PDF can be made here"
)


def wide_report(columns: int) -> dict[str, Any]:
    """The report of a table with many columns, each of which has a line in every table."""
    names = [f"column number {place} of the table" for place in range(columns)]
    report = full_report("job", "release", "dataset", "0" * 64)
    report["policy"]["attributes"] = {
        name: {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "mask"}} for name in names
    }
    report["utility"]["ncp"]["attributes"] = {name: place / columns for place, name in enumerate(names)}
    report["utility"]["distribution_distance"] = {"columns": {name: {"total_variation": 0.1} for name in names}}
    report["explanation"] = {
        "attributes": [
            {"name": name, "released": True, "exact": 0.5, "suppressed": 0.1, "levels": {"1": 0.5, "2": 0.5}}
            for name in names
        ],
        "suppressed": {"missing_values": 0, "method": 0},
    }
    return report


@needs_pango
@pytest.mark.parametrize("columns", [0, 90])
def test_a_tables_report_is_a_pdf_of_at_most_four_pages(columns):
    report = wide_report(columns) if columns else REPORT
    dictionary = [described(f"column number {place} of the table") for place in range(columns)]
    release = {"id": "release", "artifacts": report["artifacts"], "dictionary": dictionary} if columns else None
    page = page_of(report, release=release)
    assert page.count("column number 89 of the table") >= (3 if columns else 0)
    content = asyncio.run(pdf.pdf_of(page))
    assert content.startswith(b"%PDF")
    # The tree of pages says how many there are; it may be inside a compressed stream.
    streams = [zlib.decompress(found) for found in re.findall(rb"stream\n(\x78.*?)\nendstream", content, re.DOTALL)]
    counts = re.findall(rb"/Type /Pages\b[^>]*?/Count (\d+)", b"".join([content, *streams]))
    assert counts
    assert 1 <= int(counts[0]) <= 4


def test_charts_carry_their_colors_on_paper():
    paper = for_paper(page_of(REPORT))
    charts = re.findall(r'<svg viewBox="[^"]+" role="img"[^>]*><style>([^<]*)</style>', paper)
    assert charts
    assert "var(" not in charts[0]
    assert ".after { fill: #" in charts[0]


@needs_pango
def test_a_page_that_would_load_something_loads_nothing(tmp_path):
    secret = tmp_path / "secret.css"
    secret.write_text("body::before { content: 'LOADED' }")
    html = f'<link rel="stylesheet" href="{secret.as_uri()}"><p>text</p>'
    program = [sys.executable, "-m", "service.report.paper"]
    made = subprocess.run(program, input=html.encode(), capture_output=True, check=False)
    bare = subprocess.run(program, input=b"<p>text</p>", capture_output=True, check=False)
    assert made.returncode == bare.returncode == 0
    assert abs(len(made.stdout) - len(bare.stdout)) < 200
