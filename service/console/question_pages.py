"""Pages for questions: analysts ask, stewards declare and grant."""

import asyncio
from typing import Any
from urllib.parse import quote

from fastapi import Request
from starlette.responses import Response

from service.console.pages import needs, page_router, show
from service.console.snippets import same_as
from service.console.visit import Visit, visit_of
from service.http.parameters import ItemId

router = page_router()

needs("page_ask", "create_query")
needs("page_ask_dataset", "create_query")
needs("page_questions", "get_budget")

_EXAMPLE = {"select": [{"count": {}}], "epsilon": 0.1}
_DECLARED = {
    "columns": {"age": {"type": "integer", "bounds": [0, 120]}, "sex": {"type": "text", "keys": ["F", "M"]}},
    "measure": "pure",
    "budget": {"epsilon": 1},
}


@router.get("/ask", operation_id="page_ask")
async def ask(request: Request) -> Response:
    """The datasets that the visitor may ask about."""
    found = await visit_of(request).get("/v1/grants")
    return show(request, "ask.html", grants=found["items"], same=same_as(request, ("GET", "/v1/grants")))


@router.get("/ask/{id}", operation_id="page_ask_dataset")
async def ask_dataset(request: Request, item_id: ItemId) -> Response:
    """One dataset: its declarations, the remaining budget, and the question."""
    visit, path = visit_of(request), f"/v1/datasets/{quote(item_id, safe='')}"
    declared, left = await asyncio.gather(visit.get(f"{path}/declarations"), _left(visit, path, item_id))
    columns = declared["declarations"]["columns"]
    return show(
        request,
        "ask_dataset.html",
        dataset_id=declared["dataset_id"],
        name=left["name"],
        declared=declared["declarations"],
        remaining=left["remaining"],
        measured=[name for name, column in columns.items() if column.get("bounds")],
        grouped=[name for name, column in columns.items() if column.get("keys") or column["type"] == "boolean"],
        same=same_as(
            request,
            ("POST", f"{path}/queries", _EXAMPLE | {"accuracy": True}),
            ("POST", f"{path}/queries", _EXAMPLE),
        ),
    )


async def _left(visit: Visit, path: str, item_id: str) -> dict[str, Any]:
    """What the visitor may still spend: of the grant for an analyst, of the account for a steward."""
    if visit.may("get_budget"):
        dataset, budget = await asyncio.gather(visit.get(path), visit.get(f"{path}/budget"))
        return {"name": dataset["name"], "remaining": budget["remaining"]}
    grants = (await visit.get("/v1/grants"))["items"]
    mine = next((grant for grant in grants if grant["dataset_id"] == item_id), None)
    return {"name": "Questions" if mine is None else mine["dataset"], "remaining": mine and mine["remaining"]}


@router.get("/datasets/{id}/questions", operation_id="page_questions")
async def questions(request: Request, item_id: ItemId) -> Response:
    """The declarations of a dataset and the grants of analysts."""
    visit, path = visit_of(request), f"/v1/datasets/{quote(item_id, safe='')}"
    dataset = await visit.get(path)
    declared, budget, grants = await asyncio.gather(
        visit.try_get(f"{path}/declarations"), visit.try_get(f"{path}/budget"), visit.get("/v1/grants")
    )
    return show(
        request,
        "questions.html",
        dataset=dataset,
        declared=declared,
        example=_DECLARED,
        budget=budget,
        grants=[grant for grant in grants["items"] if grant["dataset_id"] == dataset["id"]],
        same=same_as(
            request,
            ("PUT", f"{path}/declarations", _DECLARED),
            ("POST", f"{path}/grants", {"token_id": "…", "epsilon": 1}),
        ),
    )
