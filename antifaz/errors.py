"""Errors of the engine.

    AntifazError
    ├── InvalidPolicy     the policy contradicts itself or the columns it names
    ├── InvalidDataset    the data does not match the policy (a text in an integer column, k above the row count)
    ├── Infeasible        an answer, not a failure: no release can satisfy the policy
    ├── BrokenGuarantee   a bug of Antifaz: a method broke its promise; nothing is released
    ├── Cancelled         the watch asked to stop
    └── UnfitExtension    an installed package adds a part that cannot be used: the process does not start

No message may contain a cell, a node id or a hierarchy label: only rules, columns, row numbers and counts. Row numbers
and exact counts are for the uploader, who has the file; others see bands.

Every rule that an error names is in `DATA_RULES` or `REASONS`; docs/refusals.md lists them, and a test compares
the tables with the code.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Kept = TypeVar("Kept")


class AntifazError(Exception):
    """Any error of the engine."""


class InvalidPolicy(AntifazError):
    """The policy contradicts itself or the columns it names."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(f"{pointer}: {detail}")
        self.pointer = pointer
        """RFC 6901 pointer into the policy, such as ``/guarantees/0/k``."""
        self.detail = detail
        self.faults: tuple[tuple[str, str], ...] = ((pointer, detail),)
        """Pointer and detail of every fault that was found."""

    @classmethod
    def of(cls, faults: Sequence[tuple[str, str]]) -> "InvalidPolicy":
        """One error for several faults."""
        error = cls(*faults[0])
        error.faults = tuple(faults)
        return error


class InvalidDataset(AntifazError):
    """The values do not match the policy."""

    def __init__(
        self,
        rule: str,
        detail: str,
        *,
        column: str | None = None,
        row: int | None = None,
        count: int | None = None,
        shred: bool = False,
        unplaced: Sequence[int] = (),
    ) -> None:
        counted = detail if count is None else f"{count} {detail}"
        super().__init__(counted)
        self.rule = rule
        """Code of the rule that was broken: one of `DATA_RULES`, or of a file's rules if the file is at fault."""
        self.detail = counted
        """What is wrong, with the count if there is one."""
        self.banded = detail if count is None else f"{band(count)} {detail}"
        """The same with a band instead of the count."""
        self.column = column
        self.row = row
        """Row number as the uploader counts: the first record is 1."""
        self.shred = shred
        """Whether the stored original is useless (it cannot be read, or is too small) and must be destroyed."""
        self.count = count
        """Number of cells, rows or values concerned, if they were counted."""
        self.unplaced = unplaced
        """Indexes of the values concerned among the column's distinct values, to find their first row."""
        self.faults: tuple[InvalidDataset, ...] = (self,)
        """Every fault that was found in the same pass."""

    @classmethod
    def of(cls, faults: Sequence["InvalidDataset"]) -> "InvalidDataset":
        """One error for several faults: the first, with all of them in its ``faults``."""
        first = faults[0]
        first.faults = tuple(faults)
        return first


class Faults:
    """Collects the faults of one pass, so that all are reported together."""

    def __init__(self) -> None:
        self._found: list[InvalidDataset] = []

    def keep(self, work: Callable[[], Kept]) -> Kept | None:
        """Return the result of ``work``; if it raises a fault, keep the fault and return None."""
        try:
            return work()
        except InvalidDataset as error:
            self._found.extend(error.faults)
            return None

    def __bool__(self) -> bool:
        return bool(self._found)

    def report(self) -> None:
        """Raise all faults found, if any."""
        if self._found:
            raise InvalidDataset.of(self._found)


def band(count: int) -> str:
    """Return the band of a count, by its number of digits, for readers who may not see exact counts of the original."""
    if count < 10:
        return "1-9" if count else "0"
    return f"{10 ** (len(str(count)) - 1)}-{10 ** len(str(count)) - 1}"


@dataclass(frozen=True)
class Reason:
    """One reason why a release was refused."""

    rule: str
    """One of `REASONS`, a limit of the gate, the name of a guarantee, or a rule of the package that refuses."""
    limit: float | None = None
    measured: float | None = None
    detail: str = ""


class Infeasible(AntifazError):
    """No release can satisfy the policy; the reasons state which rules prevent it, ``nearest`` what would work."""

    def __init__(self, reasons: Sequence[Reason], nearest: dict[str, float] | None = None) -> None:
        super().__init__("; ".join(reason.rule for reason in reasons))
        self.reasons = tuple(reasons)
        self.nearest = nearest
        """The nearest feasible setting, such as ``{"k": 4}``, if one is known."""


class BrokenGuarantee(AntifazError):
    """A method returned a result that breaks what it promises."""


class Cancelled(AntifazError):
    """The watch asked the engine to stop."""


class UnfitExtension(AntifazError):
    """An installed package adds a part that cannot be used; the process does not start."""


