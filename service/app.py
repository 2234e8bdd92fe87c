"""The application: startup, routes and shutdown.

python -m uvicorn service.app:create_app --factory
"""

import asyncio
import importlib
import pkgutil
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from types import FrameType, ModuleType
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from service import console, routes
from service.access.routing import GuardedRoute
from service.documentation import document
from service.http.problems import internal_error, problem_of
from service.runtime import logs
from service.runtime.middleware import Middleware
from service.runtime.queues import ShownQueue
from service.runtime.state import Service, build_service
from storage.memory import leave_no_image
from storage.settings import Settings
from storage.settings import settings as settings_of_process
from storage.tenancy import tokens as stored_tokens

_ROOMS = ("jobs", "datasets", "releases", "tenancy", "open", "console")
"""The order in which routes are matched: jobs first because clients poll them, and what is open after what has an
address of its own below the same path, such as the tenant's card at /v1/catalog/about."""


def _modules_with_routes() -> Iterator[ModuleType]:
    """Find route modules by walking: a new module needs no registration, only entries in the table of permissions."""
    for package in (console, routes):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            if isinstance(getattr(module, "router", None), APIRouter):
                yield module


def _turn(module: ModuleType) -> tuple[int, bool, str]:
    """By room; in each room, the module of the same name first."""
    *_, room, name = module.__name__.split(".")
    return _ROOMS.index(room), room != name, name


ROUTERS = tuple(sorted(_modules_with_routes(), key=_turn))


def create_app(settings: Settings | None = None) -> FastAPI:
    """Create the API, with the settings of the process unless others are given."""
    app = FastAPI(
        title="Antifaz",
        version="1",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan(settings),
    )
    for module in ROUTERS:
        app.include_router(module.router)
    app.add_exception_handler(HTTPException, _answer_problem)
    app.add_exception_handler(RequestValidationError, _answer_problem)
    app.add_middleware(Middleware)
    app.openapi = lambda: document.describe(app)  # type: ignore[method-assign]
    return app


async def _answer_problem(request: Request, error: Exception) -> Response:
    problem = problem_of(error) or internal_error()
    if problem.status_code == 405:
        problem.headers = {"Allow": ", ".join(_methods_of(request.url.path))}
    return problem.response()


def _methods_of(path: str) -> list[str]:
    """Every method of a path; Starlette reports only those of the first route that it finds."""
    served = [route for module in ROUTERS for route in module.router.routes if isinstance(route, GuardedRoute)]
    literal = [route for route in served if route.path == path]
    matching = literal or [route for route in served if route.path_regex.match(path)]
    methods = {method for route in matching for method in route.methods or ()}
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


_METRICS_SECONDS = 5.0
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def _lifespan(settings: Settings | None) -> Lifespan:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        leave_no_image()
        logs.configure()
        service = build_service(settings or settings_of_process())
        app.state.service = service
        try:
            await _bootstrap(service)
            service.metrics.show_queues(_queues_from_a_thread(service))
            service.metrics.listen(service.settings.metrics_host, service.settings.metrics_port)
            with _close_on_signal(service):
                async with _tasks(service):
                    yield
        finally:
            service.metrics.close()
            await service.dispose()

    return lifespan


def _queues_from_a_thread(service: Service) -> Callable[[], list[ShownQueue]]:
    """How the thread that serves the metrics asks for the queues: through the loop, to which the engine belongs."""
    loop = asyncio.get_running_loop()

    def ask() -> list[ShownQueue]:
        return asyncio.run_coroutine_threadsafe(service.queues(), loop).result(_METRICS_SECONDS)

    return ask


async def _bootstrap(service: Service) -> None:
    """Install the first token if the settings contain its text."""
    given = service.settings.bootstrap_token
    if given is not None:
        async with service.writing() as connection:
            await connection.run_sync(stored_tokens.bootstrap, service.token_key, given.get_secret_value())


@asynccontextmanager
async def _tasks(service: Service) -> AsyncIterator[None]:
    """Run the tasks of the process: listen for changes of jobs and announce new ones."""
    tasks = [asyncio.create_task(service.job_events.listen()), asyncio.create_task(service.announcer.work())]
    service.announcer.wake()
    try:
        yield
    finally:
        service.job_events.close()
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        service.announcer.hang_up()


@contextmanager
def _close_on_signal(service: Service) -> Iterator[None]:
    """On SIGTERM and SIGINT, end every request that waits for a job, so that the server can stop."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    previous: dict[int, Any] = {}

    def stop(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(service.job_events.close)
        if callable(previous[number]):
            previous[number](number, frame)

    for caught in (signal.SIGTERM, signal.SIGINT):
        previous[caught] = signal.signal(caught, stop)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
