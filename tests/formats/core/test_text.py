from collections.abc import Iterator

import pytest

from formats.core.text import DETECT, utf8_bytes

TEXT = "nombre,año\nJosé,3\n".encode() * 1000


def pieces(content: bytes, size: int = 1000) -> Iterator[bytes]:
    return (content[start : start + size] for start in range(0, len(content), size))


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
def test_gives_utf8_without_a_mark_whatever_the_encoding(content, encoding, limits):
    assert b"".join(utf8_bytes(pieces(content, 999), encoding, limits)) == TEXT


def test_detects_windows_text_that_begins_after_a_megabyte_of_ascii(limits):
    content = b"a,b\n" * 10**5
    read = b"".join(utf8_bytes([content, "€,ñ\n".encode("cp1252")], DETECT, limits))
    assert read == content + "€,ñ\n".encode()


def test_names_the_line_that_is_not_in_the_stated_encoding(limits, refused):
    error = refused(utf8_bytes, [b"a,b\n1,2\n", b"\n3,\x81\n"], "cp1252", limits)
    assert (error.rule, error.detail.split()[:2]) == ("encoding", ["line", "4"])
