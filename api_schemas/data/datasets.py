"""Datasets: the metadata of an upload, and the visible properties of a stored dataset."""

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from antifaz.tables.texts.value_types import ValueType
from api_schemas.data.cards import About
from api_schemas.data.jobs import Job
from api_schemas.data.portals import Then
from api_schemas.schema import Answer, Body, ColumnName, Id, Name, Page

TableFormat = Literal["csv", "tsv", "parquet", "jsonl", "xlsx", "ods"]
GraphFormat = Literal["edgelist", "graphml", "gml", "gexf", "pajek", "node-link"]
Encoding = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[0-9A-Za-z_.:-]+$")]


if TYPE_CHECKING:
    FileFormat = str
    TypeName = str
else:
    # One list of names, so that a wrong one is one fault. Installed packages are not imported to be listed: the courier
    # has this list too, and reads no files.
    FileFormat = Literal[
        (TableFormat, GraphFormat, *sorted(point.name for point in entry_points(group="antifaz.formats")))
    ]
    TypeName = Literal[tuple(type_.value for type_ in ValueType)]

Delimiter = Annotated[str, Field(min_length=1, max_length=1)]
DateFormat = Annotated[str, Field(min_length=6, max_length=24, pattern=r"^[dmyhsDMYHST/. :-]+$")]


class Dialect(Body):
    """How the cells of a table's file are written; fields that are left out are detected."""

    delimiter: Delimiter | None = None
    """Character between cells."""
    encoding: Encoding | None = None
    """Character encoding, such as `utf-8`, `latin-1` or `utf-16`."""
    decimal: Literal[".", ","] | None = None
    """Decimal mark."""
    thousands: Literal[".", ",", " ", "'"] | None = None
    """Thousands separator."""
    dates: DateFormat | None = None
    """Date format, such as `dd/mm/yyyy`, `mm/dd/yyyy`, `dd.mm.yyyy` or `yyyy-mm-dd`."""
    missing: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=50)] | None = None
    """Texts that mean a missing cell, in every column."""
    sheet: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """Workbooks: name of the sheet; the first sheet if left out."""


class ColumnReading(Body):
    """How one column of a table's file is read."""

    type: TypeName | None = None
    """Type of its values; detected if left out."""
    format: DateFormat | None = None
    """Format of its dates, such as `dd/mm/yyyy`."""


def _tag_of_columns(value: Any) -> str:
    return "listed" if isinstance(value, list) else "by_name"


Columns = Annotated[
    Annotated[list[ColumnName], Field(min_length=3, max_length=100), Tag("listed")]
    | Annotated[dict[ColumnName, ColumnReading], Field(max_length=2000), Tag("by_name")],
    Discriminator(_tag_of_columns),
]


class Seconds(Body):
    """The length of a window, in seconds."""

    seconds: int = Field(ge=1, le=10**9)


def _tag_of_window(value: Any) -> str:
    return "in_seconds" if isinstance(value, dict | Seconds) else "named"


Window = Annotated[
    Annotated[Literal["hour", "day", "week", "month", "year", "snapshot"], Tag("named")]
    | Annotated[Seconds, Tag("in_seconds")],
    Discriminator(_tag_of_window),
]
UNIONS = ("columns", "window")
"""Fields with values of several shapes: in the location of an error, the tag of the shape follows their name."""


class Budget(Body):
    """Budget of all differentially private releases of a lineage together."""

    epsilon: float = Field(ge=0, le=1_000_000)
    """Limit on the sum of their epsilons, for temporal graphs over all snapshots; kept in millionths, rounded down."""


class PopulationColumn(Body):
    """The role of a column of a population."""

    role: Literal["identifier", "quasi_identifier", "sensitive", "insensitive"]
    """Only quasi-identifiers are compared with those of a table; other columns are never read."""


class Population(Body):
    """Permission to use a table as the population of other datasets' guarantees."""

    attributes: dict[ColumnName, PopulationColumn] = Field(min_length=1)
    """Every column of the table with its role."""


