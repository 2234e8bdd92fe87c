"""Advice on datasets, made by a worker when it profiles one."""

from fastapi import Request
from starlette.responses import JSONResponse, Response

from api_schemas.data.advice import Advice, AdvicePending
from service.access.auth import caller
from service.http.parameters import ItemId
from service.http.problems import Problem
from service.http.responses import created, problems
from service.jobs.submission import Work, runnable_dataset, submit
from service.routes.router import guarded_router
from service.runtime.state import Service, service_of
from storage.datasets.datasets import DatasetRecord
from storage.jobs import advice, jobs
from storage.tenancy.tokens import Principal

router = guarded_router("datasets")


@router.get(
    "/v1/datasets/{id}/advice",
    operation_id="get_advice",
    summary="Get a starting policy for a dataset, with a reason for each column",
    responses={
        200: {"model": Advice},
        **created(202, AdvicePending, "The advice is not ready yet."),
        **problems(404, 409),
    },
)
async def get_advice(request: Request, item_id: ItemId) -> Response:
    service, principal = service_of(request), caller(request)
    dataset = await runnable_dataset(service, principal, item_id)
    async with service.reading() as connection:
        found = await connection.run_sync(advice.get_advice, service.release_key, principal.tenant_id, dataset.id)
        profiled = await connection.run_sync(jobs.last_profile, dataset.id) if found is None else None
    if found is not None:
        return JSONResponse(found.content)
    if profiled == "failed":
        raise Problem("conflict", "There is no advice because profiling the dataset failed.")
    if profiled not in ("queued", "running"):
        await _profile(service, principal, dataset)
    headers = {"Location": f"/v1/datasets/{dataset.id}/advice", "Retry-After": "1"}
    return JSONResponse({"dataset_id": str(dataset.id), "status": dataset.status}, 202, headers)


async def _profile(service: Service, principal: Principal, dataset: DatasetRecord) -> None:
    """Profile a dataset that was uploaded with a policy and therefore was never profiled."""
    async with service.writing() as connection:
        await submit(service, connection, principal, Work(dataset, "profile"))
    service.announcer.wake()
