"""The report as a page."""

import re
from html.parser import HTMLParser

import pytest

from service import report_page, views
from tests.service.samples import full_report

REPORT = full_report("job", "release", "dataset", "0" * 64)


class Balanced(HTMLParser):
    """Fails on a tag that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("role", ["consumer", "auditor", "steward"])
@pytest.mark.parametrize("private", [False, True])
def test_every_view_is_a_well_formed_page_without_scripts_or_addresses(role, private):
    page = report_page.render(views.view(REPORT, role, private))
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert "<script" not in page
    assert "http" not in page
    assert "k_anonymity" in page
    assert page.count("<rect") == 1


def test_a_consumers_page_has_no_figure_of_the_original():
    page = report_page.render(views.view(REPORT, "consumer", private=False))
    assert "Utility" not in page
    assert "uniques" not in page


def test_everybody_sees_by_which_chances_a_release_was_drawn_and_only_the_steward_what_it_cost():
    told = {"edge_local_dp": {"unit": "a pair of nodes", "p01": 0.0853, "public": ["the number of nodes"]}}
    report = REPORT | {"mechanism": told, "budget": {"epsilon": 2.0, "charged": 0.5}}
    for role in ("consumer", "steward"):
        page = report_page.render(views.view(report, role, private=True))
        assert "edge local dp: unit" in page
        assert "0.0853" in page
        assert ("Budget of differential privacy" in page) == (role == "steward")


def test_a_stewards_page_explains_what_was_done_and_why():
    page = report_page.render(views.view(REPORT, "steward", private=False))
    text = re.sub(r"<[^>]+>|\s+", " ", page)
    assert "0: 25 %, 1: 75 %" in text
    assert "4 of 12" in text
    assert "by the method: &lt;10 (their classes fell short of: k anonymity = &lt;10)" in re.sub(r" +", " ", text)
    assert "not released" in text


def test_risks_stand_side_by_side():
    risk = {"before": {"prosecutor": {"max": 1.0}}, "after": {"prosecutor": {"max": 0.2}}, "attacks": []}
    page = report_page.render(REPORT | {"risk": risk})
    assert "<tr><th>prosecutor: max</th><td>1</td><td>0.2</td></tr>" in page


def test_whatever_a_text_holds_is_escaped():
    hostile = "<script>alert(1)</script>"
    report = REPORT | {"warnings": [hostile], "waivers": [{"rule": "naive", "reason": hostile}]}
    page = report_page.render(report)
    assert hostile not in page
    assert page.count("&lt;script&gt;") == 2


def test_a_warning_is_a_sentence_with_its_figures():
    warning = {"code": "HOMOGENEOUS_CLASSES", "attribute": "disease", "share": 0.25, "detail": "share of rows"}
    assert "share of rows (attribute = disease, share = 0.25)" in report_page.render(REPORT | {"warnings": [warning]})


def test_bars_are_in_proportion_and_hidden_bins_are_flat():
    histogram = [{"bin": "0-1", "count": "<10"}, {"bin": "2-3", "count": 20}, {"bin": "4-7", "count": 40}]
    page = report_page.render(REPORT | {"release": {"nodes": 70, "edges": 9, "degrees": {}, "histogram": histogram}})
    heights = [float(height) for height in re.findall(r'<rect [^>]*height="([0-9.]+)"', page)]
    assert heights[0] == 0
    assert heights[2] == pytest.approx(2 * heights[1], abs=0.2)
    assert "Nodes by degree" in page
    assert "&lt;10" in page


def test_a_refused_job_has_a_page_too():
    page = report_page.render({"schema_version": 1, "release_id": None, "guarantees": [], "policy": None})
    assert "No release was made" in page
    assert "None was asked for" in page


def test_no_script_can_run_under_its_content_security_policy():
    assert "default-src 'none'" in report_page.CONTENT_SECURITY_POLICY
    assert "script" not in report_page.CONTENT_SECURITY_POLICY


def test_supernodes_are_drawn_by_their_size() -> None:
    histogram = [{"bin": "1", "count": 0}, {"bin": "5-9", "count": 14}]
    shape = {"form": "generalized", "supernodes": 14, "nodes": 70, "edges": 9, "histogram": histogram}
    assert "Supernodes by their size" in report_page.render(REPORT | {"release": shape})


def test_bins_stand_in_the_order_of_their_sizes() -> None:
    bins = {"1": 7001, "11-20": 7002, "2-4": 7003, "21+": 7004, "5-10": 7005}
    page = report_page.render(REPORT | {"risk": {"before": {"degree": {"shares": bins}}, "after": {}, "attacks": []}})
    assert sorted(bins.values(), key=lambda value: page.index(str(value))) == [7001, 7003, 7005, 7002, 7004]
