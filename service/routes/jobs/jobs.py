"""Jobs: run a policy on a dataset, follow it, cancel it."""

import hashlib
import json
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import Header, Query, Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response, StreamingResponse

from api_schemas.data.jobs import Job, JobPage, JobRequest, JobStatus
from api_schemas.results.reports import Report
from api_schemas.strict_json import canonical_json
from service.access.audit import note
from service.access.auth import caller, job_asked_about
from service.access.idempotency import Created, create_once
from service.access.routing import end_turn
from service.http.parameters import CursorParameter, Filter, IdempotencyKey, ItemId, Limit, identity, identity_or_none
from service.http.problems import invalid, not_found
from service.http.responses import created, events, nothing, problems
from service.jobs import charges, comparisons
from service.jobs.submission import JobPolicy, Work, fitting_policy, kept_policy, runnable_dataset, submit
from service.policies.policies import accept_policy
from service.releases.outbound import accept_steps
from service.releases.serializers import job_answer, page_answer, report_answer
from service.routes.router import guarded_router
from service.runtime.addresses import base_of
from service.runtime.job_events import changed
from service.runtime.state import Service, service_of
from storage.datasets.datasets import DatasetRecord
from storage.jobs import jobs
from storage.jobs.jobs import JobState
from storage.jobs.protocol import TERMINAL
from storage.releases import reports
from storage.tenancy.tokens import Principal

router = guarded_router("jobs")

_LOOK_AGAIN_SECONDS = 5.0
"""Longest time that a lost notification goes unnoticed."""
_HEARTBEAT_SECONDS = 15.0
_RECONNECT_MILLISECONDS = 2_000

_ETAG = {"ETag": {"description": "Changes with the job.", "schema": {"type": "string"}}}


@router.post(
    "/v1/jobs",
    operation_id="create_job",
    summary="Run a policy on a stored dataset, or try it without a release",
    status_code=202,
    responses={
        **created(200, Job, "The same differentially private release already exists; nothing was charged."),
        **created(202, Job, "Queued, or already running for the same differentially private release."),
        **problems(404, 409, 413, 415, 507),
    },
)
async def create_job(request: Request, body: JobRequest, idempotency_key: IdempotencyKey = None) -> Response:
    service, principal = service_of(request), caller(request)

    async def create(connection: AsyncConnection) -> Created:
        dataset = await runnable_dataset(service, principal, body.dataset_id)
        policy = await _policy(service, principal, connection, dataset, body)
        task = _trial_task(policy) if body.trial else "publish"
        then = await accept_steps(service, connection, dataset, body.then, partial(base_of, request))
        return answered(await submit(service, connection, principal, Work(dataset, task, policy, then=then)))

    def parts() -> dict[str, bytes]:
        return {"body": canonical_json(body.model_dump(exclude_none=True))}

    return await create_once(request, "create_job", parts, create)


def _trial_task(policy: JobPolicy) -> str:
    """The task of a trial, if the policy may be tried."""
    if charges.is_charged(policy.public):
        raise invalid("invalid-policy", "/trial", comparisons.PRIVATE)
    return "trial"


def answered(job: JobState) -> Created:
    """The response with a job, which may have ended already if the same request was made before."""
    location = {"Location": f"/v1/jobs/{job.id}"}
    if job.status in TERMINAL:
        return Created(200, job_answer(job), location)
    return Created(202, job_answer(job), {**location, "Retry-After": "1"})


async def _policy(
    service: Service, principal: Principal, connection: AsyncConnection, dataset: DatasetRecord, body: JobRequest
) -> JobPolicy:
    """The policy that the request contains or names."""
    if body.policy_id is not None:
        return await kept_policy(service, connection, principal, body.policy_id, dataset)
    accepted = await accept_policy(body.policy, principal.tenant_id)
    return await fitting_policy(service, connection, principal, accepted, dataset)


@router.get(
    "/v1/jobs",
    operation_id="list_jobs",
    summary="List jobs, newest first",
    responses={200: {"model": JobPage}, **problems()},
)
async def list_jobs(
    request: Request,
    status: Annotated[JobStatus | None, Query()] = None,
    dataset_id: Filter = None,
    limit: Limit = 50,
    cursor: CursorParameter = None,
) -> Response:
    wanted = None if dataset_id is None else identity_or_none(dataset_id)
    if dataset_id is not None and wanted is None:
        return JSONResponse({"items": [], "next_cursor": None})
    async with service_of(request).reading() as connection:
        page = await connection.run_sync(jobs.list_jobs, caller(request).tenant_id, limit, cursor, status, wanted)
    return JSONResponse(page_answer(page, [job_answer(item) for item in page.items]))


@router.get(
    "/v1/jobs/{id}",
    operation_id="get_job",
    summary="Get the state of a job; with wait, after its next change",
    responses={
        200: {"model": Job, "headers": _ETAG},
        **nothing(304, "Not changed since the ETag in If-None-Match."),
        **problems(404),
    },
)
async def get_job(
    request: Request,
    item_id: ItemId,
    wait: Annotated[float, Query(ge=0, le=60, description="Respond on a change, or after this number of seconds.")] = 0,
) -> Response:
    service, job = service_of(request), _published(job_asked_about(request))
    known, mark = request.headers.get("if-none-match"), etag(job)
    if wait and job.status not in TERMINAL and known in (None, mark):
        # A client that waits must not hold a slot that another tenant's request could use.
        end_turn(request)
        job = await _next_change(service, job, wait)
        mark = etag(job)
    headers = {"ETag": mark, "Cache-Control": "no-cache"}
    if known == mark:
        return Response(status_code=304, headers=headers)
    return JSONResponse(job_answer(job), headers=headers)


