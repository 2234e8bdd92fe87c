"""The report as a page: what each reader sees, for every end of a job, whatever texts it contains."""

import base64
import hashlib
import re
import time
from typing import Any

import pytest

from service.releases import views
from service.report import page as report_page
from tests.patience import shortest
from tests.service.report.pages import page_of, require_balanced
from tests.service.samples import described, full_report

REPORT = full_report("job", "release", "dataset", "0" * 64)
HOSTILE = '<script>alert(1)</script>=HYPERLINK("x")&'
DICTIONARY = [{"name": "age", "role": "quasi_identifier", "type": "text", "meaning": "a range", "formula_guard": True}]
RELEASE = {
    "id": "release",
    "withdrawn_at": None,
    "withdrawn_reason": None,
    "dictionary": DICTIONARY,
    "artifacts": [{"format": "csv", "part": "table", "sha256": "0" * 64, "bytes": 1234}],
}


def text_of(page: str) -> str:
    body = page.partition("<body>")[2]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body).replace("\N{NO-BREAK SPACE}", " "))


@pytest.mark.parametrize("role", ["consumer", "auditor", "steward"])
@pytest.mark.parametrize("private", [False, True])
def test_every_view_is_a_well_formed_page_without_scripts_or_addresses(role, private):
    page = page_of(views.view(REPORT, role, private), release=RELEASE)
    require_balanced(page)
    assert "<script" not in page
    assert "http" not in page
    assert "style=" not in page
    assert "k_anonymity" in page
    names = re.findall(r' id="([^"]+)"', page)
    assert len(names) == len(set(names))


def test_the_first_screen_says_what_is_promised_attacked_and_lost():
    attacks = [
        {"name": "record_linkage", "rate": 0.25, "baseline": 0.02, "targets": 60},
        {"name": "homogeneity", "rate": 0.4, "baseline": 0.39, "columns": {"disease": {}}},
    ]
    utility = {"ncp": {"value": 0.21, "attributes": {"age": 0.3, "zip": 0.12}}}
    report = REPORT | {"risk": {**REPORT["risk"], "attacks": attacks}, "utility": utility}
    text = text_of(page_of(report).partition('<details class="fold"')[0])
    assert "4 March 2026" in text
    assert "Anyone who knows the age and zip of a person finds at least 3 people in the release" in text
    assert "Someone who knows the age and zip of a person and takes the most similar rows picks the right row" in text
    assert "for 25 of 100 people; guessing finds 2 of 100" in text
    assert "Who is it? 25 %" in text
    assert "What do they have? 60 %" in text
    assert "Are they in it? Not measured." in text
    assert "21 % of the detail of the quasi-identifiers was lost; age lost the most (30 %)" in text
    for title in ("Classes by size", "Attacks compared with guessing", "Loss by column"):
        assert title in text


def test_a_consumers_page_has_no_figure_of_the_original():
    page = text_of(page_of(views.view(REPORT, "consumer", private=False)))
    for word in ("Utility", "uniques", "Who is it?", "original (", "0.21", "Risks"):
        assert (word in page) == (word == "original (")
    assert "only to the stewards and auditors" in page


def test_everybody_sees_by_which_chances_a_release_was_drawn_and_only_the_steward_what_it_cost():
    told = {"edge_local_dp": {"unit": "a pair of nodes", "p01": 0.0853, "public": ["the number of nodes"]}}
    report = REPORT | {"mechanism": told, "budget": {"epsilon": 2.0, "charged": 0.5}}
    for role in ("consumer", "steward"):
        page = page_of(views.view(report, role, private=True))
        assert "edge local dp: unit" in page
        assert "0.0853" in page
        assert ("Budget of differential privacy" in page) == (role == "steward")


def test_a_stewards_page_explains_what_was_done_and_why():
    text = text_of(page_of(views.view(REPORT, "steward", private=False)))
    assert "0: 25 %, 1: 75 %" in text
    assert "4 of 12" in text
    assert "by the method: &lt;10 (their classes did not satisfy: k anonymity = under 10)" in text
    assert "not released" in text


def test_risks_stand_side_by_side():
    risk = {"before": {"prosecutor": {"max": 1.0}}, "after": {"prosecutor": {"max": 0.2}}, "attacks": []}
    text = text_of(page_of(REPORT | {"risk": risk}))
    assert "Prosecutor The chance of finding a person who is known to be in the table" in text
    assert "highest 100 % 20 %" in text


def poisoned(value: Any) -> Any:
    """A document whose every text is hostile, and every name of a column."""
    if isinstance(value, dict):
        return {name: poisoned(member) for name, member in value.items()}
    if isinstance(value, list):
        return [poisoned(member) for member in value]
    return HOSTILE if isinstance(value, str) else value


def test_whatever_a_text_holds_is_text():
    columns = {HOSTILE: {"role": "quasi_identifier"}}
    report = {
        **poisoned({part: value for part, value in REPORT.items() if part not in ("guarantees", "policy", "kind")}),
        "kind": "table",
        "policy": {"kind": "table", "attributes": columns},
        "guarantees": [{**REPORT["guarantees"][0], "assumes": HOSTILE, "detail": HOSTILE}],
        "utility": {"ncp": {"value": 0.1, "attributes": {HOSTILE: 0.2}}},
        "risk": {
            "before": {HOSTILE: {HOSTILE: 0.1}},
            "after": {"prosecutor": {"class_sizes": [{"size": HOSTILE, "classes": 3}]}},
            "attacks": [{"name": HOSTILE, "rate": 0.3, "baseline": 0.1, "columns": {HOSTILE: {}}}],
        },
    }
    release = {**poisoned(RELEASE), "dictionary": poisoned(DICTIONARY), "withdrawn_at": None}
    page = page_of(report, name=HOSTILE, release=release)
    require_balanced(page)
    assert "<script" not in page
    assert page.count("&lt;script&gt;") > 20
    assert "=HYPERLINK" in page


