"""The courier's lines: ids, counts and words of ours. An address, a key or an answer of somebody else never."""

import logging

from storage import logs


def configure_logging() -> None:
    """Send every log of this process to standard error as JSON lines, and nothing else."""
    root = logging.getLogger()
    root.handlers = []
    logs.configure("courier")
    root.setLevel(logging.INFO)
    # Both write the addresses that they call.
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
