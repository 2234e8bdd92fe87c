"""Commands: how each process of Antifaz is started, the same by `antifaz up` and by the containers."""

import sys
from collections.abc import Sequence

from storage.job_protocol import QUEUES

DRAIN_SECONDS = 30
"""How long a stopping process may finish what it has begun."""


def api(host: str, port: int) -> list[str]:
    """The web process."""
    return python("service", "--host", host, "--port", str(port), "--drain-seconds", str(DRAIN_SECONDS - 5))


def worker(queues: Sequence[str] = QUEUES, processes: int = 2) -> list[str]:
    """A worker of the given queues: one message at a time for each process, no chatter between workers."""
    options = ["-Q", ",".join(queues), "-c", str(processes), "--prefetch-multiplier", "1"]
    quiet = ["--without-gossip", "--without-mingle", "--loglevel", "INFO"]
    return python("celery", "-A", "workers.app", "worker", "-n", f"{'-'.join(queues)}@%h", *options, *quiet)


def sweeper() -> list[str]:
    """The process that rings what was never rung and re-queues what lost its lease."""
    return python("workers.sweeper")


def courier() -> list[str]:
    """The process that calls webhooks and portals."""
    return python("courier")


def warm() -> list[str]:
    """Compile the kernels into the on-disk cache while others work."""
    return python("workers.warm", "--background")


def migrate() -> list[str]:
    """Bring both databases to the newest schema."""
    return python("migrations", "upgrade")


def python(module: str, *arguments: str) -> list[str]:
    """A module of ours or of the environment, run by the interpreter that runs us."""
    return [sys.executable, "-m", module, *arguments]
