"""Errors of the engine.

    AntifazError
    ├── InvalidPolicy     the policy contradicts itself or the columns it speaks of
    ├── InvalidDataset    the data cannot be what the policy says (a text in an integer column, k above the row count)
    ├── Infeasible        an answer, not a failure: no release can satisfy the policy
    ├── BrokenGuarantee   our own bug: a method returned what it promised not to; nothing is released
    └── Cancelled         the watch asked to stop

No message may hold a cell, a node id or a hierarchy label: rules, columns, row numbers and counts only. Row numbers and
exact counts are for the uploader, who has the file; others are shown bands.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Kept = TypeVar("Kept")


class AntifazError(Exception):
    """Any error of the engine."""


class InvalidPolicy(AntifazError):
    """The policy contradicts itself or the columns it speaks of."""

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
    """The values cannot be what the policy says they are."""

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
        """What is wrong; with a count, how many of what."""
        self.banded = detail if count is None else f"{band(count)} {detail}"
        """The same with a band instead of the count."""
        self.column = column
        self.row = row
        """Row number as the uploader counts: the first record is 1."""
        self.shred = shred
        """Whether the stored original is useless (it cannot be read, or is too small) and must be destroyed."""
        self.count = count
        """How many cells, rows or values are concerned, where they were counted."""
        self.unplaced = unplaced
        """Places of the values concerned among the column's distinct ones, of which a caller can find the first row."""
        self.faults: tuple[InvalidDataset, ...] = (self,)
        """Every fault that was found in the same pass."""

    @classmethod
    def of(cls, faults: Sequence["InvalidDataset"]) -> "InvalidDataset":
        """One error for several faults: the first, which knows of the others."""
        first = faults[0]
        first.faults = tuple(faults)
        return first


class Faults:
    """Collects the faults of one pass, so that all are reported at once."""

    def __init__(self) -> None:
        self._found: list[InvalidDataset] = []

    def keep(self, work: Callable[[], Kept]) -> Kept | None:
        """What the work gives; None if it finds a fault, which is kept."""
        try:
            return work()
        except InvalidDataset as error:
            self._found.extend(error.faults)
            return None

    def __bool__(self) -> bool:
        return bool(self._found)

    def report(self) -> None:
        """Raise all that were found, if any."""
        if self._found:
            raise InvalidDataset.of(self._found)


def band(count: int) -> str:
    """A count of an original as those see it who do not have the original: by its number of digits."""
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
    """No release can satisfy the policy; the reasons say which rules stand in the way and what would work."""

    def __init__(self, reasons: Sequence[Reason], nearest: dict[str, float] | None = None) -> None:
        super().__init__("; ".join(reason.rule for reason in reasons))
        self.reasons = tuple(reasons)
        self.nearest = nearest
        """The nearest feasible setting, such as ``{"k": 4}``, where one is known."""


class BrokenGuarantee(AntifazError):
    """A method returned a result that breaks what it promises."""


class Cancelled(AntifazError):
    """The watch asked the engine to stop."""
