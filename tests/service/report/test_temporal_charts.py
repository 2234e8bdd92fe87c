"""Charts in a report of a temporal graph, and who sees them."""

import re

import numpy as np
import pytest

from antifaz import catalogue
from antifaz.watch import unwatched
from service.releases import views
from service.report.temporal_charts import shortened, temporal_drawings
from tests.antifaz.temporal.sequences import changed, random_snapshots
from tests.service.report.pages import Balanced, page_of
from tests.service.samples import full_report

SNAPSHOTS = random_snapshots(20, 12, 40)
RELEASED = changed(SNAPSHOTS, 0.2)
UTILITY = {
    part.wire_name(): part().measure(SNAPSHOTS, RELEASED, np.random.default_rng(0), unwatched)
    for part in catalogue.parts("utility", "temporal_graph")
}
SHAPE = {"nodes": 20, "edges": RELEASED.snapshots.m, "edges_by_snapshot": np.diff(RELEASED.snapshots.starts).tolist()}
REPORT = full_report("job", "release", "dataset", "0" * 64) | {
    "kind": "temporal_graph",
    "utility": UTILITY,
    "release": SHAPE,
}
FROM_ORIGINAL = [
    "Similarity of every snapshot",
    "Edges, before and after",
    "Density, before and after",
    "Mean degree, before and after",
    "Communities over time",
]


def titles(report: dict) -> list[str]:
    return [drawing.title for drawing in temporal_drawings(report)]


@pytest.mark.parametrize("private", [False, True])
def test_a_steward_sees_every_drawing(private):
    assert titles(views.view(REPORT, "steward", private)) == FROM_ORIGINAL


def test_a_consumer_sees_what_is_released_and_nothing_of_the_original():
    for role, private in (("consumer", False), ("consumer", True), (None, False), ("auditor", True)):
        shown = views.view(REPORT, role, private)
        assert titles(shown) == ["Edges over time"]
        page = page_of(shown)
        assert "before and after" not in page
        assert "release and original" not in page


@pytest.mark.parametrize("role", ["consumer", "auditor", "steward"])
@pytest.mark.parametrize("private", [False, True])
def test_the_page_is_well_formed_and_every_drawing_has_its_own_names(role, private):
    page = page_of(views.view(REPORT, role, private))
    parser = Balanced()
    parser.feed(re.sub(r"<(line|rect|polyline|path|circle)\b[^>]*/>", "", page))
    assert parser.open == []
    names = re.findall(r' id="([^"]+)"', page)
    assert len(names) == len(set(names)) > 0
    assert "http" not in page
    assert "<script" not in page


def test_drawings_of_the_original_are_marked_beside_a_promise_of_privacy():
    page = page_of(views.view(REPORT, "steward", private=True))
    assert page.index("do not pass it on") < page.index("<figure")
    page = page_of(views.view(REPORT, "consumer", private=True))
    assert "do not pass it on" not in page


def test_points_begin_where_their_snapshots_do():
    drawing = temporal_drawings(REPORT)[0]
    assert [row[0] for row in drawing.rows] == list(SNAPSHOTS.labels)
    assert drawing.columns[1:] == ["edge Jaccard", "DeltaCon", "betweenness top", "closeness top", "degree top"]
    assert float(drawing.rows[3][1]) == pytest.approx(UTILITY["edge_jaccard"]["by_snapshot"][3], abs=1e-3)


def test_what_is_missing_or_no_series_is_not_drawn():
    assert titles({}) == []
    assert titles({"utility": None, "release": []}) == []
    assert titles({"utility": {"edge_jaccard": {"by_snapshot": ["a"]}, "edges": 3, "tscan": {"over_time": {}}}}) == []
    assert titles({"utility": {"density": {"series": {"original": [1, 2], "released": [1]}}}}) == []


def test_series_are_drawn_and_not_listed():
    report = REPORT | {"transformation": {"self_loops_by_snapshot": list(range(7000, 7100)), "edges_added": 7}}
    page = page_of(report)
    assert "edges added" in page
    assert "7050" not in page


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        (["2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"], ["2026-03-02", "2026-03-03"]),
        (["2026-03-02T00:00:00Z", "2026-03-02T07:00:00Z"], ["2026-03-02 00 h", "2026-03-02 07 h"]),
        (["2026-03-02T00:10:00Z", "2026-03-02T00:20:05Z"], ["2026-03-02 00:10:00", "2026-03-02 00:20:05"]),
        (["0", "1"], ["0", "1"]),
    ],
)
def test_times_are_written_as_short_as_they_differ(times, shown):
    assert shortened(times) == shown
