"""Reports: the auditors' query over all jobs, refused ones included."""

import csv
import io
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import JSONResponse, Response

from api_schemas.reports import ReportPage
from service.auth import caller
from service.parameters import CursorParameter, Filter, Limit, Since, identity_or_none, not_before
from service.responses import problems
from service.routes.router import guarded_router
from service.serializers import page_answer, summary_answer
from service.state import service_of
from service.views import sees_original
from storage import reports

router = guarded_router("reports")

_CSV_COLUMNS = (
    "job_id",
    "dataset_id",
    "release_id",
    "status",
    "method",
    "guarantees",
    "achieved_k",
    "risk",
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
    method: Filter = None,
    guarantee: Filter = None,
    min_k: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    max_risk: Annotated[float | None, Query(ge=0, le=1)] = None,
    status: Annotated[Literal["released", "assessed", "refused", "failed"] | None, Query()] = None,
    since: Since = None,
    chosen_format: Annotated[Literal["json", "csv"], Query(alias="format")] = "json",
    limit: Limit = 50,
    cursor: CursorParameter = None,
) -> Response:
    principal = caller(request)
    wanted = None if dataset_id is None else identity_or_none(dataset_id)
    if dataset_id is not None and wanted is None:
        return _answer({"items": [], "next_cursor": None}, chosen_format)
    service = service_of(request)
    async with service.reading() as connection:
        page = await connection.run_sync(
            reports.query_reports,
            service.release_key,
            principal.tenant_id,
            limit,
            cursor,
            wanted,
            method,
            guarantee,
            min_k,
            max_risk,
            status,
            not_before(since),
        )
    # A bound on a figure that the caller may not see would tell it by and by.
    seen = [item for item in page.items if max_risk is None or sees_original(principal.role, item.private)]
    return _answer(page_answer(page, [summary_answer(item, principal.role) for item in seen]), chosen_format)


def _answer(page: dict[str, Any], chosen_format: str) -> Response:
    if chosen_format == "json":
        return JSONResponse(page)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    writer.writerows([_cell(item[name]) for name in _CSV_COLUMNS] for item in page["items"])
    headers = {"Content-Disposition": 'attachment; filename="reports.csv"'}
    if page["next_cursor"]:
        headers["X-Next-Cursor"] = page["next_cursor"]
    return Response(table.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _cell(value: Any) -> Any:
    return " ".join(value) if isinstance(value, list) else value
