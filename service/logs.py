"""Logs: one JSON object a line, made of names, numbers and ids; never of what was sent.

An exception is logged as its type and the places it went through: its message might hold a value. Uvicorn's access
log is switched off, since it writes query strings; the guard writes its own line for each request.
"""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

LOGGER = logging.getLogger("antifaz.service")
_FOREIGN = ("uvicorn.access", "python_multipart", "multipart")
"""Loggers that write parts of requests."""


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        return json.dumps(line | getattr(record, "fields", {}), default=str)


def configure() -> None:
    """Send our lines to standard error, once, and silence those who log requests."""
    if not LOGGER.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines())
        LOGGER.addHandler(handler)
        LOGGER.setLevel(logging.INFO)
        LOGGER.propagate = False
    for name in _FOREIGN:
        logging.getLogger(name).disabled = True


def log(event: str, *, level: int = logging.INFO, **fields: Any) -> None:
    """Write one event with its fields."""
    LOGGER.log(level, event, extra={"fields": fields})


def log_failure(event: str, error: BaseException, **fields: Any) -> None:
    """Write what kind of error happened and where, without its message."""
    log(event, level=logging.ERROR, error=type(error).__name__, places=_places(error), **fields)


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
