"""An office's file, and what is true of its columns whether or not anyone notices."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Truth:
    """What a person who knows the office says about its file. Columns are named as the office names them."""

    identifying: tuple[str, ...]
    """Columns that directly identify a person: ids, names, contacts, accounts, pseudonyms, respondent and serial
    numbers, second persons, texts that name people, coordinates of homes."""
    known: tuple[str, ...] = ()
    """Columns that others know: dates of birth, postal codes, sexes."""
    sensitive: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    unit: str | None = None
    """The column of the people, if they have several rows each."""
    shape: str = "table"
    """What the file really is: ``table``, ``graph`` or ``temporal_graph``."""
    texts: tuple[str, ...] = ()
    """Identifying columns of sentences: only those that name someone point at a person."""
    missing: tuple[str, ...] = ()
    """How the office writes that it does not know."""
    totals: tuple[int, ...] = ()
    """Places of the rows that are sums of others, among the rows below the header."""
    named: frozenset[str] = field(default=frozenset(), repr=False)
    """Full names of the people in the file, as its columns and its texts write them."""


@dataclass(frozen=True)
class Office:
    """One file."""

    country: str
    name: str
    language: str
    file_name: str
    encoding: str
    """What the text of the file is in; empty for a workbook."""
    content: bytes = field(repr=False)
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    """The cells below the header, as a reader sees them: what a release is compared with."""
    truth: Truth
