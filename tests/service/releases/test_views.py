"""Who sees which part of a report."""

import pytest

from service.releases.views import PUBLIC_PARTS, sees_original, view
from tests.service.samples import full_report

REPORT = full_report("job", "release", "dataset", "0" * 64)
FROM_ORIGINAL = ("risk", "utility", "transformation", "timing")


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("role", ["consumer", None])
def test_a_consumer_sees_nothing_computed_from_the_original(role, private):
    seen = view(REPORT, role, private)
    assert set(seen) == set(PUBLIC_PARTS)
    assert not {"dataset", "job_id", *FROM_ORIGINAL} & set(seen)


@pytest.mark.parametrize("role", ["auditor", "steward", "admin"])
def test_auditors_and_stewards_see_the_whole(role):
    assert view(REPORT, role, private=False) == REPORT


def test_of_a_differentially_private_job_the_auditor_sees_no_figure_of_the_original():
    seen = view(REPORT, "auditor", private=True)
    assert not set(FROM_ORIGINAL) & set(seen)
    assert seen["dataset"] == {"id": "dataset", "name": "test"}
    assert seen["job_id"] == "job"


def test_of_a_differentially_private_job_the_steward_sees_them_marked():
    seen = view(REPORT, "steward", private=True)
    for part in (*FROM_ORIGINAL, "dataset"):
        assert seen[part]["private"] is False
    assert "private" not in REPORT["risk"]


def test_an_unknown_part_is_hidden_from_consumers():
    assert "surprise" not in view(REPORT | {"surprise": 1}, "consumer", private=False)


def test_a_bound_on_risk_may_be_used_only_by_those_who_see_it():
    assert sees_original("steward", True)
    assert sees_original("auditor", False)
    assert not sees_original("auditor", True)
    assert not sees_original("consumer", False)
    assert not sees_original(None, False)
