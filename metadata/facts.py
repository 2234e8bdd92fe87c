"""Facts: the input of all metadata profiles, collected once."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from formats.catalogue import all_formats
from formats.core.names import RESERVED
from formats.tables.csv_writer import csv_name

_TABULAR = ("csv", "edgelist", "parquet", "jsonl")
_DELIMITED = ("csv", "edgelist")
_SAMPLE_NODES = re.compile(r"sample_[0-9]+_nodes", re.ASCII)
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Column:
    """A column of a file of a release."""

    name: str
    type: str
    meaning: str
    refers_to: str | None = None
    """The piece whose row numbers it contains."""


@dataclass(frozen=True)
class File:
    """A file of a release."""

    format: str
    piece: str
    sha256: str
    size: int
    url: str
    media_type: str
    file_name: str
    columns: tuple[Column, ...]
    """Columns of the file; empty if the file is not a table."""
    delimiter: str = ","
    """Of a delimited file: the character between cells."""
    decimal: str = "."
    """Decimal mark of its numbers."""
    bom: bool = False
    """Whether it begins with a byte order mark."""

    @property
    def key(self) -> str:
        """A name for the file within its release."""
        return f"{self.piece}-{self.format}"

    @property
    def is_delimited(self) -> bool:
        """Whether any csv reader can read it."""
        return self.format in _DELIMITED

    @property
    def dialect(self) -> str:
        """How the file differs from plain csv, in words; empty if it does not."""
        mark = {"\t": "tabs", ";": "semicolons"}.get(self.delimiter)
        said = [f"cells are separated by {mark}"] if mark else []
        said += ["numbers have decimal commas"] if self.decimal == "," else []
        said += ["it begins with a byte order mark"] if self.bom else []
        return ", ".join(said)

    def header(self, column: Column) -> str:
        """The name of a column in the file."""
        return csv_name(column.name) if self.is_delimited else column.name


@dataclass(frozen=True)
class Facts:
    """A release, its card and their public addresses."""

    base: str
    id: str
    job_id: str
    name: str
    kind: str
    shape: Mapping[str, Any]
    guarantees: Sequence[Mapping[str, Any]]
    dictionary: Sequence[Mapping[str, Any]]
    files: tuple[File, ...]
    card: Mapping[str, Any]
    issued: str
    """When the release was created (RFC 3339)."""
    modified: str
    """When it or its card last changed."""
    tenant: str
    """Name of the tenant."""

    @property
    def address(self) -> str:
        """Address of the release for programs."""
        return f"{self.base}/v1/releases/{self.id}"

    @property
    def page(self) -> str:
        """Address of the release's page for people."""
        return f"{self.base}/releases/{self.id}"

    @property
    def catalog(self) -> str:
        """Address of the tenant's catalog."""
        return f"{self.base}/v1/catalog/{quote(self.tenant, safe='')}"

    @property
    def title(self) -> str:
        """Title of the release."""
        return str(self.card.get("title") or self.name)

    @property
    def publisher(self) -> Mapping[str, Any]:
        """Who makes it available."""
        return self.card.get("publisher") or {"name": self.tenant}

    @property
    def cite_as(self) -> str:
        """The address to use in citations."""
        doi = self.card.get("doi")
        return f"https://doi.org/{doi}" if doi else self.page

    def metadata(self, profile: str) -> str:
        """Address of the metadata of a profile."""
        return f"{self.address}/metadata?profile={profile}"


def facts_of(release: Mapping[str, Any], card: Mapping[str, Any], base: str, modified: str, tenant: str) -> Facts:
    """Collect the facts of a release from the response of the API."""
    facts = Facts(
        base=base,
        id=release["id"],
        job_id=release["job_id"],
        name=release["name"],
        kind=release["kind"],
        shape=release["shape"],
        guarantees=release["guarantees"],
        dictionary=release["dictionary"],
        files=(),
        card=card,
        issued=release["created_at"],
        modified=modified,
        tenant=tenant,
    )
    files = tuple(_file(facts, artifact) for artifact in release["artifacts"])
    return Facts(**(vars(facts) | {"files": files}))


def _file(facts: Facts, artifact: Mapping[str, Any]) -> File:
    format_, piece = artifact["format"], artifact["part"]
    return File(
        format=format_,
        piece=piece,
        sha256=artifact["sha256"],
        size=artifact["bytes"],
        url=f"{facts.address}/data?format={format_}&part={piece}",
        media_type=all_formats()[format_].media_type.partition(";")[0],
        file_name=file_name(facts.name, piece, format_),
        columns=_columns(facts, piece) if format_ in _TABULAR else (),
        **(facts.shape.get("csv") or {} if format_ == "csv" and facts.kind == "table" else {}),
    )


def file_name(name: str, piece: str, format_: str) -> str:
    """Name of a downloaded file: the dataset, the piece and the format."""
    return f"{slug(name)}-{piece}.{all_formats()[format_].suffix}"


def slug(name: str) -> str:
    """A name in characters that every file system and every header accepts."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_NAME].strip("-") or "release"


def _columns(facts: Facts, piece: str) -> tuple[Column, ...]:
    described = tuple(Column(entry["name"], entry["type"], entry["meaning"]) for entry in facts.dictionary)
    of_rows = len(facts.shape.get("columns") or ())
    number = Column(RESERVED, "integer", "number of the node, given at random")
    if piece == "table":
        return described
    if piece == "nodes":
        return number, *described[:of_rows]
    if piece == "snapshots":
        begin = Column("begin", "text", "where the window of time begins")
        return Column("snapshot", "integer", "number of the snapshot"), begin
    if _SAMPLE_NODES.fullmatch(piece):
        home = Column("supernode", "integer", "number of the supernode that the node was drawn from", "nodes")
        return number, home
    nodes = f"{piece}_nodes" if piece.startswith("sample_") else "nodes"
    ends = tuple(Column(end, "integer", f"number of the {end} node of the edge", nodes) for end in ("source", "target"))
    if piece.startswith("sample_"):
        return ends
    when = (Column("snapshot", "integer", "number of the snapshot", "snapshots"),)
    # A file without edges has no edge columns.
    of_edges = described[of_rows:] if facts.shape.get("edges") else ()
    return (*ends, *(when if facts.kind == "temporal_graph" else ()), *of_edges)
