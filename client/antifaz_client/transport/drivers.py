"""Drivers: run flows over httpx, one blocking and one async. They do not depend on what a flow does."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import anyio
import httpx

from antifaz_client.errors import Unreachable
from antifaz_client.transport.flow import Answer, AsyncBound, Call, Download, Flow, Pause, Step, SyncBound
from antifaz_client.transport.forms import Form

T = TypeVar("T")


Outcome = Answer | Unreachable | None


@dataclass(frozen=True)
class Ended(Generic[T]):
    """The flow has ended with this result."""

    result: T


def advance(flow: Flow[T], outcome: Outcome) -> Step | Ended[T]:
    """Send a flow the outcome of its step; return the next step, or the result."""
    try:
        return flow.throw(outcome) if isinstance(outcome, Unreachable) else flow.send(outcome)
    except StopIteration as end:
        return Ended(end.value)


def request_of(step: Call) -> dict[str, Any]:
    """The arguments of httpx for a call without a form."""
    wanted: dict[str, Any] = {"headers": dict(step.headers), "params": _given(step.params)}
    if step.json is not None:
        wanted["json"] = step.json
    if step.timeout is not None:
        wanted["timeout"] = step.timeout
    return wanted


def _given(params: Any) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


def _no_answer(error: httpx.HTTPError, client: httpx.Client | httpx.AsyncClient) -> Unreachable:
    # The text of an error can contain an address with a password: only its class and the host are repeated.
    return Unreachable(
        f"no answer from {client.base_url.scheme}://{client.base_url.netloc.decode()} ({type(error).__name__})"
    )


class SyncDriver(SyncBound):
    """Runs flows one step after the other."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def run(self, flow: Flow[T]) -> T:
        """The result of a flow."""
        step = advance(flow, None)
        while not isinstance(step, Ended):
            try:
                outcome: Outcome = self._take(step)
            except httpx.HTTPError as error:
                outcome = _no_answer(error, self.http)
            step = advance(flow, outcome)
        return step.result

    def _run(self, flow: Flow[T]) -> T:
        return self.run(flow)

    def _take(self, step: Step) -> Answer | None:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        if isinstance(step, Download):
            return self._download(step)
        wanted = request_of(step)
        if step.form is not None:
            wanted["headers"]["Content-Type"] = step.form.content_type
            wanted["content"] = step.form.pieces()
        response = self.http.request(step.method, step.path, **wanted)
        return Answer(response.status_code, response.headers, response.content)

    def _download(self, step: Download) -> Answer:
        wanted: dict[str, Any] = {"params": _given(step.params), "headers": dict(step.headers)}
        with self.http.stream("GET", step.path, **wanted) as response:
            if not response.is_success:
                return Answer(response.status_code, response.headers, response.read())
            for piece in response.iter_bytes():
                step.sink.write(piece)
            return Answer(response.status_code, response.headers, b"")


class AsyncDriver(AsyncBound):
    """The same, awaiting every step."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def run(self, flow: Flow[T]) -> T:
        """The result of a flow."""
        step = advance(flow, None)
        while not isinstance(step, Ended):
            try:
                outcome: Outcome = await self._take(step)
            except httpx.HTTPError as error:
                outcome = _no_answer(error, self.http)
            step = advance(flow, outcome)
        return step.result

    async def _run(self, flow: Flow[T]) -> T:
        return await self.run(flow)

    async def _take(self, step: Step) -> Answer | None:
        if isinstance(step, Pause):
            await anyio.sleep(step.seconds)
            return None
        if isinstance(step, Download):
            return await self._download(step)
        wanted = request_of(step)
        if step.form is not None:
            wanted["headers"]["Content-Type"] = step.form.content_type
            wanted["content"] = _awaited(step.form)
        response = await self.http.request(step.method, step.path, **wanted)
        return Answer(response.status_code, response.headers, response.content)

    async def _download(self, step: Download) -> Answer:
        wanted: dict[str, Any] = {"params": _given(step.params), "headers": dict(step.headers)}
        async with self.http.stream("GET", step.path, **wanted) as response:
            if not response.is_success:
                return Answer(response.status_code, response.headers, await response.aread())
            async for piece in response.aiter_bytes():
                step.sink.write(piece)
            return Answer(response.status_code, response.headers, b"")


async def _awaited(form: Form) -> AsyncIterator[bytes]:
    """The body of a form; its file is read in a thread, so that a slow disk does not block the event loop."""
    pieces = form.pieces()
    while (piece := await anyio.to_thread.run_sync(next, pieces, None)) is not None:
        yield piece
