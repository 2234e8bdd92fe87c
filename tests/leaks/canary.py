"""Canaries: data whose every text holds a random token, and a scanner that finds the token in any encoding.

A token is ``cnry_``, 96 random bits that all tokens of one flock share, and its own number. The scanner searches
for the shared bits, so that one search finds a thousand cells; the number identifies the cell. A dataset has two
flocks: `hidden` must never be disclosed, and `shown` is released unchanged: it may appear in the data of a release
and nowhere else.
"""

import base64
import contextlib
import csv
import io
import json
import re
import secrets
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

PREFIX = "cnry_"
_DEEPEST = 4
_MOST_STREAMS = 64
_PIECE = 8 << 20


@dataclass
class Flock:
    """Tokens that share 96 random bits."""

    mark: str = field(default_factory=lambda: PREFIX + secrets.token_hex(12))
    count: int = 0

    def __call__(self) -> str:
        """A token that no other cell has."""
        self.count += 1
        return f"{self.mark}{self.count:06x}"

    def several(self, count: int) -> list[str]:
        """The given number of tokens."""
        return [self() for _ in range(count)]


# --- the scanner -----------------------------------------------------------------------------------------------------


def folded_forms(mark: str) -> dict[str, bytes]:
    """Encodings of a mark whose case does not matter, in lower case."""
    plain = mark.lower().encode()
    return {
        "raw": plain,
        "url": b"".join(b"%%%02x" % byte for byte in plain),
        "hex": plain.hex().encode(),
        "json": b"".join(b"\\u%04x" % byte for byte in plain),
        "entity": b"".join(b"&#%d;" % byte for byte in plain),
        "utf-16-le": mark.lower().encode("utf-16-le"),
        "utf-16-be": mark.lower().encode("utf-16-be"),
    }


