"""The service's lines: its own logger, and silence for those who would write parts of requests.

Uvicorn's access log is switched off, since it writes query strings; the middleware writes its own line for each
request. Uvicorn's other lines are written like ours.
"""

import logging
from typing import Any

from storage import logs

LOGGER = logging.getLogger("antifaz.service")
_FOREIGN = ("uvicorn.access", "python_multipart", "multipart")
"""Loggers that write parts of requests."""
_SERVER = ("uvicorn", "uvicorn.error")


def configure() -> None:
    """Send our lines and the server's to standard error, once, and silence those who log requests."""
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
    """Write what kind of error happened and where, without its message."""
    logs.log_failure(LOGGER, event, error, **fields)
