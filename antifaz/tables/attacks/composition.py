"""Composition: intersect the classes of all releases of the same people.

Ganta, Kasiviswanathan and Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD 2008.

An attacker who has several releases knows that a person is in one class of each, and so in the intersection of these
classes, which may be a single record or have one sensitive value although every class is large and diverse. ``rate`` is
the mean probability of picking the right record from the intersection, ``baseline`` that from the newest release alone,
``certain`` the share of records whose intersection leaves one sensitive value.

Guarantees: none; an attack.
Cost: O(n) per release.
"""

from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.kernels.classes import number_rows
from antifaz.part import Story
from antifaz.tables.classes import class_sizes, homogeneous_records, released_classes
from antifaz.tables.parts import TableAttack
from antifaz.tables.table import ProtectedTable, Role, Table
from antifaz.watch import Watch


class Composition(TableAttack):
    """Intersect the classes of this release with those of earlier ones of the same table."""

    story: ClassVar[Story] = Story(
        "someone who has all {releases} releases of these people",
        "picks the right row for {} people",
        "this release alone allows it for {}",
    )

    name: Literal["composition"] = "composition"

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack every released record with all releases together."""
        watch(0.0)
        numbers, classes = released_classes(released)
        if not len(numbers):
            return {"rate": 0.0, "baseline": 0.0, "releases": 1 + len(table.earlier)}
        columns = [numbers, *(earlier[released.records] for earlier in table.earlier)]
        matrix = np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)
        cells, count = number_rows(matrix)
        sizes = class_sizes(cells, count)
        sensitive = [column.folded_codes for column in released.columns if column.role is Role.SENSITIVE]
        disclosed = [homogeneous_records(cells, count, codes) for codes in sensitive]
        watch(1.0)
        return {
            "rate": count / len(numbers),
            "baseline": classes / len(numbers),
            "releases": len(columns),
            "smallest": int(sizes.min()),
            "unique_share": float(np.count_nonzero(sizes == 1) / len(numbers)),
            "certain": float(np.any(disclosed, axis=0).mean()) if disclosed else 0.0,
        }