class UploadMetadata(Body):
    """The first part of an upload."""

    name: Name
    """Name of the dataset."""
    kind: Literal["table", "graph", "temporal_graph"]
    """Kind of dataset."""
    format: FileFormat | None = None
    """Format of the file; may be left out if its name or content shows it."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Tables: character between cells; detected if left out."""
    encoding: Encoding | None = None
    """Tables: character encoding; detected if left out."""
    decimal: Literal[".", ","] | None = None
    """Tables: decimal mark; detected if left out."""
    directed: bool | None = None
    """Graphs: whether edges have a direction; false unless the file states otherwise."""
    strict: bool | None = None
    """Graphs: whether to refuse self-loops and repeated edges instead of dropping them."""
    window: Window | None = None
    """Temporal graphs: length of one snapshot, in UTC. Weeks begin on Monday; `snapshot` means that the times are
    already numbers of snapshots. Required."""
    empty_windows: Literal["drop", "keep"] | None = None
    """Temporal graphs: whether windows without edges become snapshots; they are dropped if left out."""
    dialect: Dialect | None = None
    """Tables: how the cells are written; detected if left out."""
    columns: Columns | None = None
    """Tables: how single columns are read, such as `{"birth": {"type": "date", "format": "dd/mm/yyyy"}}`. Temporal
    graphs: the columns of the file, such as `["source", "target", "weight", "time"]`, if neither a header nor the
    values show them."""
    supersedes: Id | None = None
    """Id of the dataset that this one replaces as its newer version."""
    about: About | None = None
    """The card of releases made from the dataset."""
    then: Then | None = None
    """With a policy: steps that follow the release, ``[{"publish": {"portal": …}}, {"webhook": …}]``."""
    unrelated: bool = False
    """Whether to accept a file, or the same data in another file, that the tenant already uploaded as another dataset.
    Releases of the two are then not checked together; the audit trail and reports state this."""
    population: Population | None = None
    """Tables: lets the guarantees `k_map` and `delta_presence` of other datasets count the people of this table by its
    quasi-identifiers. Without it, no policy can name the dataset as a population."""
    budget: Budget | None = None
    """Budget of the differentially private releases of this dataset and its later versions together. It is set with the
    first version and kept when datasets are deleted. Without it, nothing is charged, and reports state this."""


class Column(Answer):
    """A column of a dataset."""

    name: str
    type: str | None = None
    """Type of its values. This and the following fields are known once a worker has profiled the dataset."""
    form: str | None = None
    """How the file writes dates, or numbers with thousands separators; null if there is nothing special."""
    distinct: str | None = None
    """Number of distinct values, as a band such as `100-999`."""
    missing: str | None = None
    """Number of missing cells, as a band."""


class FoundDialect(Answer):
    """How the cells of a file are written, as declared or detected."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    """Format of most date columns."""
    missing: list[str] | None = None
    """Texts that were read as missing cells."""
    sheet: str | None = None


class ReadingWarning(Answer):
    """A column that should be described in the metadata of the upload."""

    column: str
    detail: str


class Dataset(Answer):
    """The visible properties of a stored dataset; never a value of it."""

    id: str
    name: str
    kind: str
    format: str
    status: Literal["stored", "ready", "invalid"]
    """``stored`` after the upload; ``ready`` once a worker has profiled it; ``invalid`` with a problem."""
    problem: dict[str, Any] | None = None
    columns: list[Column] | None = None
    dialect: FoundDialect | None = None
    """Tables: how the cells are written."""
    warnings: list[ReadingWarning] | None = None
    """Columns that can be read in more than one way; known once a worker has profiled the dataset."""
    rows: int | None = None
    nodes: int | None = None
    edges: int | None = None
    """Number of edges; of a temporal graph, in all snapshots together."""
    snapshots: int | None = None
    directed: bool | None = None
    supersedes: str | None = None
    unrelated_to: str | None = None
    """The earlier dataset with the same file, if the upload declared the two unrelated."""
    population: Population | None = None
    """How it may be used as a population; null if it may not."""
    created_at: str


class ChargeEntry(Answer):
    """The charge of one job."""

    job_id: str
    epsilon: float | None = None
    rho: float | None = None
    """Instead of epsilon, if the measure is zcdp."""
    delta: float = 0.0
    token_id: str | None = None
    """The analyst whose grant was also charged, if it was a question."""
    at: str


class BudgetAccount(Answer):
    """The account of a dataset's lineage."""

    measure: Literal["pure", "zcdp"] = "pure"
    epsilon: float | None = None
    """The budget, if the measure is pure; null if none was set: then nothing is charged."""
    rho: float | None = None
    """The budget, if the measure is zcdp."""
    spent: float
    remaining: float | None = None
    delta: float | None = None
    """Limit on the sum of all deltas; null if none was declared."""
    delta_spent: float = 0.0
    epsilon_at_delta: float | None = None
    """Of zcdp: the epsilon at that delta that the spent rho implies."""
    entries: list[ChargeEntry]
    """Every charge, oldest first."""


class DatasetPage(Page):
    """Datasets, newest first."""

    items: list[Dataset]


class Submission(Answer):
    """Response to an upload with a policy."""

    dataset: Dataset
    job: Job
