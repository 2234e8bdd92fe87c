"""Reports as pages and as PDF: for every end of a job, for those who may see them."""

import ctypes.util
from uuid import UUID

import pytest

from service.report.page import CONTENT_SECURITY_POLICY
from storage.jobs import jobs
from tests.service.samples import table_policy


@pytest.fixture(scope="module")
def published(api):
    return api.publish()


def test_the_page_of_a_job_is_for_stewards_and_auditors(api, published):
    path = f"/v1/jobs/{published.job_id}/report.html"
    for role in ("steward", "auditor", "admin"):
        page = api.client(role).get(path)
        assert page.status_code == 200
        assert page.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert "Anyone who knows the age and zip of a person" in page.text
    assert api.client("consumer").get(path).status_code == 403
    assert api.client("steward", "stranger").get(path).status_code == 404


def test_a_job_that_has_not_ended_has_no_page(api):
    job_id = api.upload(policy=table_policy()).json()["job"]["id"]
    assert api.client().get(f"/v1/jobs/{job_id}/report.html").status_code == 404


def test_a_failed_job_has_a_page_and_only_its_steward_learns_where_the_fault_is(api):
    job_id = api.upload(policy=table_policy()).json()["job"]["id"]
    claimed = api.claim(job_id)
    error = {"title": "The data does not fit", "detail": "3 cells are no numbers", "column": "age", "row": 41}
    with api.worker.begin() as connection:
        assert jobs.finish(connection, UUID(job_id), claimed.fence, "failed", error=error)
    steward, auditor = (api.client(role).get(f"/v1/jobs/{job_id}/report.html").text for role in ("steward", "auditor"))
    assert "3 cells are no numbers" in steward
    assert ">41<" in steward
    assert "The data does not fit" in auditor
    assert "3 cells" not in auditor
    assert ">41<" not in auditor


def test_a_consumers_page_of_a_release_has_no_figure_of_the_original(api, published):
    page = api.client("consumer").get(f"/v1/releases/{published.release_id}/report.html").text
    assert "Strongest attack" not in page
    assert "only to the stewards and auditors" in page


@pytest.mark.skipif(ctypes.util.find_library("pango-1.0") is None, reason="Pango is not installed: no PDF")
def test_a_report_is_had_as_pdf(api, published):
    answer = api.client("consumer").get(f"/v1/releases/{published.release_id}/report.pdf")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF")
    assert api.client("consumer").get(f"/v1/jobs/{published.job_id}/report.pdf").status_code == 403
