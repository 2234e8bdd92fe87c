"""Declarations: what a steward publicly states about a table, so that questions about it can be answered.

They contain types, bounds, steps and keys of columns, the privacy unit, how many rows of one person count, the measure
of privacy losses and their total. Nothing is taken from the data: a value beyond its bounds counts as the nearest
bound, and a text that is not a key counts as missing.
"""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from antifaz.described import WithStrictNumbers
from antifaz.tables.texts.folding import fold

Measure = Literal["pure", "zcdp"]
Key = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
ColumnName = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"^[^\x00]*$")]
MOST_UNITS = 10**9
"""Largest distance of a bound from 0, in steps."""
MOST_STATED = 10**15
"""Largest distance from 0 of a number stated in a question, in steps."""
MOST_KEYS = 10_000
MOST_DELTA = 1e-5
"""Largest sum of deltas, as in policies."""
_DAY_ZERO = date(1970, 1, 1)


class Stated(WithStrictNumbers):
    """A model of a request body: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class DeclaredColumn(Stated):
    """One column that questions may use."""

    type: Literal["integer", "decimal", "date", "text", "boolean"]
    """Type of its cells. A cell of another type counts as missing."""
    bounds: tuple[float | str, float | str] | None = None
    """Numbers and dates: the lowest and the highest value; values beyond them count as the nearest bound. Required."""
    step: Annotated[float, Field(gt=0)] | None = None
    """Numbers: the unit to which values are rounded; both bounds must be multiples of it. Required for decimals; 1 for
    integers if left out."""
    keys: Annotated[list[Key], Field(min_length=1, max_length=MOST_KEYS)] | None = None
    """Text: the values for grouping; without them only thresholded keys can be used."""
    other: Key | None = None
    """Text: the key that all other texts count as; without it they count as missing."""

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        fault = self._fault_of_text() if self.type in ("text", "boolean") else self._fault_of_numbers()
        if fault:
            raise ValueError(fault)
        return self

    def _fault_of_text(self) -> str:
        if self.bounds is not None or self.step is not None:
            return "only numbers and dates have bounds and a step"
        if self.type == "boolean" and (self.keys is not None or self.other is not None):
            return "the keys of a boolean are false and true"
        # Cells are matched with keys by their folded texts: two such keys would claim the same rows.
        folded = {fold(key) for key in self.keys or ()}
        if len(folded) < len(self.keys or ()):
            return "two of the keys differ only in spelling"
        if self.other is not None and fold(self.other) not in folded:
            return "the key for all other texts must be one of the keys"
        return ""

    def _fault_of_numbers(self) -> str:
        if self.keys is not None or self.other is not None:
            return "only text has keys"
        if self.bounds is None:
            return "bounds are required: they are never read from the data"
        if self.type == "date" and self.step is not None:
            return "the step of dates is a day"
        if self.type == "decimal" and self.step is None:
            return "a step is required for decimals"
        if self.type == "integer" and self.step is not None and not float(self.step).is_integer():
            return "the step of integers is a whole number"
        ends = [self._units(end) for end in self.bounds]
        if any(end is None for end in ends):
            return "bounds must be dates" if self.type == "date" else "bounds must be whole multiples of the step"
        low, high = (end for end in ends if end is not None)
        if low >= high:
            return "the lower bound must be below the upper one"
        return "bounds are too many steps from 0" if max(-low, high) > MOST_UNITS else ""

    def _units(self, end: float | str) -> int | None:
        if self.type == "date":
            return _days(end)
        if isinstance(end, str):
            return None
        # By the decimals that the steward wrote: 0.3 is three steps of 0.1, but as floats 2.9999999999999996.
        exact = Decimal(str(end)) / self.unit
        return int(exact) if exact == exact.to_integral_value() else None

    def units_of(self, value: object) -> int | None:
        """Return a stated number or date in whole steps, rounded; None if it has another type or is far beyond all
        bounds."""
        if self.type == "date":
            return _days(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        units = int((Decimal(str(value)) / self.unit).to_integral_value())
        return units if abs(units) <= MOST_STATED else None

    @property
    def unit(self) -> Decimal:
        """The step, as an exact decimal."""
        return Decimal(1) if self.step is None else Decimal(str(self.step))

    @property
    def limits(self) -> tuple[int, int]:
        """Both bounds in whole steps."""
        if self.bounds is None:
            raise ValueError("text has no bounds")
        low, high = (self._units(end) for end in self.bounds)
        if low is None or high is None:
            raise ValueError("the bounds were not checked")
        return low, high

    @property
    def is_measured(self) -> bool:
        """Whether its values are numbers or dates."""
        return self.bounds is not None

    @property
    def all_keys(self) -> list[str] | None:
        """The keys for grouping; None if they are not declared."""
        return ["false", "true"] if self.type == "boolean" else self.keys

    def shown(self, units: float) -> float | int | str:
        """Return a value in steps as it is shown; dates are rounded to the nearest day."""
        if self.type == "date":
            return date.fromordinal(_DAY_ZERO.toordinal() + round(units)).isoformat()
        number = Decimal(str(units)) * self.unit
        return int(number) if self.type == "integer" and number == number.to_integral_value() else float(number)


def _days(value: object) -> int | None:
    try:
        return (date.fromisoformat(str(value)) - _DAY_ZERO).days if isinstance(value, str) else None
    except ValueError:
        return None


def most_delta(rows: int) -> float:
    """The largest sum of deltas for a table with this number of rows.

    A delta is the chance that something is shown of one person without any protection. With 1/n, one of n people is
    expected to be shown, so it has to be far below (Dwork and Roth, "The Algorithmic Foundations of Differential
    Privacy", 2014, section 2.3): over the life of an account, one percent for all people together. The number of rows
    is only used by its power of ten, so that the limit discloses nothing else about it.
    """
    # The number of digits of n - 1 is that of the zeros of n rounded up to a power of ten; two more make a hundredth.
    return min(MOST_DELTA, float(f"1e-{len(str(max(rows - 1, 0))) + 2}"))


class Total(Stated):
    """The total cost allowed for all answers and releases: an epsilon, or a rho if the measure is zcdp."""

    epsilon: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    rho: Annotated[float, Field(gt=0, le=1_000_000)] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.epsilon is None) == (self.rho is None):
            raise ValueError("exactly one of epsilon and rho must be given")
        return self


class DeclaredWaiver(Stated):
    """Accepts by name something that is refused by default; it appears in the audit trail."""

    rule: Literal["composition"]
    """Answers next to releases of the dataset that are not charged to its budget."""
    reason: Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]*$")]
    """The reason, which analysts see."""


class Declarations(Stated):
    """Public facts about a dataset and its other versions."""

    columns: Annotated[dict[ColumnName, DeclaredColumn], Field(min_length=1, max_length=1000)]
    """The columns that questions may use; nothing can be learned about the others."""
    privacy_unit: ColumnName | None = None
    """The column that states which rows belong to one person; without it every row counts as a different person."""
    contributions: Annotated[int, Field(strict=True, ge=1, le=1000)] = 1
    """Number of rows of one person that count in each question, chosen at random among those that meet its
    conditions."""
    measure: Measure = "pure"
    """How losses are added: epsilons, or rhos of zero-concentrated differential privacy. Fixed by the first charge."""
    budget: Total
    """The total budget; it can be lowered, but not raised after the first charge."""
    delta: Annotated[float, Field(ge=0, le=MOST_DELTA)] = 0.0
    """The sum of the deltas of thresholded keys and of releases, and the delta at which rho is shown as an epsilon. At
    most a hundredth of one by the number of rows, which is first rounded up to a power of ten."""
    waivers: Annotated[list[DeclaredWaiver], Field(min_length=1, max_length=1)] | None = None
    """Required if the dataset or another version of it has a release that is not charged to the budget."""

    @property
    def waives_composition(self) -> bool:
        """Whether answers next to other releases are accepted."""
        return bool(self.waivers)

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if (self.measure == "pure") != (self.budget.epsilon is not None):
            raise ValueError("the budget is an epsilon if the measure is pure, and a rho if it is zcdp")
        if self.measure == "zcdp" and self.delta == 0:
            raise ValueError("zcdp needs a delta, which is used to show its epsilon")
        if self.contributions > 1 and self.privacy_unit is None:
            raise ValueError("without a privacy unit every row counts as a different person")
        return self