DATA_RULES: dict[str, tuple[str, str, str]] = {
    "empty": (
        "No rows",
        "The table has no rows, or none are left after rows with missing values are left out.",
        "Send rows, or choose another treatment of missing values in the policy.",
    ),
    "kind": (
        "Another kind of data",
        "The policy is for a table, a graph or a temporal graph, and the dataset is another of these.",
        "Use a policy of the dataset's kind.",
    ),
    "format": (
        "The release does not fit the format",
        "A workbook cannot hold this many rows or such long cells.",
        "Leave xlsx out of the formats.",
    ),
    "type_mismatch": (
        "Cells are not of the column's type",
        "The policy or the metadata declares a type, and some cells are not of it.",
        "Correct the cells, or declare the column to be text.",
    ),
    "ambiguous_dates": (
        "Dates can be read in two ways",
        "Day and month could be exchanged in every date of the column.",
        "State the form of the dates in the metadata of the upload.",
    ),
    "missing_value": (
        "A cell is empty",
        "The policy rejects missing values in this column.",
        "Fill the cell, or choose another treatment of missing values.",
    ),
    "unknown_value": (
        "A value has no place",
        "Values of the column are not in its hierarchy or in its stated order.",
        "Add the values to the hierarchy or to the order, or correct their spelling.",
    ),
    "population": (
        "The population cannot be used",
        (
            "The population that a guarantee names does not exist, cannot be read, lacks a quasi-identifier, "
            "or the guarantees do not hold against it."
        ),
        "Check the population's declaration, or name another one.",
    ),
    "k_above_rows": (
        "k is larger than the table",
        "A table of fewer than k people cannot be made k-anonymous.",
        "Lower k, or provide more data.",
    ),
    "k_above_nodes": (
        "k is larger than the graph",
        "A graph of fewer than k nodes has no groups of k.",
        "Lower k, or provide more data.",
    ),
    "too_few_nodes": (
        "The graph has no pair of nodes",
        "Noise on edges protects pairs of nodes, and there is none.",
        "Provide a graph with at least two nodes.",
    ),
    "directed": (
        "The graph is directed",
        "The guarantee or the method is defined for undirected graphs.",
        "Upload the graph as undirected, or choose another guarantee or method.",
    ),
    "undirected_only": (
        "The graph is directed",
        "The method, or its strategy, is defined for undirected graphs.",
        "Upload the graph as undirected, or choose another method or strategy.",
    ),
    "declared_densities": (
        "Densities do not fit the snapshots",
        "The policy declares another number of densities than the graph has snapshots.",
        "Declare one density for all snapshots, or one for each.",
    ),
    "more_snapshots": (
        "More snapshots than the policy allows",
        "The budget is charged for the number of snapshots that the policy states.",
        "Raise the policy's number of snapshots, or choose a longer window.",
    ),
    "free_text": (
        "Values belong to one or two people each",
        "A column that would be released shows values that identify people or edges.",
        "Give it the role identifier or quasi_identifier, band its values, or waive the rule with a reason.",
    ),
    "as_it_is": (
        "A column should not be released unchanged",
        "Its values look like names, addresses, numbers of people or free text.",
        "Give it the role identifier, or name it in a waiver with a reason.",
    ),
    "unknown_column": ("No such column", "The dataset has no column of this name.", "Name a column of the dataset."),
    "missing_column": ("No such column", "The data frame has no column of this name.", "Name a column of the frame."),
    "no_time": ("A time is missing", "An edge of the data frame has no time.", "Give every edge a time."),
    "ragged": (
        "Lists differ in length",
        "Sources, targets and times need one entry for each edge.",
        "Pass lists of equal length.",
    ),
}
"""Rules of `InvalidDataset`: title, meaning, what to do."""

REASONS: dict[str, tuple[str, str, str]] = {
    "no_rows": ("No records", "The table has no records to protect.", "Provide data."),
    "whole_table": (
        "Not even the whole table satisfies a guarantee",
        "All records together as one class still fall short of the rule.",
        "Lower the guarantee, or provide more or other data.",
    ),
    "no_guarantee": (
        "Too many records are unchanged",
        "Records are as in the original and alone, and no guarantee over classes is promised.",
        "Generalize or change more, promise a guarantee such as k_anonymity, or waive the rule with a reason.",
    ),
    "naive": (
        "Too many nodes are unchanged",
        "The edges are those of the original, or too many nodes are joined as before and alone.",
        "Change more edges, promise a structural guarantee, or waive the rule with a reason.",
    ),
    "nothing_kept": (
        "Almost nothing is left",
        "The release would show almost nothing of the original.",
        "Lower the guarantees, use another method, or provide more data.",
    ),
    "categories": (
        "Too many categories",
        "A column has more categories than an invariant matrix is made for.",
        "Use the uniform matrix, or generalize the column first.",
    ),
    "share": (
        "Too few pairs are not joined",
        "The method adds as many edges as it removes, and the graph has too few free pairs.",
        "Lower the share.",
    ),
    "least_survival": (
        "The noise leaves too few edges",
        "At this epsilon and density, most edges of the release would be noise.",
        "Raise epsilon, or lower `least_survival`.",
    ),
    "most_edges": (
        "The noise adds too many edges",
        "At this epsilon and density, the release is expected to have more edges than the limit.",
        "Raise epsilon or `most_edges`.",
    ),
    "dense": (
        "A snapshot joins most of its pairs",
        "Noise protects sparse snapshots; in a dense one the pairs that are not joined are few.",
        'Set `"dense": "complement"`.',
    ),
}
"""Rules of `Reason`, beside limits of the gate and names of guarantees: title, meaning, what to do."""
