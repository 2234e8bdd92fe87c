"""Text: the supported encodings, and the content of a text file as plain UTF-8.

The upload detects the encoding from the beginning of a file; a worker uses the detected one. Chunks are processed one
by one; only a few are in memory at any time.
"""

import codecs
from collections.abc import Iterable, Iterator

from formats.core import faults
from formats.core.encodings import CYRILLIC, GREEK, MULTIBYTE, recognized
from formats.core.faults import Fault
from formats.core.format import Look
from formats.core.inflate import plain_bytes
from formats.core.limits import Limits

BYTE_ORDER_MARK = codecs.BOM_UTF8
DETECT = "auto"
"""Encoding of a file whose first megabyte is plain ASCII: UTF-8 if the first other bytes are, else what is recognized
from them."""
_WIDE = ("utf-16", "utf-16-le", "utf-16-be")
"""Encodings with two bytes per plain letter; read if declared or shown by a byte order mark."""
_NARROW = ("utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252", "cp1250", "iso8859-2", "mac-roman", "cp850")
_OTHERS = (
    "cp852",
    "cp1254",
    "iso8859-9",
    "cp1257",
    "iso8859-13",
    "cp1255",
    "cp1256",
    "cp874",
    "big5",
    "cp949",
    "gbk",
    "gb2312",
    "shift_jis",
)
_LOCAL = tuple(codecs.lookup(name).name for name in (*_OTHERS, *MULTIBYTE, *CYRILLIC, *GREEK))
_ENCODINGS = (*_WIDE, *_NARROW, *_LOCAL)
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_MARKS_OF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


# --- the beginning of an upload --------------------------------------------------------------------------------------


def first_text(look: Look) -> tuple[str, str]:
    """The beginning of a file as text, and the encoding for the worker."""
    encoding = _stated_encoding(look)
    if encoding is None and look.head.startswith(_MARKS_OF_16) and not look.head.startswith(codecs.BOM_UTF32_LE):
        encoding = "utf-16"  # shown by the byte order mark
    if encoding in _WIDE:
        return _wide_text(look, encoding), encoding
    refuse_binary(look.head)
    head = look.head.removeprefix(BYTE_ORDER_MARK)
    if encoding is not None:
        return _decoded(head, encoding, look.complete), encoding
    if head.isascii():
        return head.decode("ascii"), "utf-8" if look.complete else DETECT
    if len(head) < len(look.head) or _decodes(head, "utf-8", look.complete):
        return _decoded(head, "utf-8", look.complete), "utf-8"
    encoding = recognized(head, look.complete)
    return _decoded(head, encoding, look.complete), encoding


def _wide_text(look: Look, encoding: str) -> str:
    text = _decoded(look.head, encoding, look.complete).removeprefix("\ufeff")
    if "\0" in text:
        raise faults.nul_character(line=text.count("\n", 0, text.find("\0")) + 1)
    return text


def refuse_binary(head: bytes) -> None:
    """Refuse anything that is not text with one byte per plain letter."""
    refuse_wide(head)
    if b"\0" in head:
        raise faults.nul_character(line=_line(head, head.find(0)))


def refuse_wide(head: bytes) -> None:
    """Refuse UTF-16 and UTF-32, for formats that have a single encoding."""
    if head.startswith(_WIDE_MARKS):
        raise faults.wide_encoding()


def beginning(head: bytes) -> bytes:
    """The first letters of a file, without a byte order mark and white space."""
    return head[:4096].removeprefix(BYTE_ORDER_MARK).lstrip()


def _stated_encoding(look: Look) -> str | None:
    stated = look.metadata.get("encoding")
    if stated is None:
        return None
    try:
        name = codecs.lookup(stated).name.removesuffix("-sig")
    except LookupError:
        name = ""
    if name not in _ENCODINGS:
        raise Fault("encoding", "the encoding is not supported", pointer="/metadata/encoding")
    return name


def _decodes(content: bytes, encoding: str, complete: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(content, final=complete)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(content: bytes, encoding: str, complete: bool) -> str:
    try:
        return codecs.getincrementaldecoder(encoding)().decode(content, final=complete)
    except UnicodeDecodeError as error:
        line = _line(content, error.start)
    raise faults.not_encoded(encoding, line=line)


def _line(content: bytes, place: int) -> int:
    return content.count(b"\n", 0, place) + 1


# --- a stored file ---------------------------------------------------------------------------------------------------


def utf8_bytes(chunks: Iterable[bytes], encoding: str | None, limits: Limits) -> Iterator[bytes]:
    """The text of a file as UTF-8 without a byte order mark; UTF-8 itself is passed on unchecked."""
    pieces = plain_bytes(chunks, limits)
    head = _head(pieces, 4).removeprefix(BYTE_ORDER_MARK)
    pieces = _put_back(head, pieces)
    name = _codec_name(encoding or DETECT)
    if name == DETECT:
        return _detected(pieces)
    return pieces if name == "utf-8" else _unmarked(_transcoded(pieces, name))


def _unmarked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """UTF-8 without the byte order mark that another encoding may have left."""
    yield from _put_back(_head(pieces, len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK), pieces)


def checked_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Pass UTF-8 on up to the first invalid line: the error of a library that reads such a line may quote its bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = 1
    for piece in pieces:
        _decoded_piece(decoder, piece, lines, "utf-8")
        lines += piece.count(b"\n")
        yield piece
    _decoded_piece(decoder, b"", lines, "utf-8", final=True)


def decoded(content: bytes, lines_before: int = 0) -> str:
    """UTF-8 as text; the fault names the line and nothing else."""
    try:
        return str(content, "utf-8")
    except UnicodeDecodeError as error:
        line = lines_before + _line(content, error.start)
    raise faults.not_encoded("utf-8", line=line)


def _head(pieces: Iterator[bytes], size: int) -> bytes:
    """Chunks joined until there are ``size`` bytes, or the end."""
    head = b""
    while len(head) < size:
        piece = next(pieces, None)
        if piece is None:
            break
        head += piece
    return head


def _put_back(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from pieces


def _codec_name(encoding: str) -> str:
    if encoding == DETECT:
        return DETECT
    try:
        return codecs.lookup(encoding).name.removesuffix("-sig")
    except LookupError:
        unknown = Fault("encoding", "the encoding is not supported")
    raise unknown


def _detected(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        if not piece.isascii():
            rest = _put_back(piece, pieces)
            known = "utf-8" if _decodes(piece, "utf-8", complete=False) else recognized(piece, complete=False)
            yield from rest if known == "utf-8" else _transcoded(rest, known)
            return
        yield piece


def _transcoded(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 1
    for piece in pieces:
        text = _decoded_piece(decoder, piece, lines, encoding)
        lines += text.count("\n")
        yield text.encode("utf-8")
    _decoded_piece(decoder, b"", lines, encoding, final=True)


def _decoded_piece(
    decoder: codecs.IncrementalDecoder, piece: bytes, lines: int, encoding: str, final: bool = False
) -> str:
    try:
        return decoder.decode(piece, final)
    except UnicodeDecodeError as error:
        line = lines + _line(piece, error.start) - 1
    raise faults.not_encoded(encoding, line=line)
