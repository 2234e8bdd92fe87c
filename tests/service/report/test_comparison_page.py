"""A comparison as a Pareto front of risk and loss."""

import re
from xml.etree import ElementTree

from service.report.comparison_page import PLOT_HEADERS, front, fronts, plot, render
from tests.service.report.pages import require_balanced


def row(name, risk, loss, dominated=False):
    attack = {"name": "record_linkage", "question": "identity", "rate": risk, "baseline": 0.0}
    named = {"name": "homogeneity", "question": "attribute", "rate": 0.9, "baseline": 0.5}
    found = {"identity": attack, "attribute": named, "membership": None} if risk is not None else {}
    shared = {"runs": 2, "refused": 0, "strongest_attack": attack if risk is not None else None, "answers": found}
    return {"name": name, "risk": risk, "loss": loss, "dominated": dominated, **shared}


ROWS = [row("a", 0.5, 0.1), row("b", 0.1, 0.4), row("worse", 0.5, 0.4, True), row("refused", None, None)]


def test_points_are_in_proportion_and_the_best_are_joined():
    drawing = front(ROWS)
    found = re.findall(r'cx="([0-9.]+)" cy="([0-9.]+)" r="4.5"><title>(\w+):', drawing.body)
    places = {name: (float(x), float(y)) for x, y, name in found}
    assert places["b"][0] == places["worse"][0] > places["a"][0]
    assert places["a"][1] == places["worse"][1] < places["b"][1]
    assert drawing.body.count("point--best") == 2
    assert len(re.search(r'class="line front" points="([^"]+)"', drawing.body)[1].split()) == 2
    assert [each[0] for each in drawing.rows] == ["a", "b", "worse"]


def test_the_page_is_well_formed_and_hostile_names_are_text():
    page = render({"rows": [row("<script>", 0.5, 0.1), *ROWS], "repeats": 2, "finished_at": None})
    require_balanced(page)
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_drawing_alone_is_xml_with_a_style_that_its_policy_allows():
    tree = ElementTree.fromstring(plot([row("<&>", 0.5, 0.1)]))
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    assert "style-src 'sha256-" in PLOT_HEADERS["Content-Security-Policy"]


def test_nothing_released_is_said():
    assert "No policy gave a release" in render({"rows": [row("a", None, None)], "repeats": 1})


def test_every_question_that_was_answered_has_its_own_drawing_against_guessing():
    drawn = fronts(ROWS)
    assert list(drawn) == ["identity", "attribute"]
    assert "who is it" in drawn["identity"].body
    assert "guess" in drawn["attribute"].body
    assert "guess" not in drawn["identity"].body  # nothing to see: guessing finds no one
    assert drawn["attribute"].body.count("point--best") == 1  # the same rate at more loss is dominated
    page = render({"rows": ROWS, "repeats": 1})
    assert "What do they have? Homogeneity succeeds for" in page