def exact_forms(mark: str) -> dict[str, bytes]:
    """Encodings of a mark within base64, where case matters, at each of the three offsets."""
    forms = {}
    for offset in range(3):
        whole = base64.b64encode(b"\0" * offset + mark.encode())
        # The characters at both ends also encode bits of adjacent bytes.
        kept = whole[-(-offset * 8 // 6) : (offset + len(mark)) * 8 // 6]
        forms[f"base64+{offset}"] = kept
        forms[f"base64url+{offset}"] = kept.translate(bytes.maketrans(b"+/", b"-_"))
    return forms


class Scanner:
    """Finds marks, plain or encoded, also inside compressed and columnar content."""

    def __init__(self, *marks: str) -> None:
        self._folded = {(mark, name): form for mark in marks for name, form in folded_forms(mark).items()}
        self._exact = {(mark, name): form for mark in marks for name, form in exact_forms(mark).items()}
        self._overlap = max(len(form) for form in [*self._folded.values(), *self._exact.values()])

    def find(self, content: bytes | str) -> list[str]:
        """The encodings in which a mark was found, such as ``gzip/raw``; empty if there is none."""
        plain = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        return sorted({place for place, layer in _layers(plain) for place in self._within(place, layer)})

    def find_in_file(self, file: Path) -> list[str]:
        """The encodings in a file's bytes, read in pieces and not unpacked."""
        found: set[str] = set()
        with file.open("rb") as stream:
            rest = b""
            while piece := stream.read(_PIECE):
                found.update(self._within("", rest + piece))
                rest = piece[-self._overlap :]
        return sorted(found)

    def find_in_folder(self, folder: Path) -> dict[str, list[str]]:
        """The encodings in every file below a folder, and in the files' names."""
        found = {}
        for file in sorted(folder.rglob("*")):
            places = [f"name/{place}" for place in self.find(file.name)]
            # In shared folders a file may disappear during the search.
            with contextlib.suppress(FileNotFoundError):
                if file.is_file() and not file.is_symlink():
                    places += self.find_in_file(file)
            if places:
                found[str(file.relative_to(folder))] = places
        return found

    def _within(self, layer: str, content: bytes) -> Iterator[str]:
        lower = content.lower()
        for (_, name), form in self._folded.items():
            if form in lower:
                yield layer + name
        for (_, name), form in self._exact.items():
            if form in content:
                yield layer + name


def _layers(content: bytes, place: str = "", depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """The content, and everything that can be unpacked from it."""
    yield place, content
    if depth == _DEEPEST:
        return
    for name, unpack in _UNPACKERS.items():
        for inner in unpack(content):
            yield from _layers(inner, f"{place}{name}/", depth + 1)


def _gzip_streams(content: bytes) -> Iterator[bytes]:
    yield from _streams(content, b"\x1f\x8b\x08", lambda: zlib.decompressobj(31))


def _zstd_streams(content: bytes) -> Iterator[bytes]:
    yield from _streams(content, b"\x28\xb5\x2f\xfd", lambda: zstandard.ZstdDecompressor().decompressobj())


def _streams(content: bytes, magic: bytes, decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """The content of everything that looks like the start of a compressed stream."""
    places = [found.start() for found in re.finditer(re.escape(magic), content)]
    for place in places[:_MOST_STREAMS]:
        try:
            yield decompressor().decompress(content[place:])
        except (zlib.error, zstandard.ZstdError):
            continue


def _zip_members(content: bytes) -> Iterator[bytes]:
    if b"PK\x03\x04" not in content:
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                yield member.filename.encode() + b"\n" + member.comment
                yield archive.read(member)
    except zipfile.BadZipFile:
        return


def _parquet_parts(content: bytes) -> Iterator[bytes]:
    if not (content.startswith(b"PAR1") and content.endswith(b"PAR1")):
        return
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        table = file.read()
    except (pa.ArrowException, OSError):
        return
    yield repr(file.schema_arrow).encode() + repr(file.metadata.metadata).encode()
    for column in table.columns:
        for chunk in column.chunks:
            if pa.types.is_dictionary(chunk.type):
                yield repr(chunk.dictionary.to_pylist()).encode()
        yield repr(column.to_pylist()).encode()


_UNPACKERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip_streams,
    "zstd": _zstd_streams,
    "zip": _zip_members,
    "parquet": _parquet_parts,
}


def disguises(token: str) -> dict[str, bytes]:
    """A token in every form that the scanner must see through, each within other content."""
    text = json.dumps({"cell": token})
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in token)
    table = pa.table({"cell": pa.array([token, "x"]).dictionary_encode()})
    sink = io.BytesIO()
    pq.write_table(table.slice(1), sink, compression="zstd")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", text)
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    forms = {
        "raw": text.encode(),
        "upper case": text.upper().encode(),
        "url": "".join(f"%{ord(letter):02X}" for letter in token).encode(),
        "url as libraries write it": quote(f"a b/{token}").encode(),
        "hex": b"\\x" + f"before {token}".encode().hex().upper().encode(),
        "json": f'{{"cell": "{escaped}"}}'.encode(),
        "entity": "".join(f"&#{ord(letter)};" for letter in token).encode(),
        "utf-16": text.encode("utf-16"),
        "utf-16-be": text.encode("utf-16-be"),
        "gzip": b"frame" + compressor.compress(text.encode()) + compressor.flush(),
        "zstd": zstandard.compress(text.encode()),
        "zip": packed.getvalue(),
        "parquet with a value that no row shows": sink.getvalue(),
    }
    for offset in range(3):
        forms[f"base64 at offset {offset}"] = base64.b64encode(b"abc"[:offset] + token.encode() + b"tail")
        forms[f"base64url at offset {offset}"] = base64.urlsafe_b64encode(b"abc"[:offset] + token.encode() + b"tail")
    return forms


# --- the data --------------------------------------------------------------------------------------------------------

GROUPS = 6


@dataclass
class CanaryData:
    """A table, a graph and a temporal graph about the same invented people, in which every text is a token."""

    people: int = 60
    hidden: Flock = field(default_factory=Flock)
    """Cells, ids, labels and file names that must never be disclosed."""
    shown: Flock = field(default_factory=Flock)
    """Labels and cells that the policy releases unchanged."""
    account: int = field(default_factory=lambda: 10**14 + secrets.randbelow(9 * 10**14))
    """First digits, fifteen of them, of every number in the column of accounts: as many as a double keeps.

    With 100,000 random digit strings in the searched texts, they are found wrongly once in 10^10 runs.
    """

    moment: str = field(default_factory=lambda: _moment_of_day(secrets.randbelow(86_400 * 10**9)))
    """When contacts take place, on any day, to the billionth of a second: windows may disclose the day and no more."""

    def __post_init__(self) -> None:
        self._homes = self.hidden.several(self.people)
        self._regions = self.shown.several(GROUPS)
        self._trades, self._wards, self._illnesses = (self.shown.several(count) for count in (3, 2, 4))

    @property
    def secret(self) -> Scanner:
        """Finds everything that must never be disclosed."""
        return Scanner(self.hidden.mark, str(self.account), self.moment)

    @property
    def anything(self) -> Scanner:
        """Finds every cell, label and id, also those that a release shows."""
        return Scanner(self.hidden.mark, str(self.account), self.moment, self.shown.mark)

    def file_name(self, extension: str) -> str:
        """A name for a file that is a token too."""
        return f"{self.hidden()}.{extension}"

    def hierarchy(self) -> dict[str, Any]:
        """Every home in its region, and homes in which no one in the table lives."""
        rows = [[home, self._regions[number % GROUPS], "*"] for number, home in enumerate(self._homes)]
        rows += [[self.hidden(), self.hidden(), "*"] for _ in range(5)]
        return {"kind": "levels", "rows": rows}

    def hierarchy_text(self) -> bytes:
        """The same, as semicolon-separated rows."""
        return "".join(";".join(row) + "\n" for row in self.hierarchy()["rows"]).encode()

    def rows(self) -> list[list[str]]:
        """A header and a row for every person."""
        header = ["name", "account", "age", "home", "trade", "ward", "illness"]
        return [header, *([self.hidden(), f"{self.account}{n:03d}", *self._traits(n)] for n in range(self.people))]

    def _traits(self, n: int) -> list[str]:
        return [
            str(20 + n % 50),
            self._homes[n],
            self._trades[n % len(self._trades)],
            self._wards[n % len(self._wards)],
            self._illnesses[n * 7 % len(self._illnesses)],
        ]

    def table(self) -> bytes:
        """The table as csv."""
        return _csv(self.rows())

    def table_policy(self, k: int = 5, **more: Any) -> dict[str, Any]:
        """A policy that fits the table."""
        return {
            "kind": "table",
            "attributes": {
                "name": {"role": "identifier"},
                "account": {"role": "identifier"},
                "age": {"role": "quasi_identifier", "type": "integer", "recoding": "range"},
                "home": {"role": "quasi_identifier", "hierarchy": self.hierarchy()},
                "trade": {"role": "quasi_identifier"},
                "ward": {"role": "insensitive"},
                "illness": {"role": "sensitive"},
            },
            "guarantees": [{"model": "k_anonymity", "k": k}],
            "method": {"name": "mondrian"},
            "formats": ["csv", "parquet", "jsonl"],
            **more,
        }

    def edges(self) -> bytes:
        """A ring with chords among people whose ids are tokens; see `nodes` for the same ids."""
        ids = self._ids()
        pairs = [(n, (n + 1) % self.people) for n in range(self.people)]
        pairs += [(n, (n + self.people // 2) % self.people) for n in range(0, self.people // 2, 3)]
        return _csv([["source", "target"], *([ids[u], ids[v]] for u, v in pairs)])

    def contacts(self) -> bytes:
        """The same people on three days, each time with others; weights are tokens too."""
        ids, rows = self._ids(), [["source", "target", "note", "time"]]
        for day in range(3):
            moment = f"2001-02-0{day + 3}T{self.moment}Z"
            rows += [[ids[n], ids[(n + day + 1) % self.people], self.hidden(), moment] for n in range(self.people)]
        return _csv(rows)

    def temporal_policy(self, k: int = 3, **more: Any) -> dict[str, Any]:
        """A policy that fits the contacts and their nodes."""
        stated: dict[str, Any] = {
            "kind": "temporal_graph",
            "guarantees": [{"model": "temporal_k_degree_anonymity", "k": k}, {"model": "k_anonymity", "k": k}],
            "method": {"name": "temporal_k_degree"},
            "formats": ["csv", "graphml", "node-link"],
        }
        return self.graph_policy(k, **stated, **more)

    def nodes(self) -> bytes:
        """The table of nodes."""
        ids = self._ids()
        rows = [[ids[n], self._homes[n], self._illnesses[n % len(self._illnesses)]] for n in range(self.people)]
        return _csv([["person", "home", "illness"], *rows])

    def _ids(self) -> list[str]:
        return [f"{self.hidden.mark}id{n:04d}" for n in range(self.people)]

    def graph_policy(self, k: int = 3, **more: Any) -> dict[str, Any]:
        """A policy that fits the graph and its nodes."""
        return {
            "kind": "graph",
            "attributes": {
                "home": {"role": "quasi_identifier", "hierarchy": self.hierarchy()},
                "illness": {"role": "sensitive"},
            },
            "guarantees": [{"model": "k_degree_anonymity", "k": k}, {"model": "k_anonymity", "k": k}],
            "method": {"name": "k_degree"},
            "formats": ["edgelist", "graphml", "gml", "node-link"],
            **more,
        }


def _moment_of_day(billionths: int) -> str:
    seconds, rest = divmod(billionths, 10**9)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:09d}"


def _csv(rows: Iterable[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()
