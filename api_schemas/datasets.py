"""Datasets: the upload's metadata and what may be shown of a stored one."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from api_schemas.cards import About
from api_schemas.jobs import Job
from api_schemas.portals import Then
from api_schemas.schema import Answer, Body, ColumnName, Id, Name, Page

TableFormat = Literal["csv", "tsv", "parquet", "jsonl", "xlsx", "ods"]
GraphFormat = Literal["edgelist", "graphml", "gml", "gexf", "pajek", "node-link"]
Encoding = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[0-9A-Za-z_.:-]+$")]


Delimiter = Annotated[str, Field(min_length=1, max_length=1)]
DateFormat = Annotated[str, Field(min_length=6, max_length=24, pattern=r"^[dmyhsDMYHST/. :-]+$")]


class Dialect(Body):
    """How the cells of a table's file are written; what is left out is detected."""

    delimiter: Delimiter | None = None
    """Character between cells."""
    encoding: Encoding | None = None
    """Character encoding, such as `utf-8`, `latin-1` or `utf-16`."""
    decimal: Literal[".", ","] | None = None
    """Decimal mark."""
    thousands: Literal[".", ",", " ", "'"] | None = None
    """Mark between thousands."""
    dates: DateFormat | None = None
    """How dates are written, such as `dd/mm/yyyy`, `mm/dd/yyyy`, `dd.mm.yyyy` or `yyyy-mm-dd`."""
    missing: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=50)] | None = None
    """Texts that stand for a missing cell, in every column."""
    sheet: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """Workbooks: name of the sheet; the first one if left out."""


class ColumnReading(Body):
    """How one column of a table's file is read."""

    type: Literal["integer", "decimal", "text", "date", "datetime", "boolean"] | None = None
    """What its values are; detected if left out."""
    format: DateFormat | None = None
    """How its dates are written, such as `dd/mm/yyyy`."""


def _tag_of_columns(value: Any) -> str:
    return "listed" if isinstance(value, list) else "by_name"


COLUMN_TAGS = ("listed", "by_name")
"""What pydantic puts into the place of a fault of `columns`."""
Columns = Annotated[
    Annotated[list[ColumnName], Field(min_length=3, max_length=100), Tag("listed")]
    | Annotated[dict[ColumnName, ColumnReading], Field(max_length=2000), Tag("by_name")],
    Discriminator(_tag_of_columns),
]


class Seconds(Body):
    """The length of a window, in seconds."""

    seconds: int = Field(ge=1, le=10**9)


class Budget(Body):
    """What all differentially private releases of a lineage may cost together."""

    epsilon: float = Field(ge=0, le=1_000_000)
    """The sum of their epsilons, of a temporal graph over all snapshots; kept in millionths, rounded down."""


class PopulationColumn(Body):
    """What a column of a population means for privacy."""

    role: Literal["identifier", "quasi_identifier", "sensitive", "insensitive"]
    """Only quasi-identifiers are compared with a table's; the others are never looked at."""


class Population(Body):
    """Leave to use a table as the population of other datasets' guarantees."""

    attributes: dict[ColumnName, PopulationColumn] = Field(min_length=1)
    """Every column of the table with its role."""


