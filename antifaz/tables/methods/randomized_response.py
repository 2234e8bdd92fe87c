"""Randomized response: show each sensitive value with a known probability, else another one at random.

Warner, "Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias", Journal of the American
Statistical Association, 1965; Kairouz, Bonawitz and Ramage, "Discrete Distribution Estimation Under Local Privacy",
ICML 2016 (k-ary randomized response).

With d possible values, a record keeps its own with probability e^ε / (e^ε + d - 1) and shows each other one with
probability 1 / (e^ε + d - 1): no shown value makes any true value more than e^ε times as likely as another. Several
attributes share epsilon evenly. The matrix is in the public report, so that anyone can compute the unbiased estimate of
the true shares from the release. Other columns are released unchanged.

The domain is declared, because the values that occur could reveal a value that only one record has. An undeclared value
counts as the declared value that the policy names for it; without such a name, the answer is a random declared value,
all equally likely. So there is an answer whatever the data, and every answer keeps the ratio.

Guarantees: local differential privacy with epsilon for all sensitive attributes of a record together. With the waiver
observed_domain, the values that occur are public.
Cost: O(n) for each attribute.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.errors import InvalidPolicy
from antifaz.part import LEAST_EPSILON, Examples
from antifaz.tables.classes.classes import guard
from antifaz.tables.masking.masking import Masking, release_changed, write_column
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.reading.attributes import AttributeSettings, point_to
from antifaz.tables.reading.readings import detect_type
from antifaz.tables.table import Attribute, ProtectedTable, ReleasedColumn, Role, Table
from antifaz.tables.texts.folding import fold
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import Watch

SCALE = 2**62
"""Probabilities are compared as integers of this scale; the probability of the true value is rounded down."""


class RandomizedResponse(Masking):
    """Show each sensitive value with a known probability, else another one at random."""

    gives: ClassVar[tuple[str, ...]] = ("local_differential_privacy",)
    examples: ClassVar[Examples] = (
        {
            "values": {"disease": ["asthma", "diabetes", "flu", "other"]},
            "other": {"disease": "other"},
        },
    )

    name: Literal["randomized_response"] = "randomized_response"
    epsilon: float | None = Field(default=None, ge=LEAST_EPSILON, le=50)
    """Privacy parameter of a record, if no guarantee states it."""
    values: dict[str, Annotated[list[str], Field(min_length=1)]] = Field(default={}, repr=False)
    """All values that each sensitive attribute can have; public. The values that occur are used only with the waiver
    observed_domain."""
    other: dict[str, str] = Field(default={}, repr=False)
    """Declared value of an attribute as which every undeclared value counts; by default an undeclared value is replaced
    by a random declared one."""

    def contradictions(
        self, attributes: Mapping[str, AttributeSettings], waived: Collection[str]
    ) -> Iterable[tuple[str, str]]:
        """Errors for a domain that is missing or invalid, and for settings that would reveal an undeclared value."""
        sensitive = [name for name, attribute in attributes.items() if attribute.role is Role.SENSITIVE]
        if set(sensitive) - set(self.values) and "observed_domain" not in waived:
            yield "/method/values", "must state the values of every sensitive attribute, or waive observed_domain"
        for name, stated in self.values.items():
            pointer = _place("values", name)
            if name not in sensitive:
                yield pointer, "must name a sensitive attribute"
                continue
            if len({fold(value) for value in stated}) < len(stated):
                yield pointer, "two of the values differ only in spelling"
            if name in self.other and fold(self.other[name]) not in {fold(value) for value in stated}:
                yield _place("other", name), "must be one of the declared values"
            yield from _revealing_settings(name, attributes[name])
        for name in set(self.other) - set(self.values):
            yield _place("other", name), "must name an attribute whose values are declared"

    def declared_values(self) -> Mapping[str, Sequence[str]]:
        """The stated domains."""
        return self.values

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Randomize every sensitive attribute."""
        sensitive = table.having(Role.SENSITIVE)
        if not sensitive:
            raise InvalidPolicy("/attributes", "randomized response needs a sensitive attribute")
        epsilon = self._epsilon(guarantees) / len(sensitive)
        changed, matrices, undeclared = {}, {}, {}
        for done, attribute in enumerate(sensitive):
            watch(0.9 * done / len(sensitive))
            labels, codes = self._domain(attribute)
            unknown = np.flatnonzero(codes < 0)
            codes[unknown] = rng.integers(0, len(labels), len(unknown))
            undeclared[attribute.name] = guard(len(unknown))
            changed[attribute.name] = _answer(self._typed(attribute), labels, codes, epsilon, rng)
            matrices[attribute.name] = describe_matrix(len(labels), epsilon)
        account = {
            "method": self.name,
            "epsilon": epsilon * len(sensitive),
            "epsilon_per_attribute": epsilon,
            "undeclared": undeclared,
        }
        return release_changed(table, changed, None, {**account, "public": {"randomized_response": matrices}})

    def _epsilon(self, guarantees: Sequence[TableGuarantee]) -> float:
        """The smallest stated epsilon."""
        stated = [float(getattr(guarantee, "epsilon", np.inf)) for guarantee in guarantees]
        epsilon = min([*stated, np.inf if self.epsilon is None else self.epsilon])
        if not np.isfinite(epsilon):
            raise InvalidPolicy("/method/epsilon", "is required if no guarantee states it")
        return epsilon

    def _domain(self, attribute: Attribute) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
        """The values that an attribute can have, and the index of every record's value; -1 if it is not among them."""
        column = attribute.column
        stated = self.values.get(attribute.name)
        if stated is None:
            return column.values, column.codes.astype(np.int64)
        labels = sorted(stated)
        places = {fold(value): place for place, value in enumerate(labels)}
        home = places.get(fold(self.other[attribute.name]), -1) if attribute.name in self.other else -1
        lookup = np.array([places.get(fold(str(value)), home) for value in column.values], dtype=np.int64)
        return np.array(labels, dtype=object), lookup[column.codes]

    def _typed(self, attribute: Attribute) -> Attribute:
        """The attribute with the type of its declared domain: the type of the data may depend on one record."""
        stated = self.values.get(attribute.name)
        type_ = attribute.column.type if stated is None else detect_type(stated)
        return replace(attribute, column=replace(attribute.column, type=type_))