def etag(job: JobState) -> str:
    """A text that changes with everything that a client can see of a job."""
    seen = f"{job.id}:{job.status}:{job.stage}:{job.progress}:{job.fence}:{job.finished_at}"
    return f'"{hashlib.sha256(seen.encode()).hexdigest()[:24]}"'


def _published(job: JobState | None) -> JobState:
    """A job that clients may see: not one of the internal tasks."""
    if job is None or job.task not in jobs.ASKED_FOR:
        raise not_found()
    return job


async def _next_change(service: Service, job: JobState, seconds: float) -> JobState:
    """The job after its next change, or its current state when the time is over."""
    deadline = time.monotonic() + seconds
    with service.job_events.subscribe(job.id) as subscription, service.metrics.streams.track_inprogress():
        while True:
            # Read after subscribing: a change in between is a notification that waits, not one that was missed.
            newer = _published(await service.lookups.job(job.tenant_id, job.id))
            left = deadline - time.monotonic()
            if etag(newer) != etag(job) or left <= 0 or service.job_events.closing.is_set():
                return newer
            await changed(subscription, min(left, _LOOK_AGAIN_SECONDS))


@router.get(
    "/v1/jobs/{id}/events",
    operation_id="watch_job",
    summary="Follow status, stage and progress of a job as server-sent events until it ends",
    response_class=StreamingResponse,
    responses={
        **events(200, "A stream of events named job, each a job as JSON, with an id to resume from."),
        **nothing(204, "The job has ended, and the client has received its last event."),
        **problems(404),
    },
)
async def watch_job(
    request: Request,
    item_id: ItemId,
    last_event_id: Annotated[
        str | None,
        Header(alias="Last-Event-ID", max_length=64, description="Id of the last event received; it is not repeated."),
    ] = None,
) -> Response:
    service, job = service_of(request), _published(job_asked_about(request))
    # A client that has seen the end need not reconnect: browsers do not reconnect after a response without content.
    if last_event_id == _mark(job) and job.status in TERMINAL:
        return Response(status_code=204)
    # A proxy that buffers would deliver all events together, at the end.
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, media_type="text/event-stream")
    return StreamingResponse(_events(service, job, last_event_id), media_type="text/event-stream", headers=headers)


async def _events(service: Service, job: JobState, seen: str | None) -> AsyncIterator[str]:
    """The current state of the job, unless the client has seen it, and the state after every change."""
    with service.job_events.subscribe(job.id) as subscription, service.metrics.streams.track_inprogress():
        yield f"retry: {_RECONNECT_MILLISECONDS}\n\n" if seen == _mark(job) else _event(job)
        spoke_at = time.monotonic()
        while job.status not in TERMINAL and not service.job_events.closing.is_set():
            await changed(subscription, _LOOK_AGAIN_SECONDS)
            newer = _published(await service.lookups.job(job.tenant_id, job.id))
            if etag(newer) != etag(job):
                job, spoke_at = newer, time.monotonic()
                yield _event(job)
            # Proxies close a connection on which nothing was said for a while; browsers ignore a comment.
            elif time.monotonic() - spoke_at >= _HEARTBEAT_SECONDS:
                spoke_at = time.monotonic()
                yield ": still here\n\n"


def _event(job: JobState) -> str:
    data = json.dumps(job_answer(job), separators=(",", ":"))
    return f"id: {_mark(job)}\nretry: {_RECONNECT_MILLISECONDS}\nevent: job\ndata: {data}\n\n"


def _mark(job: JobState) -> str:
    """The id of the event with a job's current state: an event is a state, so only the last one matters."""
    return etag(job).strip('"')


@router.post(
    "/v1/jobs/{id}/cancel",
    operation_id="cancel_job",
    summary="Cancel a job; a job that has ended does not change",
    status_code=200,
    responses={200: {"model": Job}, **problems(404)},
)
async def cancel_job(request: Request, item_id: ItemId) -> Response:
    service, principal, job_id = service_of(request), caller(request), identity(item_id)
    before = _published(job_asked_about(request))
    async with service.writing() as connection:
        job = await connection.run_sync(jobs.request_cancel, principal.tenant_id, job_id)
        if job is None:
            raise not_found()
        if before.status not in TERMINAL:
            await note(connection, principal, "job.cancel", job_id)
    return JSONResponse(job_answer(job))


@router.get(
    "/v1/jobs/{id}/report",
    operation_id="get_job_report",
    summary="Get the report of a finished job, including refused ones and trials",
    responses={200: {"model": Report}, **problems(404)},
)
async def get_job_report(request: Request, item_id: ItemId) -> Response:
    service, principal, job_id = service_of(request), caller(request), identity(item_id)
    async with service.reading() as connection:
        found = await connection.run_sync(reports.get_report_of_job, service.release_key, principal.tenant_id, job_id)
    if found is None:
        raise not_found()
    return JSONResponse(report_answer(found, principal.role))
