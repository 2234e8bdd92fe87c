"""Pseudonyms: identifiers as keyed digests, equal for equal values.

Krawczyk, Bellare and Canetti, "HMAC: Keyed-Hashing for Message Authentication", RFC 2104, 1997.

Who follows people through a table, or from one release of a dataset to the next, needs to know which rows belong
together and not to whom. A digest under a secret key says just that: without the key nobody can recompute it for a
name that they know, and once the key is destroyed nobody can at all. It hides names, not histories: all rows of a
pseudonym are one person's.

Guarantees: none; pseudonyms are drawn from 2^128, so that different values have different ones but for a chance that
does not matter.
"""

import hmac
import re

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.table import Attribute, ReleasedColumn, ValueType

BYTES = 16
FORM = re.compile(r"[0-9a-f]{32}")
"""What a pseudonym looks like."""
MEANING = "pseudonym: equal in all releases of this dataset where the original is equal"


def pseudonym(key: bytes, column: str, value: str) -> str:
    """The pseudonym of a value of a column; a missing value stays missing."""
    if not value:
        return ""
    name = column.encode()
    return hmac.digest(key, len(name).to_bytes(4) + name + value.encode(), "sha256")[:BYTES].hex()


def write_pseudonyms(attribute: Attribute, records: NDArray[np.int64], key: bytes) -> ReleasedColumn:
    """An identifier's column for some records, as pseudonyms; labels are in their own order, not in that of values."""
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
