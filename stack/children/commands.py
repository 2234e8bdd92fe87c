"""Commands: how `antifaz up` and the containers start each process of Antifaz."""

import sys
from collections.abc import Sequence

from storage.jobs.protocol import QUEUES

DRAIN_SECONDS = 30
"""Time that a stopping process has to finish its work."""


def api(host: str, port: int) -> list[str]:
    """The web process."""
    return python("service", "--host", host, "--port", str(port), "--drain-seconds", str(DRAIN_SECONDS - 5))


def worker(queues: Sequence[str] = QUEUES, processes: int = 2) -> list[str]:
    """A worker of the given queues: one message at a time per process, no gossip between workers.

    It sends no events either: without a broker, celery's loop would wait for each of them to be sent.
    """
    options = ["-Q", ",".join(queues), "-c", str(processes), "--prefetch-multiplier", "1"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"]
    return python("celery", "-A", "workers.process.app", "worker", "-n", f"{'-'.join(queues)}@%h", *options, *quiet)


def sweeper() -> list[str]:
    """The process that sends unsent messages and re-queues jobs that lost their lease."""
    return python("workers.process.sweeper")


def courier() -> list[str]:
    """The process that calls webhooks and portals."""
    return python("courier")


def warm() -> list[str]:
    """Compile the kernels into the on-disk cache in the background."""
    return python("workers.process.warm", "--background")


def migrate() -> list[str]:
    """Bring both databases to the newest schema."""
    return python("migrations", "upgrade")


def python(module: str, *arguments: str) -> list[str]:
    """Run a module with the current interpreter."""
    return [sys.executable, "-m", module, *arguments]
