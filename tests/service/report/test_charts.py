"""Drawings as inline SVG: proportions, gaps, texts and tables."""

import re

import pytest

from service.report.charts import MOST_POINTS, Bar, bar_chart, heat_map, line_chart, shorten, shorten_labels
from service.report.numbers import percent, show

LABELS = ["2024-01-01", "2024-01-02", "2024-01-03"]


def test_a_line_is_in_proportion_and_its_table_has_every_number():
    drawing = line_chart("Edges", "By day.", {"original": [2, 4, 0], "release": [1, None, 4]}, LABELS)
    lines = re.findall(r'class="line( line--before)?" points="([^"]+)"', drawing.body)
    assert [style for style, _ in lines] == [" line--before", "", ""]
    heights = [float(point.split(",")[1]) for point in lines[0][1].split()]
    assert heights[1] == 10
    assert heights[0] - heights[1] == pytest.approx((heights[2] - heights[1]) / 2)
    assert drawing.columns == ["Snapshot", "original", "release"]
    assert drawing.rows == [["2024-01-01", "2", "1"], ["2024-01-02", "4", "–"], ["2024-01-03", "0", "4"]]


def test_cells_are_as_deep_as_their_shares_and_gaps_are_outlined():
    drawing = heat_map("Similarity", "By day.", {"jaccard": [0.25, None, 1.7]}, LABELS)
    assert re.findall(r'fill-opacity="([0-9.]+)"', drawing.body) == ["0.25", "1.00"]
    assert drawing.body.count('class="unknown"') == 1


def test_a_figure_has_a_title_a_description_and_a_table():
    figure = line_chart("Edges", "By day.", {"release": [1, 2, 3]}, LABELS).figure("first")
    assert 'role="img" aria-labelledby="first-title first-desc"' in figure
    assert '<title id="first-title">Edges</title><desc id="first-desc">By day.</desc>' in figure
    assert '<th scope="row">2024-01-03</th><td class="number">3</td>' in figure


def test_whatever_a_text_holds_is_escaped():
    hostile = "<script>'\"&"
    for make in (line_chart, heat_map):
        figure = make(hostile, hostile, {hostile: [1.0]}, [hostile]).figure("first")
        assert "<script" not in figure
        assert figure.count("&lt;script&gt;") >= 5


def test_long_series_are_drawn_as_means_and_short_ones_as_they_are():
    assert shorten([1, None, 3]) == [1, None, 3]
    values = [float(at % 3) for at in range(3 * MOST_POINTS)]
    assert shorten(values) == [1.0] * MOST_POINTS
    assert shorten_labels([str(at) for at in range(3 * MOST_POINTS)])[1] == "3"
    assert len(shorten([None] * 1001)) <= MOST_POINTS


@pytest.mark.parametrize("values", [[], [0], [None], [0, 0]])
def test_nothing_and_zeros_can_be_drawn(values):
    labels = [str(at) for at in range(len(values))]
    for make in (line_chart, heat_map):
        assert "nan" not in make("Title", "Description.", {"release": values}, labels).figure("first")


def test_bars_are_in_proportion_and_withheld_figures_have_none() -> None:
    bars = [Bar("a", {"before": 20, "after": 40}, 10.0), Bar("b", {"before": "<10", "after": None})]
    legend = (("before", "original"), ("after", "release"), ("guess", "guessing"))
    chart = bar_chart("Title", "What.", bars, legend, show)
    widths = [float(width) for width in re.findall(r'<rect class="\w+" x="0" y="\d+" width="([0-9.]+)"', chart.body)]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.2)
    assert len(widths) == 2
    assert "under 10" in chart.body
    assert chart.rows == [["a", "20", "40", "10"], ["b", "under 10", "–", "–"]]
    assert chart.columns == ["", "original", "release", "guessing"]


def test_whatever_a_bar_is_called_is_escaped_and_long_names_are_cut() -> None:
    name = "<script>" + "x" * 100
    figure = bar_chart(name, name, [Bar(name, {"after": 0.5})], (("after", "<b>"),), percent, most=1.0).figure("one")
    assert "<script" not in figure
    assert "<b>" not in figure
    assert "…</text>" in figure