class UploadMetadata(Body):
    """The first part of an upload."""

    name: Name
    """What the dataset is called."""
    kind: Literal["table", "graph", "temporal_graph"]
    """Kind of dataset."""
    format: TableFormat | GraphFormat | None = None
    """Format of the file; may be left out where its name or content says it."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Tables: character between cells; detected where left out."""
    encoding: Encoding | None = None
    """Tables: character encoding; detected where left out."""
    decimal: Literal[".", ","] | None = None
    """Tables: decimal mark; detected where left out."""
    directed: bool | None = None
    """Graphs: whether edges have a direction; false unless the file says otherwise."""
    strict: bool | None = None
    """Graphs: refuse self-loops and repeated edges instead of dropping them."""
    window: Literal["hour", "day", "week", "month", "year", "snapshot"] | Seconds | None = None
    """Temporal graphs: what one snapshot spans, in UTC; weeks begin on Monday, and `snapshot` takes the times as they
    are numbered. Required."""
    empty_windows: Literal["drop", "keep"] | None = None
    """Temporal graphs: whether windows without an edge are snapshots; dropped if left out."""
    dialect: Dialect | None = None
    """Tables: how the cells are written; detected if left out."""
    columns: Columns | None = None
    """Tables: how single columns are read, such as `{"birth": {"type": "date", "format": "dd/mm/yyyy"}}`. Temporal
    graphs: what the columns of the file are, such as `["source", "target", "weight", "time"]`, if neither a header nor
    the values say it."""
    supersedes: Id | None = None
    """Id of the dataset that this one is a newer version of."""
    about: About | None = None
    """The card of releases that are made of the dataset."""
    then: Then | None = None
    """With a policy: what follows the release, ``[{"publish": {"portal": …}}, {"webhook": …}]``."""
    unrelated: bool = False
    """Accepts a file that the tenant uploaded before as another dataset, whose releases are then not checked together
    with this one's; it stands in the audit trail and in reports."""
    population: Population | None = None
    """Tables: lets the guarantees `k_map` and `delta_presence` of other datasets count this table's people by its
    quasi-identifiers. Without it no policy can name the dataset as a population."""
    budget: Budget | None = None
    """What differentially private releases of this dataset and its later versions may cost together; set with the first
    version, and kept when datasets are deleted. Without it nothing is charged, and reports say so."""


class Column(Answer):
    """A column of a dataset."""

    name: str
    type: str | None = None
    """Known once a worker has profiled the dataset, as is all that follows."""
    form: str | None = None
    """How the file writes dates, or numbers with marks between thousands; null if plainly."""
    distinct: str | None = None
    """A band of how many different values there are, such as `100-999`."""
    missing: str | None = None
    """A band of how many cells are missing."""


class FoundDialect(Answer):
    """How the cells of a file are written, as was stated or found."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    """The form of most columns of dates."""
    missing: list[str] | None = None
    """Texts that were read as missing cells."""
    sheet: str | None = None


class ReadingWarning(Answer):
    """A column that should be described in the metadata of the upload."""

    column: str
    detail: str


class Dataset(Answer):
    """What may be shown of a stored dataset; never a value of it."""

    id: str
    name: str
    kind: str
    format: str
    status: Literal["stored", "ready", "invalid"]
    """``stored``; ``ready`` once a worker has profiled it; ``invalid`` with a problem."""
    problem: dict[str, Any] | None = None
    columns: list[Column] | None = None
    dialect: FoundDialect | None = None
    """Tables: how the cells are written."""
    warnings: list[ReadingWarning] | None = None
    """Columns that can be read in more than one way; known once a worker has profiled the dataset."""
    rows: int | None = None
    nodes: int | None = None
    edges: int | None = None
    """Of a temporal graph, those of all snapshots together."""
    snapshots: int | None = None
    directed: bool | None = None
    supersedes: str | None = None
    unrelated_to: str | None = None
    """The earlier dataset with the same file, where the upload said that the two are unrelated."""
    population: Population | None = None
    """How it may be used as a population; null where it may not."""
    created_at: str


class ChargeEntry(Answer):
    """What one job was charged."""

    job_id: str
    epsilon: float | None = None
    rho: float | None = None
    """Instead of epsilon, if the measure is zcdp."""
    delta: float = 0.0
    token_id: str | None = None
    """The analyst whose grant was charged as well, if it was a question."""
    at: str


class BudgetAccount(Answer):
    """The account of a dataset's lineage."""

    measure: Literal["pure", "zcdp"] = "pure"
    epsilon: float | None = None
    """The budget, if the measure is pure; null where none was set, and then nothing is charged."""
    rho: float | None = None
    """The budget, if the measure is zcdp."""
    spent: float
    remaining: float | None = None
    delta: float | None = None
    """What all deltas may sum up to; null where nothing was said of it."""
    delta_spent: float = 0.0
    epsilon_at_delta: float | None = None
    """Of zcdp: the epsilon that what was spent implies at that delta."""
    entries: list[ChargeEntry]
    """Every charge, oldest first."""


class DatasetPage(Page):
    """Datasets, newest first."""

    items: list[Dataset]


class Submission(Answer):
    """Answer to an upload with a policy."""

    dataset: Dataset
    job: Job
