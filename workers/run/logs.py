"""Logging of workers and the sweeper: every logger at level info, except those that repeat their input."""

import logging

from storage import logs


def configure_logging(process: str) -> None:
    """Send every log of this process to standard error as JSON lines, and nothing else."""
    root = logging.getLogger()
    root.handlers = []
    logs.configure(process)
    root.setLevel(logging.INFO)
    # These two repeat task arguments and connection addresses at level info.
    logging.getLogger("celery.app.trace").setLevel(logging.CRITICAL)
    logging.getLogger("kombu").setLevel(logging.ERROR)
