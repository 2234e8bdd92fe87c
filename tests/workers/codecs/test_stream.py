import gzip
from collections.abc import Iterator

import pytest
import zstandard

from antifaz.errors import InvalidDataset
from storage.settings import Settings
from workers.codecs.stream import DETECT, PieceFile, plain_bytes, utf8_bytes

TEXT = "nombre,año\nJosé,3\n".encode() * 1000


def pieces(content: bytes, size: int = 1000) -> Iterator[bytes]:
    return (content[start : start + size] for start in range(0, len(content), size))


def rule_of(read: Iterator[bytes]) -> str:
    with pytest.raises(InvalidDataset) as caught:
        list(read)
    return caught.value.rule


@pytest.mark.parametrize("size", [1, 3, 1000, 10**6])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_gives_the_content_whatever_the_compression_and_the_size_of_pieces(pack, size, settings):
    content = TEXT[:5000]
    assert b"".join(plain_bytes(pieces(pack(content), size), settings)) == content


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_reads_several_compressed_members_as_one_file(pack, settings):
    assert b"".join(plain_bytes([pack(b"ab") + pack(b"cd")], settings)) == b"abcd"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_refuses_damaged_and_incomplete_compressed_files(pack, settings):
    packed = pack(bytes(range(256)) * 100)
    assert rule_of(plain_bytes([packed[:-5]], settings)) == "compression"
    assert rule_of(plain_bytes([packed[:4] + b"\xff" * 8 + packed[12:]], settings)) == "compression"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_refuses_a_decompression_bomb_long_before_it_has_unfolded(pack, settings):
    bomb = pack(bytes(50 << 20))
    passed: list[int] = []
    with pytest.raises(InvalidDataset) as caught:
        passed.extend(map(len, plain_bytes([bomb], settings)))
    assert caught.value.rule == "decompression_bomb"
    assert sum(passed) <= max(1 << 20, settings.max_ratio * len(bomb))


def test_refuses_more_than_the_largest_upload():
    assert rule_of(plain_bytes(pieces(TEXT), Settings(max_bytes=5000))) == "too_large"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (TEXT, "utf-8"),
        (b"\xef\xbb\xbf" + TEXT, "utf-8"),
        (b"\xef\xbb\xbf" + TEXT, None),
        (TEXT.decode().encode("latin-1"), "latin-1"),
        (TEXT.decode().encode("cp1252"), "cp1252"),
        (TEXT.decode().encode("latin-1"), DETECT),
    ],
)
def test_gives_utf8_without_a_mark_whatever_the_encoding(content, encoding, settings):
    assert b"".join(utf8_bytes(pieces(content, 999), encoding, settings)) == TEXT


def test_detects_windows_text_that_begins_after_a_megabyte_of_ascii(settings):
    content = b"a,b\n" * 10**5
    read = b"".join(utf8_bytes([content, "€,ñ\n".encode("cp1252")], DETECT, settings))
    assert read == content + "€,ñ\n".encode()


def test_names_the_line_that_is_not_in_the_stated_encoding(settings, refused):
    error = refused(utf8_bytes, [b"a,b\n1,2\n", b"\n3,\x81\n"], "cp1252", settings)
    assert (error.rule, error.detail.split()[:2]) == ("encoding", ["line", "4"])


def test_a_piece_file_gives_what_is_asked_and_counts_it():
    file = PieceFile(iter([b"abc", b"", b"defg"]))
    assert [file.read(2), file.read(4), file.read(), file.read(1)] == [b"ab", b"cdef", b"g", b""]
    assert file.passed == 7


def test_an_error_of_the_store_passes_through_unchanged(settings):
    def stored(content: bytes) -> Iterator[bytes]:
        yield content[: len(content) // 2]
        raise ConnectionResetError

    for content in (TEXT, gzip.compress(TEXT), zstandard.compress(TEXT)):
        with pytest.raises(ConnectionResetError):
            list(plain_bytes(stored(content), settings))
