"""Logs: one JSON object a line, with ids, stages and exception classes; never a message that could hold a value."""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any


class JsonLines(logging.Formatter):
    """Formats a record without arguments of foreign exceptions: their messages may quote data."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self.process = process

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": self.process,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update(getattr(record, "fields", {}))
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = describe_exception(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False)


def describe_exception(error: BaseException) -> dict[str, Any]:
    """Class and places of an exception, without its message."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "class": f"{type(error).__module__}.{type(error).__qualname__}",
        "at": [f"{frame.filename.rsplit('/', 2)[-1]}:{frame.lineno} {frame.name}" for frame in frames[-8:]],
    }


def configure_logging(process: str) -> None:
    """Send every log of this process to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(process))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    # These two repeat task arguments and connection addresses at level info.
    logging.getLogger("celery.app.trace").setLevel(logging.CRITICAL)
    logging.getLogger("kombu").setLevel(logging.ERROR)


def say(logger: logging.Logger, message: str, **fields: Any) -> None:
    """Log a message with fields."""
    logger.info(message, extra={"fields": fields})
