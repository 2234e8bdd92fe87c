"""Samples for tests of sniffing."""

import pytest

from formats.core.faults import Fault
from formats.core.format import Sniffed
from formats.sniffing import sniff
from tests.formats.limits import limits_of

LIMITS = limits_of()


def look(
    content: bytes | str, kind: str = "table", name: str | None = None, complete: bool = True, **metadata: object
) -> Sniffed:
    raw = content if isinstance(content, bytes) else content.encode()
    return sniff(kind, metadata, name, raw, complete, LIMITS)


def problem(content: bytes | str, kind: str = "table", **options: object) -> Fault:
    with pytest.raises(Fault) as caught:
        look(content, kind, **options)
    error = caught.value
    assert error.status == 422
    assert "cnry" not in f"{error} {error.detail} {error.pointer}"
    assert error.__cause__ is None
    assert error.__context__ is None
    return error
