"""Pages: each role sees its own, names given by users are escaped, and the auditor's page is fast."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text

from service.access.permissions import PAGES, PERMISSIONS
from service.access.sessions import COOKIE
from storage.jobs.comparisons import save_comparison
from storage.releases import reports
from storage.releases.reports import ReportDraft
from tests.patience import patience, shortest
from tests.service.conftest import Api
from tests.service.console.test_sessions import OURS, sign_in
from tests.service.samples import WAIVERS, full_report, table_policy

EVIL = "<script>alert(1)</script>=1+1"
PORTAL_KEY = "the-key-of-a-portal"
ROLES = ("consumer", "steward", "auditor", "analyst", "admin", None)


class Visitor:
    """A user with a browser."""

    def __init__(self, api: Api, role: str | None) -> None:
        headers = dict(OURS) | ({"Cookie": sign_in(api, role)["cookie"]} if role else {})
        self.client = httpx.Client(base_url=api.address, headers=headers, timeout=patience())

    def look(self, path: str) -> httpx.Response:
        return self.client.get(path)


@pytest.fixture(scope="module")
def visitors(api: Api) -> Iterator[dict[str | None, Visitor]]:
    made = {role: Visitor(api, role) for role in ROLES}
    yield made
    for visitor in made.values():
        visitor.client.close()


@pytest.fixture(scope="module")
def things(api: Api) -> dict[str, str]:
    """A release, its job and its dataset, each with a hostile name."""
    published = api.publish()
    with api.owner.begin() as c:
        c.execute(text("UPDATE datasets SET name = :name WHERE id = :id"), {"name": EVIL, "id": published.dataset_id})
    assert api.declare(published.dataset_id, waivers=WAIVERS).status_code == 200
    analyst = api.client("analyst").get("/v1/me").json()["token_id"]
    granted = api.client().post(
        f"/v1/datasets/{published.dataset_id}/grants", json={"token_id": analyst, "epsilon": 0.75}
    )
    assert granted.status_code == 201
    webhook, portal = name_outbound(api, EVIL)
    return {
        "webhook": webhook,
        "portal": portal,
        "release": published.release_id,
        "job": published.job_id,
        "dataset": published.dataset_id,
    }


def name_outbound(api: Api, name: str) -> tuple[str, str]:
    """The ids of a webhook and of a portal with this name, whose key must be on no page."""
    webhook = {"url": f"{api.address}/nobody", "events": ["job.released"], "description": name}
    portal = {"kind": "ckan", "name": name, "url": api.address, "token": PORTAL_KEY}
    with api.client("admin") as admin:
        made = [admin.post(path, json=body) for path, body in (("/v1/webhooks", webhook), ("/v1/portals", portal))]
        assert [answer.status_code for answer in made] == [201, 201]
        ids = [str(answer.json()["id"]) for answer in made]
        assert admin.post(f"/v1/webhooks/{ids[0]}/test").status_code == 202
    return ids[0], ids[1]


PATHS = {
    "page_landing": ("/", ROLES),
    "page_sign_in": ("/sign-in", (None,)),
    "page_releases": ("/releases", ROLES),
    "page_release": ("/releases/{release}", ("consumer", "steward", "auditor", "admin")),
    "page_manage_release": ("/releases/{release}/manage", ("steward", "admin")),
    "page_new": ("/new?dataset={dataset}&job={job}", ("steward", "admin")),
    "page_datasets": ("/datasets", ("steward", "auditor", "admin")),
    "page_dataset": ("/datasets/{dataset}", ("steward", "auditor", "admin")),
    "page_trials": ("/datasets/{dataset}/trials", ("steward", "auditor", "admin")),
    "page_jobs": ("/jobs", ("steward", "admin")),
    "page_job": ("/jobs/{job}", ("steward", "admin")),
    "page_ask": ("/ask", ("steward", "analyst", "admin")),
    "page_ask_dataset": ("/ask/{dataset}", ("steward", "analyst", "admin")),
    "page_questions": ("/datasets/{dataset}/questions", ("steward", "auditor", "admin")),
    "page_audit": ("/audit", ("steward", "auditor", "admin")),
    "page_audit_charts": ("/audit/charts", ("steward", "auditor", "admin")),
    "page_audit_chain": ("/audit/chain", ("auditor", "admin")),
    "page_audit_budgets": ("/audit/budgets", ("steward", "auditor", "admin")),
    "page_tokens": ("/tokens", ("admin",)),
    "page_portals": ("/portals", ("steward", "admin")),
    "page_webhooks": ("/webhooks", ("admin",)),
    "page_webhook": ("/webhooks/{webhook}", ("admin",)),
    "page_publications": ("/releases/{release}/publications", ("steward", "auditor", "admin")),
    "page_docs": ("/docs", ROLES),
    "page_docs_guide": ("/docs/guides/tables", ROLES),
    "page_docs_reference": ("/docs/reference/policy", ROLES),
    "page_docs_operations": ("/docs/api/datasets", ROLES),
    "page_docs_schema": ("/docs/schemas/Policy", ROLES),
}


def test_every_page_is_tried_here() -> None:
    assert set(PATHS) | {"static_file", "page_sign_out", "page_oidc_sign_in", "page_oidc_callback"} == PAGES
    assert not PAGES & set(PERMISSIONS)


@pytest.mark.parametrize("page", PATHS)
def test_each_role_sees_its_own_pages_and_no_others(
    visitors: dict[str | None, Visitor], things: dict[str, str], page: str
) -> None:
    path, allowed = PATHS[page]
    for role, visitor in visitors.items():
        answer = visitor.look(path.format(**things))
        if role in allowed:
            assert answer.status_code == 200, (role, answer.text[:500])
            assert answer.headers["content-type"].startswith("text/html")
        elif page == "page_sign_in":
            assert answer.status_code == 303
        elif role is None:
            assert answer.status_code in (303, 404), (role, answer.text[:500])
        else:
            assert answer.status_code == 403, (role, page)
        assert "unsafe" not in answer.headers.get("content-security-policy", "")


@pytest.mark.parametrize(
    "page", [page for page, (_, roles) in PATHS.items() if None in roles and page != "page_sign_in"]
)
def test_every_role_sees_the_pages_that_a_stranger_sees(
    visitors: dict[str | None, Visitor], things: dict[str, str], page: str
) -> None:
    for role, visitor in visitors.items():
        assert visitor.look(PATHS[page][0].format(**things)).status_code == 200, role


@pytest.mark.parametrize("page", PATHS)
def test_names_that_people_chose_are_text_everywhere(
    visitors: dict[str | None, Visitor], things: dict[str, str], page: str
) -> None:
    answer = visitors["admin"].look(PATHS[page][0].format(**things))
    assert "<script>alert" not in answer.text
    assert " style=" not in answer.text
    assert " onclick=" not in answer.text


def test_an_analyst_sees_what_may_be_asked_and_what_is_left(
    visitors: dict[str | None, Visitor], things: dict[str, str]
) -> None:
    listed = visitors["analyst"].look("/ask").text
    assert f"/ask/{things['dataset']}" in listed
    page = visitors["analyst"].look(f"/ask/{things['dataset']}").text
    assert '<strong id="remaining">0.75</strong>' in page
    assert "<option>age</option>" in page
    assert "0.0 to 120.0" in page or "0 to 120" in page
    assert visitors["steward"].look(f"/datasets/{things['dataset']}/questions").text.count("0.75") >= 2


def test_a_hostile_query_is_text_too(visitors: dict[str | None, Visitor]) -> None:
    for path in ("/releases?q=", "/audit?since=", "/audit/chain?action=", "/sign-in?next=", "/jobs?status="):
        answer = visitors["admin"].client.get(path + '"><script>alert(1)</script>', follow_redirects=False)
        assert "<script>alert" not in answer.text
        assert answer.status_code < 500


@pytest.mark.parametrize(
    "path",
    [
        "/releases/{}",
        "/datasets/{}",
        "/jobs/{}",
        "/datasets/{}/trials",
        "/new?dataset={}",
        "/webhooks/{}",
        "/releases/{}/publications",
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(visitors: dict[str | None, Visitor], path: str) -> None:
    for item in (str(uuid4()), "none", "..%2f..%2fetc"):
        answer = visitors["admin"].look(path.format(item))
        assert answer.status_code == 404
        assert "text/html" in answer.headers["content-type"] or "%2f" in item


def test_a_job_that_failed_for_several_reasons_names_the_column_and_row_of_each(
    api: Api, visitors: dict[str | None, Visitor]
) -> None:
    answer = api.upload(policy=table_policy())
    claimed = api.claim(answer.json()["job"]["id"])
    faults = [{"rule": "type", "detail": "3 cells", "column": EVIL, "row": 7}, {"rule": "ragged", "detail": "short"}]
    error = {"type": "about:blank", "title": "The data does not fit", "status": 422, "detail": "3 cells"}
    for given in ({"errors": faults}, {"column": EVIL, "row": 7}):
        with api.owner.begin() as c:
            stored = {"error": json.dumps(error | given), "id": claimed.job.id}
            c.execute(
                text("UPDATE jobs SET status = 'failed', finished_at = now(), error = :error WHERE id = :id"), stored
            )
        page = visitors["steward"].look(f"/jobs/{claimed.job.id}")
        assert page.status_code == 200
        assert "Column <strong>&lt;script&gt;" in page.text
        assert "first in row 7" in page.text


def test_another_tenants_release_is_not_there(api: Api, visitors: dict[str | None, Visitor]) -> None:
    foreign = api.publish(tenant="elsewhere")
    assert visitors["admin"].look(f"/releases/{foreign.release_id}").status_code == 404


def test_an_unknown_query_parameter_is_a_page_with_the_problem(visitors: dict[str | None, Visitor]) -> None:
    answer = visitors["admin"].look("/releases?nonsense=1")
    assert answer.status_code == 422
    assert "unknown query parameter" in answer.text


@pytest.mark.parametrize("page", ["/audit", "/audit/charts"])
def test_the_auditors_pages_take_their_filters_and_nothing_else(visitors: dict[str | None, Visitor], page: str) -> None:
    auditor = visitors["auditor"]
    assert "status=refused&amp;min_k=2" in auditor.look(f"{page}?min_k=2&status=+refused+&method=").text
    for query in ("nonsense=1", "filters=1", f"dataset={'x' * 201}", "min_k=few"):
        assert auditor.look(f"{page}?{query}").status_code == 422, query
    assert auditor.look("/audit/charts?cursor=x").status_code == 422


def test_refusals_lead_to_the_meaning_of_their_codes(api: Api, visitors: dict[str | None, Visitor]) -> None:
    page, explained = "/docs/reference/refusals", visitors["steward"].look("/docs/reference/refusals").text
    assert f'href="{page}#invalid-request"' in visitors["admin"].look("/releases?nonsense=1").text
    claimed = api.claim(api.upload(policy=table_policy()).json()["job"]["id"])
    refusal = {"reasons": [{"rule": "nothing_kept"}, {"rule": "guarantee:k_anonymity"}]}
    with api.owner.begin() as c:
        stored = {"refusal": json.dumps(refusal), "id": claimed.job.id}
        c.execute(
            text("UPDATE jobs SET status = 'refused', finished_at = now(), refusal = :refusal WHERE id = :id"), stored
        )
    refused = visitors["steward"].look(f"/jobs/{claimed.job.id}").text
    for code in ("nothing_kept", "k_anonymity"):
        assert f'href="{page}#{code}"' in refused
        assert f'id="{code}"' in explained


def test_a_public_release_has_a_page_for_everybody(api: Api, visitors: dict[str | None, Visitor]) -> None:
    published = api.publish()
    api.open_to_all(published)
    answer = visitors[None].look(f"/releases/{published.release_id}")
    assert answer.status_code == 200
    assert "k-anonymity" in answer.text
    assert "Strongest attack" not in answer.text


def test_the_page_of_a_release_warns_as_its_report_does(api: Api, visitors: dict[str | None, Visitor]) -> None:
    warned = {"code": "UNIQUE_TRAJECTORIES", "detail": "nodes are alone", "share": 0.77}
    general = {"code": "SYNTACTIC_NO_FORMAL_GUARANTEE", "detail": "true of all <of them>"}
    hostile = {"code": "OTHER", "detail": "<script>"}
    published = api.publish(report={"warnings": [general, warned, hostile]})
    for whose in ("consumer", "auditor", "steward"):
        page = visitors[whose].look(f"/releases/{published.release_id}").text.replace("\N{NO-BREAK SPACE}", " ")
        assert "77 % of the nodes have degrees over time that no other node has" in page
        assert "&lt;script&gt;" in page
        assert "true of all" not in page


def test_releases_are_found_by_words_kind_and_guarantee(
    visitors: dict[str | None, Visitor], things: dict[str, str]
) -> None:
    consumer = visitors["consumer"]
    assert f"/releases/{things['release']}" in consumer.look("/releases?q=TEST&kind=table&guarantee=k_anonymity").text
    for other in ("q=nothing", "kind=graph", "guarantee=l_diversity", "license=CC0-1.0"):
        assert "No release matches" in consumer.look(f"/releases?{other}").text


def test_a_page_of_a_cookie_that_another_port_sends_is_that_of_nobody(api: Api) -> None:
    mine = sign_in(api, "admin")
    headers = {"Cookie": mine["cookie"], "Sec-Fetch-Site": "same-site"}
    answer = httpx.get(f"{api.address}/tokens", headers=headers, timeout=patience())
    assert answer.status_code == 303
    assert COOKIE not in answer.headers.get("set-cookie", "")


def many_reports(api: Api, count: int) -> None:
    """The number of reports of an auditor in a large organization."""
    tenant = api.client("auditor").get("/v1/me").json()["tenant"]["id"]
    dataset = api.upload().json()["id"]
    answer = api.client().post("/v1/jobs", json={"dataset_id": dataset, "policy": table_policy()})
    with api.owner.begin() as c:
        columns = [
            row[0]
            for row in c.execute(text("SELECT column_name FROM information_schema.columns WHERE table_name = 'jobs'"))
            if row[0] not in ("id", "created_at", "status", "finished_at")
        ]
        copied = ", ".join(f'"{name}"' for name in columns)
        ids = [uuid4() for _ in range(count)]
        for job_id in ids:
            c.execute(
                text(
                    f"INSERT INTO jobs (id, created_at, status, finished_at, {copied})"
                    f" SELECT :id, now(), 'refused', now(), {copied} FROM jobs WHERE id = :one"
                ),
                {"id": job_id, "one": answer.json()["id"]},
            )
        for job_id in ids:
            content = full_report(str(job_id), "", dataset, "0" * 64)
            reports.save_report(
                c,
                api.release_key,
                ReportDraft(
                    job_id=job_id,
                    tenant_id=tenant,
                    dataset_id=dataset,
                    status="refused",
                    method="mondrian",
                    guarantees=["k_anonymity"],
                    achieved_k=3,
                    risk=0.2,
                    content=json.loads(json.dumps(content)),
                ),
            )


def test_the_auditors_page_over_two_thousand_reports_takes_less_than_a_second(
    api: Api, visitors: dict[str | None, Visitor]
) -> None:
    many_reports(api, 2000)
    visitors["auditor"].look("/audit")

    def seconds(path: str) -> float:
        # CPU time of this process, in which the service runs: what other programs take does not count.
        began = time.process_time()
        answer = visitors["auditor"].look(path)
        assert answer.text.count("badge--refused") == 50
        return time.process_time() - began

    for path in (
        "/audit",
        "/audit?status=refused&min_k=2&guarantee=k_anonymity",
        "/audit?method=mondrian&max_risk=0.5&max_k=5&dataset=test&since=2020-01-01&until=2120-01-01",
    ):
        assert shortest(lambda path=path: seconds(path), 1.0) < 1.0, path


LINKED = {"name": "record_linkage", "question": "identity", "rate": 0.2, "baseline": 0.01}
NAMED = {"name": "homogeneity", "question": "attribute", "rate": 0.5, "baseline": 0.4, "column": "disease"}
BOUNDED = {"rate": None, "baseline": None, "question": "membership", "bound": 0.7, "bounded_by": "delta_presence"}
SHARED = {"settings": {}, "runs": 1, "refused": 0, "refusals": [], "figures": {}, "dominated": False, "loss": 0.1}
ROWS: list[dict[str, Any]] = [
    {"name": "both", **SHARED, "risk": 0.2, "strongest_attack": LINKED}
    | {"answers": {"identity": LINKED, "attribute": NAMED, "membership": BOUNDED}},
    {"name": "none", **SHARED, "risk": None, "strongest_attack": None, "loss": None}
    | {"answers": {"identity": None, "attribute": None, "membership": None}},
    {"name": "older", **SHARED, "risk": 0.98, "strongest_attack": {"name": "interval_disclosure", "rate": 0.98}},
]


def test_a_comparison_shows_the_questions_that_were_answered(api: Api, visitors: dict[str | None, Visitor]) -> None:
    with api.client() as client:
        tenant, dataset = client.get("/v1/me").json()["tenant"]["id"], api.upload().json()["id"]
        policies = [{"name": row["name"], "policy": table_policy()} for row in ROWS]
        job = client.post("/v1/comparisons", json={"dataset_id": dataset, "policies": policies}).json()["id"]
        with api.owner.begin() as c:
            c.execute(text("UPDATE jobs SET status = 'assessed', finished_at = now() WHERE id = :id"), {"id": job})
            save_comparison(c, api.release_key, tenant, job, ROWS)
        page = visitors["steward"].look(f"/datasets/{dataset}/trials").text
        report = client.get(f"/v1/comparisons/{job}/report.html").text
        plot = client.get(f"/v1/comparisons/{job}/plot.svg", params={"question": "attribute"}).text
    assert page.count("plot.svg?question=") == 2
    assert "Who is it? <strong>20" in page
    assert "<strong>at most 70" in page
    assert "What do they have? Homogeneity succeeds for" in report
    assert "98" not in re.sub(r"<svg.*?</svg>", "", report.split("<main")[1], flags=re.DOTALL)
    assert plot.count("<circle") == 1
