"""Datasets: the upload's metadata and what may be shown of a stored one."""

from typing import Annotated, Any, Literal

from pydantic import Field

from api_schemas.cards import About
from api_schemas.jobs import Job
from api_schemas.schema import Answer, Body, ColumnName, Id, Name, Page

TableFormat = Literal["csv", "tsv", "parquet", "jsonl"]
GraphFormat = Literal["edgelist", "graphml", "gml", "gexf", "pajek", "node-link"]
Encoding = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[0-9A-Za-z_.:-]+$")]


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
    columns: Annotated[list[ColumnName], Field(min_length=3, max_length=100)] | None = None
    """Temporal graphs: what the columns of the file are, such as `["source", "target", "weight", "time"]`, if neither a
    header nor the values say it."""
    supersedes: Id | None = None
    """Id of the dataset that this one is a newer version of."""
    about: About | None = None
    """The card of releases that are made of the dataset."""
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
    """Known once a worker has profiled the dataset."""


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
    rows: int | None = None
    nodes: int | None = None
    edges: int | None = None
    """Of a temporal graph, those of all snapshots together."""
    snapshots: int | None = None
    directed: bool | None = None
    supersedes: str | None = None
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
