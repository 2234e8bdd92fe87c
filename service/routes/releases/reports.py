"""Reports: the auditors' query over all jobs, including refused ones."""

import csv
import io
from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import JSONResponse, Response

from antifaz.part import QUESTIONS
from antifaz.policy.model import Waiver
from api_schemas.results.reports import ReportPage
from api_schemas.schema import PRINTABLE
from service.access.auth import caller
from service.http.negotiation import preferred
from service.http.parameters import (
    CursorParameter,
    Filter,
    Limit,
    Since,
    Until,
    before,
    identity_or_none,
    known_choice,
    known_name,
    not_before,
)
from service.http.responses import problems
from service.releases.serializers import page_answer, summary_answer
from service.releases.views import sees_original
from service.routes.router import guarded_router
from service.runtime.state import service_of
from storage.releases import reports

router = guarded_router("reports")

WAIVERS = sorted(get_args(Waiver.model_fields["rule"].annotation))
"""Every rule that a policy can waive."""
Names = Annotated[
    Sequence[Annotated[str, Field(min_length=1, max_length=200, pattern=PRINTABLE)]], Field(max_length=20)
]

_BOUNDED = "rate of the answer to `question`; without one, of the answer that is farthest above guessing."
_CSV_COLUMNS = (
    "job_id",
    "dataset_id",
    "release_id",
    "status",
    "method",
    "guarantees",
    "achieved_k",
    "promised_risk",
    "attack",
    "attack_rate",
    "attack_baseline",
    *(f"{question}{figure}" for question in QUESTIONS for figure in ("", "_rate", "_baseline")),
    "waivers",
    "created_at",
)

_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ReportPage,
        "content": {"text/csv": {"schema": {"type": "string"}}},
        "headers": {
            "X-Next-Cursor": {"description": "With csv: the cursor of the next page.", "schema": {"type": "string"}}
        },
    }
}


@router.get(
    "/v1/reports",
    operation_id="list_reports",
    summary="Query the reports of all jobs",
    responses={**_ANSWER, **problems()},
)
async def list_reports(
    request: Request,
    dataset_id: Filter = None,
    dataset: Annotated[Filter, Query(description="Name of the dataset.")] = None,
    method: Annotated[Names, Query(description="Any of these.")] = (),
    guarantee: Annotated[Names, Query(description="Any of these.")] = (),
    waiver: Filter = None,
    min_k: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    max_k: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    min_risk: Annotated[float | None, Query(ge=0, le=1, description=f"Lowest {_BOUNDED}")] = None,
    max_risk: Annotated[float | None, Query(ge=0, le=1, description=f"Highest {_BOUNDED}")] = None,
    question: Annotated[
        Literal["identity", "attribute", "membership"] | None,
        Query(description="The answer that the bounds are about."),
    ] = None,
    status: Annotated[Literal["released", "assessed", "refused", "failed"] | None, Query()] = None,
    since: Since = None,
    until: Until = None,
    chosen_format: Annotated[Literal["json", "csv"] | None, Query(alias="format")] = None,
    limit: Limit = 50,
    cursor: CursorParameter = None,
) -> Response:
    principal = caller(request)
    as_csv = chosen_format == "csv" or (chosen_format is None and _prefers_csv(request))
    wanted = None if dataset_id is None else identity_or_none(dataset_id)
    if dataset_id is not None and wanted is None:
        return _answer({"items": [], "next_cursor": None}, as_csv)
    query = reports.ReportQuery(
        dataset_id=wanted,
        dataset=dataset,
        methods=[known_name("methods", "method", name) for name in method],
        guarantees=[known_name("guarantees", "guarantee", name) for name in guarantee],
        waiver=None if waiver is None else known_choice(WAIVERS, "waiver", waiver),
        min_k=min_k,
        max_k=max_k,
        min_risk=min_risk,
        max_risk=max_risk,
        question=question,
        status=status,
        since=None if since is None else not_before(since),
        until=None if until is None else before(until),
        sees_private=sees_original(principal.role, private=True),
    )
    service = service_of(request)
    async with service.reading() as connection:
        page = await connection.run_sync(
            reports.query_reports, service.release_key, principal.tenant_id, limit, cursor, query
        )
    return _answer(page_answer(page, [summary_answer(item, principal.role) for item in page.items]), as_csv)


def _prefers_csv(request: Request) -> bool:
    return preferred(request.headers.get("accept"), ("application/json", "text/csv")) == "text/csv"


def _answer(page: dict[str, Any], as_csv: bool) -> Response:
    if not as_csv:
        return JSONResponse(page)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    rows = [item | _flat(item) for item in page["items"]]
    writer.writerows([_cell(row[name]) for name in _CSV_COLUMNS] for row in rows)
    headers = {"Content-Disposition": 'attachment; filename="reports.csv"'}
    if page["next_cursor"]:
        headers["X-Next-Cursor"] = page["next_cursor"]
    return Response(table.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _flat(item: dict[str, Any]) -> dict[str, Any]:
    """The attack that is farthest above guessing, and the answers to all questions, as cells."""
    found = {"attack": item["strongest_attack"]} | {asked: (item["answers"] or {}).get(asked) for asked in QUESTIONS}
    cells: dict[str, Any] = {}
    for head, answer in found.items():
        figures = answer or {}
        cells |= {head: figures.get("name")} | {f"{head}_{each}": figures.get(each) for each in ("rate", "baseline")}
    return cells


def _cell(value: Any) -> Any:
    return " ".join(value) if isinstance(value, list) else value
