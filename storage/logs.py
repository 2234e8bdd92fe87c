"""Logs: one JSON object per line, the same for all processes; names, numbers and ids, never a value that was sent.

Every line has ``at``, ``level``, ``process``, ``event`` and the fields of the event. An exception is logged as its type
and the places it went through, because its message might quote a value.
"""

import json
import logging
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO

# Built once: `json.dumps` builds an encoder for every call with options other than its defaults.
_ENCODER = json.JSONEncoder(default=str, ensure_ascii=False)


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": self._process,
            "event": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[1] is not None:
            line |= describe(record.exc_info[1])
        return _ENCODER.encode(line)


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to the current `sys.stderr`, looked up for each line."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        """Report the error if standard error can still be written; a failed log line never fails a request or job."""
        with suppress(ValueError, OSError):
            super().handleError(record)


def describe(error: BaseException) -> dict[str, Any]:
    """The type of an error and where it happened, without its message."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    places = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": type(error).__name__, "places": places}


def configure(process: str) -> None:
    """Send every line of this process to standard error, once."""
    root = logging.getLogger()
    if not any(isinstance(handler, _StandardError) for handler in root.handlers):
        handler = _StandardError()
        handler.setFormatter(JsonLines(process))
        root.addHandler(handler)


def log(logger: logging.Logger, event: str, *, level: int = logging.INFO, **fields: Any) -> None:
    """Write one event with its fields."""
    if logger.isEnabledFor(level):
        # Log lines do not include the place in the code, so the stack is not walked to find it.
        record = logger.makeRecord(logger.name, level, "", 0, event, (), None)
        record.fields = fields
        logger.handle(record)


def log_failure(logger: logging.Logger, event: str, error: BaseException, **fields: Any) -> None:
    """Log the type of an error and where it happened, without its message."""
    log(logger, event, level=logging.ERROR, **describe(error), **fields)
