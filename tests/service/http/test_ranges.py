"""Byte ranges."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.http.problems import Problem
from service.http.ranges import requested_range


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        (None, None),
        ("bytes=0-9", (0, 10)),
        ("bytes=10-", (10, 100)),
        ("bytes=-5", (95, 100)),
        ("bytes=-500", (0, 100)),
        ("bytes=90-500", (90, 100)),
        ("bytes=99-99", (99, 100)),
        ("bytes=0-9,20-29", None),
        ("bytes=9-0", None),
        ("bytes=-", None),
        ("rows=0-9", None),
        ("bytes=a-b", None),
    ],
)
def test_one_range_is_read_and_what_is_not_one_is_ignored(header, wanted):
    assert requested_range(header, 100) == wanted


@pytest.mark.parametrize(
    ("header", "size"), [("bytes=100-", 100), ("bytes=-0", 100), ("bytes=0-", 0), ("bytes=0-0", 0)]
)
def test_a_range_without_a_byte_is_a_416_that_says_the_size(header, size):
    with pytest.raises(Problem) as caught:
        requested_range(header, size)
    assert caught.value.status_code == 416
    assert caught.value.headers["Content-Range"] == f"bytes */{size}"


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 40))
def test_a_range_lies_within_the_artifact(first, last, size):
    try:
        found = requested_range(f"bytes={first}-{last}", size)
    except Problem:
        assert first >= size
        return
    if found is None:
        assert last < first
    else:
        assert bytes(range(size))[found[0] : found[1]] == bytes(range(size))[first : last + 1]
