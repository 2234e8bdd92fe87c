"""Liveness and readiness."""

from typing import Literal

from api_schemas.schema import Answer


class Health(Answer):
    """The process is alive."""

    status: Literal["ok"]


class Version(Answer):
    """Versions of the service."""

    antifaz: str
    """Version of the software."""
    api: str
    """Version of the HTTP interface."""


class QueueHealth(Answer):
    """What is known of a queue. Times are read at most every ten seconds and rounded down to ten: a stranger who
    watches them, even all the time, does not learn exactly when someone works."""

    served: bool
    """Whether nothing waits in it, or a live consumer takes it."""
    oldest_waiting_seconds: int | None
    """How long its oldest work has waited; null if nothing waits."""
    last_consumed_seconds: int | None
    """How long ago something was last taken from it; null if that is not known."""


class Readiness(Answer):
    """The process can serve requests; lists what was checked."""

    status: Literal["ready"]
    checks: dict[str, Literal["ok"]]
    queues: dict[str, QueueHealth]
    """Work by its queue: jobs of `small` and `large` datasets, questions (`fast`), calls of webhooks and portals
    (`deliveries`), unsent messages and lost leases (`upkeep`)."""
