"""Times and the windows they fall into."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from formats.core.faults import Fault
from formats.core.times import MOST_SNAPSHOTS, UnreadableTime, cut_windows, is_surely_time, is_time


def windows(texts, window, keep=False):
    found = cut_windows(np.array(texts, dtype=object), window, keep)
    return [found.labels[position] for position in found.positions], found.labels


def begin(moment: datetime, window) -> datetime:
    """Where the window of a moment begins, by the calendar of the standard library."""
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if isinstance(window, dict):
        seconds = int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) // window["seconds"]
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds * window["seconds"])
    return {
        "hour": moment.replace(minute=0, second=0, microsecond=0),
        "day": midnight,
        "week": midnight - timedelta(days=moment.weekday()),
        "month": midnight.replace(day=1),
        "year": midnight.replace(month=1, day=1),
    }[window]


@given(
    st.lists(st.datetimes(datetime(1800, 1, 1), datetime(2400, 1, 1)), min_size=1, max_size=8),
    st.sampled_from(["hour", "day", "week", "month", "year", {"seconds": 20}, {"seconds": 100_000}]),
    st.booleans(),
)
@effort(max_examples=3 * effort().max_examples // 2)
def test_every_moment_falls_into_the_window_of_the_calendar(moments, window, as_numbers):
    moments = [moment.replace(microsecond=0, tzinfo=UTC) for moment in moments]
    texts = [str(int(m.timestamp())) if as_numbers else m.strftime("%Y-%m-%dT%H:%M:%SZ") for m in moments]
    found, labels = windows(texts, window)
    assert found == [begin(moment, window).strftime("%Y-%m-%dT%H:%M:%SZ") for moment in moments]
    assert labels == sorted(set(found))


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("2001-02-03", "2001-02-03T00:00:00Z"),
        ("2001-02-03T04:05", "2001-02-03T04:05:00Z"),
        ("2001-02-03 04:05:06", "2001-02-03T04:05:06Z"),
        ("2001-02-03T04:05:06.789Z", "2001-02-03T04:05:06Z"),
        ("2001-02-03T04:05:06,5", "2001-02-03T04:05:06Z"),
        ("2001-02-03T04:05:06+02:00", "2001-02-03T02:05:06Z"),
        ("2001-02-03T04:05:06-0130", "2001-02-03T05:35:06Z"),
        ("2001-02-03T04:05:06+02", "2001-02-03T02:05:06Z"),
        ("2001-02-03 04:05-02", "2001-02-03T06:05:00Z"),
    ],
)
def test_moments_are_read_in_all_their_forms(text, second):
    assert windows([text], "snapshot")[1] == [second]


def test_numbers_of_snapshots_stay_as_they_are_numbered():
    assert windows(["10", "9", "-1", "+9"], "snapshot")[1] == ["-1", "9", "10"]
    assert windows(["3", "1"], "snapshot", keep=True)[1] == ["1", "2", "3"]


def test_a_fraction_of_a_second_is_within_the_second():
    assert windows(["-0.5", "0.5", "1e0"[:1]], {"seconds": 1})[1] == [
        "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z",
    ]  # fmt: skip


def test_empty_windows_are_kept_if_they_are_wanted():
    days = ["2001-02-27", "2001-03-02"]
    assert windows(days, "day")[1] == ["2001-02-27T00:00:00Z", "2001-03-02T00:00:00Z"]
    kept = ["2001-02-27", "2001-02-28", "2001-03-01", "2001-03-02"]
    assert windows(days, "day", keep=True)[1] == [f"{day}T00:00:00Z" for day in kept]


@pytest.mark.parametrize("texts", [["1", "x"], ["1", "2001-02-03"], ["2001-02-03", "5"], ["2001-02-03", "2001-02-30"]])
def test_says_which_text_is_no_time(texts):
    with pytest.raises(UnreadableTime) as caught:
        windows(texts, "day")
    assert caught.value.code == 1


@pytest.mark.parametrize("text", ["999999999999", "-999999999999"])
def test_refuses_times_that_no_calendar_can_write(text):
    with pytest.raises(UnreadableTime):
        windows([text], "day")


def test_a_window_never_begins_before_the_first_year():
    labels = windows(["-62135596800", "0"], {"seconds": 10**9})[1]
    assert labels == ["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"]


def test_refuses_more_snapshots_than_anyone_can_hold():
    with pytest.raises(Fault) as caught:
        windows(["0", str(MOST_SNAPSHOTS)], {"seconds": 1}, keep=True)
    assert (caught.value.rule, caught.value.pointer) == ("too_many_snapshots", "/metadata/window")
    assert len(windows(["0", str(MOST_SNAPSHOTS - 1)], {"seconds": 1}, keep=True)[1]) == MOST_SNAPSHOTS


def test_what_is_hardly_anything_but_a_time():
    assert is_surely_time("1082040961")
    assert is_surely_time("2001-02-03")
    assert not is_surely_time("41")
    assert not is_surely_time("0.5")
    assert is_time("0.5")
    assert not is_time("time")
    assert not is_time("")
