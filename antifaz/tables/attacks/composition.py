"""Composition: intersect the classes of all releases of the same people.

Ganta, Kasiviswanathan and Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD 2008.

An attacker who has several releases knows that a person is in one class of each, and so in the intersection of these
classes, which may be a single record or have one sensitive value although every class is large and diverse. ``rate`` is
the mean probability of picking the right record from the intersection, ``highest`` that of the most exposed person,
``alone`` the mean from the newest release alone, ``baseline`` that of picking any record, ``certain`` the share of
records whose intersection leaves one sensitive value. It runs if there are earlier releases. If quasi-identifiers were
masked, classes do not show whose they are, and there is nothing to intersect.

Guarantees: none; an attack.
Cost: O(n) per release.
"""

from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.kernels.tables.classes import number_rows
from antifaz.part import Question, Story
from antifaz.tables.classes.classes import class_sizes, homogeneous_records, released_classes
from antifaz.tables.labels.finding import masked_columns
from antifaz.tables.parts import TableAttack
from antifaz.tables.table import ProtectedTable, Role, Table
from antifaz.watch import Watch

MASKED = "quasi-identifiers were masked: their classes do not show whose they are"


class Composition(TableAttack):
    """Intersect the classes of this release with those of earlier ones of the same table."""

    default: ClassVar[bool] = False

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "the quasi-identifiers of a person, and all releases of the table"
    learns: ClassVar[str] = "which record is that person's"
    guesses: ClassVar[str] = "picking any released record"
    story: ClassVar[Story] = Story(
        "someone who has all {releases} releases of these people",
        "picks the right row for {} people",
        "guessing does so for {}",
    )

    name: Literal["composition"] = "composition"

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack every released record with all releases together."""
        watch(0.0)
        numbers, classes = released_classes(released)
        releases = 1 + len(table.earlier)
        if not len(numbers):
            return {"rate": 0.0, "baseline": 0.0, "targets": 0, "releases": releases}
        if masked_columns(table, released):
            return {"rate": None, "baseline": None, "applicable": False, "releases": releases, "detail": MASKED}
        columns = [numbers, *(earlier[released.records] for earlier in table.earlier)]
        matrix = np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)
        cells, count = number_rows(matrix)
        sizes = class_sizes(cells, count)
        sensitive = [column.folded_codes for column in released.columns if column.role is Role.SENSITIVE]
        disclosed = [homogeneous_records(cells, count, codes) for codes in sensitive]
        watch(1.0)
        return {
            "rate": count / len(numbers),
            "highest": float(1.0 / sizes.min()),
            "baseline": 1.0 / len(numbers),
            "alone": classes / len(numbers),
            "releases": releases,
            "smallest": int(sizes.min()),
            "unique_share": float(np.count_nonzero(sizes == 1) / len(numbers)),
            "certain": float(np.any(disclosed, axis=0).mean()) if disclosed else 0.0,
        }
