"""The courier's logs: ids, counts and our own words; never an address, a key or a third party's response."""

import logging

from storage import logs


def configure_logging() -> None:
    """Send every log of this process to standard error as JSON lines, and nothing else."""
    root = logging.getLogger()
    root.handlers = []
    logs.configure("courier")
    root.setLevel(logging.INFO)
    # Both log the addresses that they call.
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
