"""Randomized response: each sensitive value is told truly with a known chance, else another one at random.

Warner, "Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias", Journal of the American
Statistical Association, 1965; Kairouz, Bonawitz and Ramage, "Discrete Distribution Estimation Under Local Privacy",
ICML 2016 (k-ary randomized response).

With d possible values a record keeps its own with chance e^ε / (e^ε + d - 1) and shows each other one with chance
1 / (e^ε + d - 1): no shown value makes any true one more than e^ε times as likely as another. Several attributes share
epsilon evenly. The matrix stands in the public report, so that anyone can compute the unbiased estimate of the true
shares from the release. Other columns are released as they are.

Guarantees: local differential privacy with epsilon for the sensitive attributes of a record, all together. The values
that an attribute can have are taken to be public; state them where those that occur are not.
Cost: O(n) for each attribute.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.tables.masking import Masking, release_changed, write_column
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import Attribute, ProtectedTable, ReleasedColumn, Role, Table
from antifaz.watch import Watch

SCALE = 2**62
"""Chances are compared as integers of this scale, the chance of the truth rounded down."""


class RandomizedResponse(Masking):
    """Tell each sensitive value truly with a known chance, else another one at random."""

    gives: ClassVar[tuple[str, ...]] = ("local_differential_privacy",)

    name: Literal["randomized_response"] = "randomized_response"
    epsilon: float | None = Field(default=None, gt=0, le=50)
    """The privacy parameter of a record, where no guarantee states it."""
    values: dict[str, list[str]] = Field(default={}, repr=False)
    """For an attribute all values that it can have; by default those that occur."""

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Randomize every sensitive attribute."""
        sensitive = table.having(Role.SENSITIVE)
        if not sensitive:
            raise InvalidPolicy("/attributes", "randomized response needs a sensitive attribute")
        self._refuse_unknown(sensitive)
        epsilon = self._epsilon(guarantees) / len(sensitive)
        changed, matrices = {}, {}
        for done, attribute in enumerate(sensitive):
            watch(0.9 * done / len(sensitive))
            labels, codes = self._domain(attribute)
            changed[attribute.name] = _answer(attribute, labels, codes, epsilon, rng)
            matrices[attribute.name] = describe_matrix(len(labels), epsilon)
        account = {"method": self.name, "epsilon": epsilon * len(sensitive), "epsilon_per_attribute": epsilon}
        return release_changed(table, changed, None, {**account, "public": {"randomized_response": matrices}})

    def _epsilon(self, guarantees: Sequence[TableGuarantee]) -> float:
        """The smallest epsilon that is asked for."""
        stated = [float(getattr(guarantee, "epsilon", np.inf)) for guarantee in guarantees]
        epsilon = min([*stated, np.inf if self.epsilon is None else self.epsilon])
        if not np.isfinite(epsilon):
            raise InvalidPolicy("/method/epsilon", "is needed where no guarantee states it")
        return epsilon

    def _refuse_unknown(self, sensitive: Sequence[Attribute]) -> None:
        known = {attribute.name for attribute in sensitive}
        for name in self.values:
            if name not in known:
                pointer = "/method/values/" + name.replace("~", "~0").replace("/", "~1")
                raise InvalidPolicy(pointer, "must name a sensitive attribute")

    def _domain(self, attribute: Attribute) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
        """The values that an attribute can have, and the place of every record's value among them."""
        column = attribute.column
        stated = self.values.get(attribute.name)
        if stated is None:
            return column.values, column.codes.astype(np.int64)
        places = {text: place for place, text in enumerate(sorted(set(stated)))}
        unknown = sum(1 for value in column.values if value not in places)
        if unknown:
            detail = f"{unknown} distinct values are not among the stated ones"
            raise InvalidDataset("unknown_value", detail, column=column.name)
        lookup = np.array([places[value] for value in column.values], dtype=np.int64)
        return np.array(list(places), dtype=object), lookup[column.codes]


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
    """The chance that a record shows its own value, of so many possible ones."""
    return float(1.0 / (1.0 + (size - 1) * np.exp(-epsilon)))


def describe_matrix(size: int, epsilon: float) -> dict[str, Any]:
    """The matrix in two numbers: the diagonal, and every other cell."""
    truth = truth_chance(size, epsilon)
    return {"values": size, "keep": truth, "other": truth * float(np.exp(-epsilon)) if size > 1 else 0.0}


def estimate_shares(shown: NDArray[np.float64], size: int, epsilon: float) -> NDArray[np.float64]:
    """The unbiased estimate of the true shares from the shown ones; it may lie outside [0, 1] by chance."""
    matrix = describe_matrix(size, epsilon)
    return np.asarray((shown - matrix["other"]) / (matrix["keep"] - matrix["other"]))