@pytest.mark.parametrize("status", ["refused", "failed", "assessed"])
def test_every_end_has_a_page_although_hardly_anything_is_known(status):
    page = page_of({"schema_version": 1, "release_id": None, "guarantees": [], "policy": None}, status)
    require_balanced(page)
    assert "Files" not in page


def test_a_refusal_says_why_and_what_would_work():
    reasons = [{"rule": "max_loss", "limit": 0.05, "measured": 0.16461}]
    refusal = {"reasons": reasons, "nearest": {"max_loss": 0.16461, "k": 2}}
    text = text_of(page_of(REPORT | {"refusal": refusal, "release_id": None}, "refused"))
    assert "Too much detail would be lost: 16.5 % measured, the limit is 5 %." in text
    assert "Set max_loss of the gate to 0.1647 (16.5 %)." in text
    assert "Use k = 2 instead." in text


def test_a_failure_says_where_in_the_file():
    error = {"title": "The data does not fit", "detail": "1 cells are not numbers", "column": "age", "row": 21}
    text = text_of(page_of({}, "failed", error=error))
    assert "The data does not fit 1 cells are not numbers" in text
    assert "Column age Row 21" in text


def test_a_trial_and_a_withdrawn_release_say_so():
    assert "This was a trial" in page_of(REPORT, "assessed")
    gone = RELEASE | {"withdrawn_at": "2026-05-06T00:00:00Z", "withdrawn_reason": "a mistake"}
    assert "Withdrawn on 6 May 2026 a mistake" in text_of(page_of(REPORT, release=gone))


def test_a_warning_is_a_sentence_with_its_figures():
    warning = {"code": "ODD", "attribute": "disease", "share": 0.25, "detail": "share of rows"}
    assert "Share of rows (attribute = disease, share = 0.25)" in page_of(REPORT | {"warnings": [warning]})
    warning["code"] = "HOMOGENEOUS_CLASSES"
    assert "25 % of the rows share their disease with everyone" in text_of(page_of(REPORT | {"warnings": [warning]}))


def test_figures_of_the_original_are_marked_beside_a_promise_of_differential_privacy():
    assert "do not pass it on" in page_of(views.view(REPORT, "steward", private=True))
    assert "do not pass it on" not in page_of(views.view(REPORT, "steward", private=False))


def test_no_script_runs_and_no_style_but_its_own_applies():
    policy = report_page.CONTENT_SECURITY_POLICY
    assert "default-src 'none'" in policy
    assert "script" not in policy
    assert "unsafe" not in policy
    style = re.search(r"<style>(.*)</style>", page_of(REPORT), re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy


def test_the_page_of_a_million_rows_is_made_within_a_second():
    # A report's size does not depend on that of its dataset: many columns and bins are what takes time.
    columns = {f"column {number}": number / 400 for number in range(400)}
    sizes = [{"size": f"{2**bits}", "classes": 10**6} for bits in range(20)]
    report = REPORT | {
        "utility": {"ncp": {"value": 0.5, "attributes": columns}},
        "risk": {"before": {"prosecutor": {"class_sizes": sizes}}, "after": {"prosecutor": {"class_sizes": sizes}}},
    }
    page_of(report)

    def measure() -> float:
        began = time.process_time()
        page_of(report)
        return time.process_time() - began

    assert shortest(measure, 1.0) < 1.0


def test_a_stored_report_may_lack_whatever_later_ones_have():
    """Every mapping of a report loses each of its members in turn: the page has a gap, and no page is an error."""
    report = full_report("job", "release", "dataset", "0" * 64) | {
        "explanation": {
            "attributes": [{"name": "age", "released": True, "exact": 0.5, "suppressed": 0.1, "loss": 0.2}],
            "limits": [{"model": "k_anonymity", "parameter": "k", "limit": 3, "classes_at_limit": 2, "classes": 9}],
            "suppressed": {"missing_values": 0, "method": 3, "because": ["k_anonymity"]},
        },
        "refusal": {"reasons": [{"rule": "max_suppressed", "limit": 0.1, "measured": 0.2}], "nearest": {"k": 2}},
        "budget": {"charged": 1, "epsilon": 2},
        "timing": {"load": 0.1, "cpu": {"load": 0.1}},
    }
    release = {"id": "r", "artifacts": report["artifacts"], "dictionary": [described("age")], "withdrawn_at": None}
    lacking = list(without_one(report))
    assert len(lacking) > 60
    for each in lacking:
        require_balanced(page_of(each, status="refused" if "refusal" in each else "released", release=release))


def without_one(value):
    """The value again and again, each time without one member of one of its mappings."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield {key: each for key, each in value.items() if key != name}
            yield from ({**value, name: each} for each in without_one(member))
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from ([*value[:place], each, *value[place + 1 :]] for each in without_one(member))
