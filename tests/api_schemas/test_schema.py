"""Properties that all schemas share."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import TypeAdapter, ValidationError

from api_schemas.schema import Id, Name, rfc3339


def test_times_are_written_in_utc():
    moment = datetime(2024, 2, 29, 1, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    assert rfc3339(moment) == "2024-02-28T23:30:00.123Z"
    assert rfc3339(datetime(2024, 1, 1, tzinfo=UTC), "microseconds") == "2024-01-01T00:00:00.000000Z"
    assert rfc3339(None) is None


@pytest.mark.parametrize("name", ["", "a\nb", "a\x00b", "x" * 201])
def test_a_name_is_one_short_line(name):
    with pytest.raises(ValidationError):
        TypeAdapter(Name).validate_python(name)


@pytest.mark.parametrize("text", ["", "a b", "../etc", "x" * 65])
def test_an_id_is_a_plain_word(text):
    with pytest.raises(ValidationError):
        TypeAdapter(Id).validate_python(text)
