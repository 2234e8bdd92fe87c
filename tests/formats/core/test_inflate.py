import gzip
import tracemalloc
from collections.abc import Iterator

import pytest
import zstandard
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from formats.core.faults import Fault
from formats.core.inflate import Inflater, plain_bytes
from formats.core.limits import Limits
from tests.formats.limits import limits_of

LIMITS = limits_of()
TEXT = "nombre,año\nJosé,3\n".encode() * 1000


def pieces(content: bytes, size: int = 1000) -> Iterator[bytes]:
    return (content[start : start + size] for start in range(0, len(content), size))


def rule_of(read: Iterator[bytes]) -> str:
    with pytest.raises(Fault) as caught:
        list(read)
    return caught.value.rule


# as it is uploaded


def inflated(content: bytes, size: int, limits: Limits = LIMITS) -> tuple[bytes, str | None]:
    inflater = Inflater(limits)
    pieces = [inflater.feed(content[start : start + size]) for start in range(0, len(content), size)]
    return b"".join([*pieces, inflater.finish()]), inflater.compression


@pytest.mark.parametrize("size", [1, 2, 3, 100, 10**6])
@pytest.mark.parametrize(("pack", "name"), [(bytes, None), (gzip.compress, "gzip"), (zstandard.compress, "zstd")])
def test_inflates_whatever_the_size_of_pieces(pack, name, size):
    content = b"a,b\n" + b"1,2\n" * 500
    assert inflated(pack(content), size) == (content, name)


@pytest.mark.parametrize("size", [1, 7, 10**6])
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_inflates_several_members_as_one_file(pack, size):
    assert inflated(pack(b"ab") + pack(b"") + pack(b"cd"), size)[0] == b"abcd"


@pytest.mark.parametrize("content", [b"", b"\x1f", b"(", b"\x28\xb5", b"x"])
def test_short_files_are_plain(content):
    assert inflated(content, 1) == (content, None)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("size", [5, 10**6])
def test_refuses_damaged_incomplete_and_continued_files(pack, size):
    packed = pack(bytes(range(256)) * 100)
    for bad in (packed[:-3], packed[:4] + b"\xff" * 8 + packed[12:], packed + b"cnry", packed + packed[:3]):
        with pytest.raises(Fault) as caught:
            inflated(bad, size)
        assert (caught.value.status, caught.value.rule) == (422, "compression")


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: zstandard.compress(content, 3)])
def test_stops_a_decompression_bomb_before_it_fills_the_memory(pack):
    bomb = pack(bytes(200 << 20))
    tracemalloc.start()
    with pytest.raises(Fault) as caught:
        inflated(bomb, 1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (caught.value.status, caught.value.rule) == (413, "decompression_bomb")
    assert peak < 96 << 20


def test_stops_what_is_larger_than_the_limit():
    for content in (b"x" * 1001, gzip.compress(bytes(range(256)) * 4)):
        with pytest.raises(Fault) as caught:
            inflated(content, 100, limits_of(max_bytes=1000))
        assert (caught.value.status, caught.value.rule) == (413, "too_large")


@given(st.binary(max_size=3000), st.integers(1, 400), st.sampled_from([bytes, gzip.compress, zstandard.compress]))
@effort(deadline=None)
def test_gives_back_what_was_packed(content, size, pack):
    if pack is not bytes or not content.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        assert inflated(pack(content), size)[0] == content


# as it is stored


@pytest.mark.parametrize("size", [1, 3, 1000, 10**6])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_gives_the_content_whatever_the_compression_and_the_size_of_pieces(pack, size, limits):
    content = TEXT[:5000]
    assert b"".join(plain_bytes(pieces(pack(content), size), limits)) == content


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_reads_several_compressed_members_as_one_file(pack, limits):
    assert b"".join(plain_bytes([pack(b"ab") + pack(b"cd")], limits)) == b"abcd"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_refuses_damaged_and_incomplete_compressed_files(pack, limits):
    packed = pack(bytes(range(256)) * 100)
    assert rule_of(plain_bytes([packed[:-5]], limits)) == "compression"
    assert rule_of(plain_bytes([packed[:4] + b"\xff" * 8 + packed[12:]], limits)) == "compression"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_refuses_a_decompression_bomb_long_before_it_has_unfolded(pack, limits):
    bomb = pack(bytes(50 << 20))
    passed: list[int] = []
    with pytest.raises(Fault) as caught:
        passed.extend(map(len, plain_bytes([bomb], limits)))
    assert caught.value.rule == "decompression_bomb"
    assert sum(passed) <= max(1 << 20, limits.max_ratio * len(bomb))


def test_refuses_more_than_the_largest_upload():
    assert rule_of(plain_bytes(pieces(TEXT), limits_of(max_bytes=5000))) == "too_large"


def test_an_error_of_the_store_passes_through_unchanged(limits):
    def stored(content: bytes) -> Iterator[bytes]:
        yield content[: len(content) // 2]
        raise ConnectionResetError

    for content in (TEXT, gzip.compress(TEXT), zstandard.compress(TEXT)):
        with pytest.raises(ConnectionResetError):
            list(plain_bytes(stored(content), limits))
