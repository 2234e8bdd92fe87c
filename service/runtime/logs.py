"""Logs of the service: its own logger, with loggers that would write parts of requests disabled.

Uvicorn's access log is disabled because it writes query strings; the middleware writes its own line for each request.
Uvicorn's other lines have the same format as ours.
"""

import logging
from typing import Any

from storage import logs

LOGGER = logging.getLogger("antifaz.service")
_FOREIGN = ("uvicorn.access", "python_multipart", "multipart")
"""Loggers that write parts of requests."""
_SERVER = ("uvicorn", "uvicorn.error")


def configure() -> None:
    """Send our lines and the server's to standard error, once, and disable loggers that write parts of requests."""
    logs.configure("api")
    LOGGER.setLevel(logging.INFO)
    for name in _SERVER:
        server = logging.getLogger(name)
        server.handlers, server.propagate = [], True
    for name in _FOREIGN:
        logging.getLogger(name).disabled = True


def log(event: str, *, level: int = logging.INFO, **fields: Any) -> None:
    """Write one event with its fields."""
    logs.log(LOGGER, event, level=level, **fields)


def log_failure(event: str, error: BaseException, **fields: Any) -> None:
    """Write the type of an error and where it happened, without its message."""
    logs.log_failure(LOGGER, event, error, **fields)
