"""Flows: the operations on the service, written once and run by a sync or an async driver.

A flow is a generator. It yields steps (a request, a download, a pause) and is sent the outcome of each; it never waits
and never uses the network itself. `operation` makes a method of it: on an object of a sync driver the method returns
the result, on one of an async driver an awaitable.
"""

import functools
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from antifaz_client.transport.forms import Form

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """A request whose answer is small."""

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    form: Form | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None


class Sink(Protocol):
    """Where a download goes."""

    def restart(self) -> None:
        """Start again and discard the earlier bytes."""

    def write(self, piece: bytes, /) -> Any:
        """Take the next bytes."""


@dataclass(frozen=True)
class Download:
    """A request whose answer goes to a sink, piece by piece."""

    path: str
    params: Mapping[str, Any]
    sink: Sink
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pause:
    """Wait."""

    seconds: float


@dataclass(frozen=True)
class Answer:
    """The answer to a call; the body of a successful download is empty."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Step = Call | Download | Pause
Flow = Generator[Step, Any, T]


class SyncBound:
    """An object whose operations return their results."""

    def _run(self, flow: Flow[T]) -> T:
        raise NotImplementedError


class AsyncBound:
    """An object whose operations are awaited."""

    async def _run(self, flow: Flow[T]) -> T:
        raise NotImplementedError


class operation(Generic[P, T]):  # noqa: N801 - used as a decorator
    """A flow as a method."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Flow[T]]) -> None:
        self.flow = flow
        functools.update_wrapper(self, flow)  # type: ignore[arg-type]

    @overload
    def __get__(self, owner: SyncBound, kind: Any = None) -> Callable[P, T]: ...
    @overload
    def __get__(self, owner: AsyncBound, kind: Any = None) -> Callable[P, Awaitable[T]]: ...
    @overload
    def __get__(self, owner: None, kind: Any = None) -> "operation[P, T]": ...
    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return self

        @functools.wraps(self.flow)
        def run(*args: P.args, **kwargs: P.kwargs) -> Any:
            return owner._run(self.flow(owner, *args, **kwargs))  # noqa: SLF001 - the protocol of `AsyncBound`

        return run
