"""Pages for stewards: datasets, the preparation of a release, jobs and trials."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Query, Request
from starlette.responses import Response

from service.console import words
from service.console.pages import needs, page_router, show
from service.console.snippets import same_as, uploading
from service.console.visit import Visit, visit_of
from service.http.parameters import ItemId
from service.report import comparison_page, promises
from service.report.attacks import answers_of

router = page_router()

_MOST_JOBS = 100
TERMINAL = ("released", "assessed", "refused", "failed", "cancelled")
STAGES = ("load", "check", "protect", "seal", "verify", "measure", "publish")

Reference = Annotated[str, Query(max_length=64)]
Cursor = Annotated[str, Query(max_length=400)]

needs("page_new", "create_dataset")
needs("page_datasets", "list_datasets")
needs("page_dataset", "get_dataset")
needs("page_trials", "get_dataset")
needs("page_jobs", "list_jobs")
needs("page_job", "get_job")


@router.get("/new", operation_id="page_new")
async def prepare(request: Request, dataset: Reference = "", job: Reference = "") -> Response:
    """Everything from the file to the release; with a dataset, from its policy on."""
    visit = visit_of(request)
    found = await visit.get(f"/v1/datasets/{quote(dataset, safe='')}") if dataset else None
    report = await visit.try_get(f"/v1/jobs/{quote(job, safe='')}/report") if job else None
    policy = None if report is None else report.get("policy")
    said = {"sentences": promises.SENTENCES, "variants": promises.VARIANTS, "in_one": promises.IN_ONE}
    start = {"dataset": found, "policy": policy, "names": words.NAMES, "said": said}
    return show(request, "new.html", dataset=found, start=start, uploading=uploading(request))


@router.get("/datasets", operation_id="page_datasets")
async def list_datasets(request: Request, cursor: Cursor = "") -> Response:
    page = await visit_of(request).get("/v1/datasets", limit=50, cursor=cursor)
    same = same_as(request, ("GET", "/v1/datasets"))
    return show(request, "datasets.html", datasets=page["items"], next_cursor=page["next_cursor"], same=same)


@router.get("/datasets/{id}", operation_id="page_dataset")
async def dataset(request: Request, item_id: ItemId) -> Response:
    visit, path = visit_of(request), f"/v1/datasets/{quote(item_id, safe='')}"
    found = await visit.get(path)
    budget, jobs = await asyncio.gather(visit.try_get(f"{path}/budget"), _jobs_of(visit, found["id"]))
    same = same_as(request, ("GET", path), ("GET", f"/v1/jobs?dataset_id={found['id']}"))
    return show(request, "dataset.html", dataset=found, budget=budget, jobs=jobs, same=same)


async def _jobs_of(visit: Visit, dataset_id: str) -> list[Any]:
    if not visit.may("list_jobs"):
        return []
    jobs, _ = await visit.get_all("/v1/jobs", _MOST_JOBS, dataset_id=dataset_id)
    return jobs


@router.get("/datasets/{id}/trials", operation_id="page_trials")
async def trials(request: Request, item_id: ItemId) -> Response:
    """The trials on a dataset: single ones, and comparisons with their plots."""
    visit, path = visit_of(request), f"/v1/datasets/{quote(item_id, safe='')}"
    found = await visit.get(path)
    jobs = await _jobs_of(visit, found["id"])
    tried = [job for job in jobs if job["trial"]]
    compared = [job for job in jobs if job["comparison"]]
    reports = await asyncio.gather(*(visit.try_get(f"/v1/jobs/{job['id']}/report") for job in tried[:20]))
    comparisons = await asyncio.gather(*(visit.get(f"/v1/comparisons/{job['id']}") for job in compared[:10]))
    return show(
        request,
        "trials.html",
        dataset=found,
        trials=[_summary(job, report) for job, report in zip(tried, reports, strict=False)],
        comparisons=[each | {"drawn": list(comparison_page.fronts(each["rows"]))} for each in comparisons],
        same=same_as(request, ("GET", f"/v1/jobs?dataset_id={found['id']}")),
    )


def _summary(job: Mapping[str, Any], report: Mapping[str, Any] | None) -> dict[str, Any]:
    """One line about a trial."""
    content = report or {}
    utility = content.get("utility") or {}
    loss = (utility.get("ncp") or utility.get("edges_changed") or {}).get("value")
    return {"job": job, "policy": content.get("policy") or {}, "answers": answers_of(content), "loss": loss}


@router.get("/jobs", operation_id="page_jobs")
async def list_jobs(request: Request, status: Reference = "", cursor: Cursor = "") -> Response:
    visit = visit_of(request)
    page = await visit.get("/v1/jobs", limit=50, status=status, cursor=cursor)
    listed, _ = await visit.get_all("/v1/datasets", 1000)
    return show(
        request,
        "jobs.html",
        jobs=page["items"],
        next_cursor=page["next_cursor"],
        status=status,
        names={each["id"]: each["name"] for each in listed},
        same=same_as(request, ("GET", "/v1/jobs" + (f"?status={status}" if status else ""))),
    )


@router.get("/jobs/{id}", operation_id="page_job")
async def job(request: Request, item_id: ItemId) -> Response:
    visit, path = visit_of(request), f"/v1/jobs/{quote(item_id, safe='')}"
    found = await visit.get(path)
    over = found["status"] in TERMINAL
    dataset, report = await asyncio.gather(
        visit.try_get(f"/v1/datasets/{found['dataset_id']}"),
        visit.try_get(f"{path}/report") if over and not found["comparison"] else _nothing(),
    )
    summary = _summary(found, report)
    return show(
        request,
        "job.html",
        job=found,
        over=over,
        dataset=dataset,
        report=report or {},
        summary=summary,
        stages=STAGES,
        policy=summary["policy"] or None,
        same=same_as(request, ("GET", path), ("GET", f"{path}/report")),
    )


async def _nothing() -> None:
    return None
