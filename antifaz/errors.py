"""Errors of the engine.

    AntifazError
    ├── InvalidPolicy     the policy contradicts itself or the columns it names
    ├── InvalidDataset    the data does not match the policy (a text in an integer column, k above the row count)
    ├── Infeasible        an answer, not a failure: no release can satisfy the policy
    ├── BrokenGuarantee   a bug of Antifaz: a method broke its promise; nothing is released
    └── Cancelled         the watch asked to stop

No message may contain a cell, a node id or a hierarchy label: only rules, columns, row numbers and counts. Row numbers
and exact counts are for the uploader, who has the file; others see bands.
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
        """Short snake_case name of the rule that was broken, such as ``type_mismatch`` or ``unknown_value``."""
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
