"""Logs that contain no values."""

import io
import json
import logging
import sys

from service.runtime.logs import LOGGER, configure, log, log_failure
from storage.logs import JsonLines


def test_a_failure_is_logged_as_its_kind_and_place_without_its_message(caplog):
    with caplog.at_level(logging.ERROR, logger=LOGGER.name):
        try:
            raise ValueError("canary")
        except ValueError as error:
            log_failure("request failed", error, operation="get_job")
    record = caplog.records[-1]
    line = json.loads(JsonLines("api").format(record))
    assert line["process"] == "api"
    assert line["error"] == "ValueError"
    assert line["operation"] == "get_job"
    assert line["places"][-1].startswith("test_logs.py:")
    assert "canary" not in JsonLines("api").format(record)


def test_those_who_would_log_requests_are_silent():
    configure()
    before = list(logging.getLogger().handlers)
    configure()
    assert before == logging.getLogger().handlers
    assert logging.getLogger("uvicorn.access").disabled
    assert logging.getLogger("python_multipart").disabled


def test_a_line_that_cannot_be_written_breaks_nothing(monkeypatch):
    closed = io.StringIO()
    closed.close()
    configure()
    monkeypatch.setattr(sys, "stderr", closed)
    log("said to nobody")
