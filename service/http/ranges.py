"""Byte ranges: one range of one artifact (RFC 9110, section 14)."""

import re

from service.http.problems import Problem

_ONE_RANGE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})")


def requested_range(header: str | None, size: int) -> tuple[int, int] | None:
    """The bytes [start, stop) that a Range header requests.

    None means the whole: there is no header, or it requests several ranges or another unit, which a server may
    ignore. A range without any byte is a 416.
    """
    found = _ONE_RANGE.fullmatch(header.strip()) if header else None
    if found is None or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:
        start, stop = max(size - int(last), 0), size
    else:
        start, stop = int(first), min(int(last) + 1 if last else size, size)
        if last and int(last) < int(first):
            return None
    if start >= stop:
        raise Problem(
            "range-not-satisfiable", f"The artifact has {size} bytes.", headers={"Content-Range": f"bytes */{size}"}
        )
    return start, stop
