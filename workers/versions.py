"""Versions: the same people in several versions of a table, told by keyed marks and never by name.

A version that supersedes another has other records, often of the same people. Where both policies name the same privacy
unit, every release keeps in its sealed map whose each record is and what its sensitive values are, both as marks: 64
bits of a digest under a key that all releases of the lineage share. The key is drawn with the first such release and
lives in the sealed maps alone, so it is gone once the last of them is shredded. Persons are the same where the text of
the unit is the same; of two different texts one in 2^64 has the same mark, which can only count too few people.
"""

import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.policy import Policy, TablePolicy
from antifaz.protect import Dataset, typed
from antifaz.tables.table import Column, Role
from verifier.joint import UNTOLD, EarlierRelease, Version

SealedMap = Mapping[str, NDArray[Any]]

_KEY_BYTES = 32
_MARK_BYTES = 8


@dataclass(frozen=True)
class Marks:
    """Marks of every record of a dataset."""

    key: bytes
    unit: str
    """The column that says whose a record is."""
    persons: NDArray[np.int64]
    sensitive: dict[str, NDArray[np.int64]]

    @property
    def nobody(self) -> int:
        """The mark of whoever is not named."""
        return _mark(self.key, self.unit, "")

    def of_records(self, records: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """What the sealed map of a release keeps of some records."""
        return {
            "key": np.frombuffer(self.key, dtype=np.uint8),
            "unit": np.array(self.unit),
            "persons": self.persons[records],
            "attributes": np.array(list(self.sensitive), dtype=np.str_),
            "values": np.stack([marks[records] for marks in self.sensitive.values()])
            if self.sensitive
            else np.zeros((0, len(records)), dtype=np.int64),
        }


def marks_of(dataset: Dataset, policy: Policy, maps: Iterable[SealedMap | None]) -> Marks | None:
    """The marks of a dataset's records under the key of its lineage, where the policy names a privacy unit."""
    if not isinstance(policy, TablePolicy) or policy.privacy_unit is None:
        return None
    keys = (known["key"].tobytes() for known in maps if known is not None and "key" in known)
    key = next(keys, None) or secrets.token_bytes(_KEY_BYTES)
    persons = _marks(key, typed(dataset, policy, policy.privacy_unit))
    sensitive = {name: _marks(key, typed(dataset, policy, name)) for name in policy.having(Role.SENSITIVE)}
    return Marks(key, policy.privacy_unit, persons, sensitive)


def speaks_of_people(known: SealedMap, dictionary: Iterable[Mapping[str, Any]], policy: Policy) -> bool:
    """Whether a release of another version can be joined with one by this policy: both tell people by the same column,
    and of what is sensitive here the map tells all that the release shows."""
    unit = getattr(policy, "privacy_unit", None)
    if unit is None or "unit" not in known or str(known["unit"]) != unit:
        return False
    shown = {str(column["source"]) for column in dictionary}
    return shown & set(policy.having(Role.SENSITIVE)) <= {str(name) for name in known["attributes"]}


def version_of(maps: Sequence[SealedMap]) -> Version:
    """A version by the sealed maps of its releases, as far as these show its records."""
    records = 1 + max(int(known["records"].max(initial=-1)) for known in maps)
    persons = np.zeros(records, dtype=np.int64)
    sensitive: dict[str, NDArray[np.int64]] = {}
    for known in maps:
        persons[known["records"]] = known["persons"]
        for name, values in zip(known["attributes"].tolist(), known["values"], strict=True):
            told = sensitive.setdefault(name, np.full(records, UNTOLD, dtype=np.int64))
            told[known["records"]] = values
    return Version([EarlierRelease(known["records"], known["classes"]) for known in maps], persons, sensitive)


def _marks(key: bytes, column: Column) -> NDArray[np.int64]:
    """For every record the mark of its value; numbers by their size, however they are written."""
    texts = column.values.tolist()
    if column.numbers is not None:
        texts = [text and repr(number) for text, number in zip(texts, column.numbers.tolist(), strict=True)]
    marks = np.array([_mark(key, column.name, text) for text in texts], dtype=np.int64)
    return marks[column.codes]


def _mark(key: bytes, column: str, text: str) -> int:
    name = column.encode()
    digest = hmac.digest(key, len(name).to_bytes(4) + name + text.encode(), "sha256")
    return int.from_bytes(digest[:_MARK_BYTES], signed=True)