def _place(field: str, name: str) -> str:
    return f"/method/{field}/" + name.replace("~", "~0").replace("/", "~1")


def _revealing_settings(name: str, settings: AttributeSettings) -> Iterable[tuple[str, str]]:
    """Settings that would make the job fail, or leave out a row, because of one record's value."""
    for field in ("hierarchy", "order", "type"):
        if getattr(settings, field, None) not in (None, ValueType.TEXT):
            yield point_to(name, field), "not allowed with declared values: it would reveal an undeclared value"
    if settings.missing != "own_value":
        yield point_to(name, "missing"), "must be own_value with declared values: an empty cell would show otherwise"


def _answer(
    attribute: Attribute,
    labels: NDArray[np.object_],
    codes: NDArray[np.int64],
    epsilon: float,
    rng: np.random.Generator,
) -> ReleasedColumn:
    """The column of randomized answers."""
    size = len(labels)
    shown = codes
    if size > 1:
        threshold = int(np.nextafter(truth_chance(size, epsilon), 0.0) * SCALE)
        truthful = rng.integers(0, SCALE, len(codes)) < threshold
        shown = np.where(truthful, codes, (codes + rng.integers(1, size, len(codes))) % size)
    return write_column(attribute, shown, labels, "a value that may have been replaced at random")


def truth_chance(size: int, epsilon: float) -> float:
    """The probability that a record shows its own value, given the number of possible values."""
    return float(1.0 / (1.0 + (size - 1) * np.exp(-epsilon)))


def describe_matrix(size: int, epsilon: float) -> dict[str, Any]:
    """The matrix in two numbers: the diagonal, and every other cell."""
    truth = truth_chance(size, epsilon)
    return {"values": size, "keep": truth, "other": truth * float(np.exp(-epsilon)) if size > 1 else 0.0}


def estimate_shares(shown: NDArray[np.float64], size: int, epsilon: float) -> NDArray[np.float64]:
    """The unbiased estimate of the true shares from the shown ones; it may be outside [0, 1]."""
    matrix = describe_matrix(size, epsilon)
    return np.asarray((shown - matrix["other"]) / (matrix["keep"] - matrix["other"]))
