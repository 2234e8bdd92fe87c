"""Packages: the zip archives of office documents, opened without trusting them.

The list of members is used only to find where members begin. Each member is inflated in small steps and counted,
whatever size it declares, so that a bomb never expands in memory. A document type declaration, and with it all entities
and external references, is refused before it is read.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from xml.parsers import expat

from formats.core import faults
from formats.core.faults import Fault
from formats.core.limits import Limits

SIGNATURE = b"PK\x03\x04"
_ALWAYS_ALLOWED = 1 << 20
_STEP = 1 << 16
_MOST_MEMBERS = 10_000
_ENCRYPTED = 1
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")

Attributes = Mapping[str, str]


def unreadable() -> Fault:
    return Fault("unreadable", "the file is not a workbook, or it is damaged or incomplete")


class Enough(Exception):
    """Raised when enough was read."""


class Package:
    """The members of a zip archive."""

    def __init__(self, content: bytes, limits: Limits, most: int | None = None) -> None:
        self._content = content
        self._limits = limits
        self._most = most
        """Number of inflated bytes after which `Enough` is raised; None to read all."""
        self._given = 0
        try:
            members = zipfile.ZipFile(io.BytesIO(content)).infolist()
        except (zipfile.BadZipFile, ValueError, OSError, EOFError, struct.error, NotImplementedError):
            members = []
        if not members or len(members) > _MOST_MEMBERS:
            raise unreadable()
        self._members = {member.filename: member for member in members}
        if len(self._members) < len(members):
            raise Fault("unreadable", "the workbook has two parts with the same name")
        self._refuse_larger(sum(member.file_size for member in members))

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def read(self, name: str) -> Iterator[bytes]:
        """The content of a member, in chunks."""
        member = self._members.get(name)
        if member is None:
            raise unreadable()
        if member.flag_bits & _ENCRYPTED:
            raise Fault("encrypted", "the workbook has a password; save it without one")
        start = self._start(member.header_offset)
        packed = memoryview(self._content)[start : start + member.compress_size]
        if member.compress_type == zipfile.ZIP_STORED:
            steps: Iterable[bytes] = (bytes(packed[at : at + _STEP]) for at in range(0, len(packed), _STEP))
        elif member.compress_type == zipfile.ZIP_DEFLATED:
            steps = _inflated(packed)
        else:
            raise unreadable()
        for piece in steps:
            self._count(len(piece))
            yield piece

    def _start(self, offset: int) -> int:
        """Position where the content of a member begins, after its header."""
        header = self._content[offset : offset + _LOCAL_HEADER.size]
        if len(header) < _LOCAL_HEADER.size or not header.startswith(SIGNATURE):
            raise unreadable()
        *_, name, extra = _LOCAL_HEADER.unpack(header)
        return offset + _LOCAL_HEADER.size + int(name) + int(extra)

    def _count(self, size: int) -> None:
        self._given += size
        self._refuse_larger(self._given)
        if self._most is not None and self._given > self._most:
            raise Enough

    def _refuse_larger(self, size: int) -> None:
        if size > self._limits.max_bytes:
            raise faults.too_large(self._limits.max_bytes)
        if size > max(_ALWAYS_ALLOWED, self._limits.max_ratio * len(self._content)):
            raise faults.decompression_bomb(self._limits.max_ratio)

    def parse(
        self,
        name: str,
        start: Callable[[str, Attributes], None],
        end: Callable[[str], None] = lambda tag: None,
        text: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Parse a member that is XML; names are passed without their prefixes."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.StartElementHandler = lambda tag, attributes: start(_local(tag), attributes)
        parser.EndElementHandler = lambda tag: end(_local(tag))
        parser.CharacterDataHandler = text
        try:
            for piece in self.read(name):
                parser.Parse(piece, False)
            parser.Parse(b"", True)
        except (expat.ExpatError, ValueError, LookupError):
            damaged = unreadable()
        else:
            return
        raise damaged


def attribute(attributes: Attributes, name: str) -> str | None:
    """An attribute, whatever the prefix of its name."""
    if name in attributes:
        return attributes[name]
    return next((value for each, value in attributes.items() if _local(each) == name), None)


def whole(text: str | None, least: int = 0, most: int = 1 << 31) -> int | None:
    """A whole number within bounds; None for anything else."""
    if text is None or not (text.isascii() and text.isdigit() and len(text) <= len(str(most))):
        return None
    return int(text) if least <= int(text) <= most else None


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _refuse_doctype(*_: object) -> None:
    raise Fault("dtd", "the workbook has a document type declaration")


def _inflated(packed: memoryview) -> Iterator[bytes]:
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    rest: bytes = bytes(packed)
    while rest and not stream.eof:
        try:
            piece = stream.decompress(rest, _STEP)
        except zlib.error:
            piece = b""
            rest = b""
        else:
            rest = stream.unconsumed_tail
        if not piece and not rest:
            break
        yield piece
    if not stream.eof:
        raise unreadable()
