"""Pseudonyms: identifiers as keyed digests, equal for equal values.

Krawczyk, Bellare and Canetti, "HMAC: Keyed-Hashing for Message Authentication", RFC 2104, 1997.

An analyst who follows people through a table, or from one release of a dataset to the next, needs to know which rows
belong together but not whose they are. A digest under a secret key shows exactly that: without the key, no one can
recompute it for a name that they know, and once the key is destroyed, no one can at all. It hides names, not histories:
all rows with a pseudonym belong to one person.

Guarantees: none; there are 2^128 pseudonyms, so the probability that two values share one is negligible.
"""

import hmac
import re

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.table import Attribute, ReleasedColumn
from antifaz.tables.texts.value_types import ValueType

BYTES = 16
FORM = re.compile(r"[0-9a-f]{32}")
"""Form of a pseudonym."""
MEANING = "pseudonym: equal original values have equal pseudonyms in all releases of this dataset"


def pseudonym(key: bytes, column: str, value: str) -> str:
    """The pseudonym of a value of a column; a missing value stays missing."""
    if not value:
        return ""
    name = column.encode()
    return hmac.digest(key, len(name).to_bytes(4) + name + value.encode(), "sha256")[:BYTES].hex()


def write_pseudonyms(attribute: Attribute, records: NDArray[np.int64], key: bytes) -> ReleasedColumn:
    """An identifier's column for some records, as pseudonyms; labels are sorted as pseudonyms, not by their values."""
    used, places = np.unique(attribute.column.codes[records], return_inverse=True)
    texts = [pseudonym(key, attribute.name, str(attribute.column.values[code])) for code in used.tolist()]
    labels, renumbered = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return ReleasedColumn(
        attribute.name,
        attribute.name,
        attribute.role,
        ValueType.TEXT,
        renumbered[places].astype(np.int32),
        labels,
        MEANING,
    )
