"""Versions: the same people in several versions of a table, known by keyed marks and never by name.

A version that supersedes another has other records, often of the same people. Where both policies name the same privacy
unit, every release keeps in its sealed map whose each record is and what its sensitive values are, both as marks: 64
bits of a digest under a key that all releases of the lineage share. The key is drawn with the first such release and
lives in the sealed maps alone, so it is gone once the last of them is shredded. Persons, and values, are the same where
their texts fold to one (see `verifier.folding`); of two different ones one in 2^64 has the same mark, which can only
count too few people.
"""

import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.policy import Policy
from antifaz.protection import Dataset, typed
from antifaz.tables.table import Column, Role
from verifier.folding import folded
from verifier.joint import EarlierRelease
from verifier.versions import UNTOLD, Version
from workers.promises import PLAIN, unpack_promise

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


def marked(policy: Policy, promised: Iterable[str]) -> list[str]:
    """The columns whose values are kept as marks: the sensitive ones, and whatever else is shown of those that another
    release of the lineage promises something about."""
    among = set(promised)
    return [
        name
        for name, attribute in policy.attributes.items()
        if attribute.role is Role.SENSITIVE or (attribute.role in PLAIN and name in among)
    ]


def marks_of(
    dataset: Dataset, policy: Policy, maps: Iterable[SealedMap | None], promised: Iterable[str] = ()
) -> Marks | None:
    """The marks of a dataset's records under the key of its lineage, where the policy names a privacy unit."""
    unit = policy.unit()
    if unit is None:
        return None
    keys = (known["key"].tobytes() for known in maps if known is not None and "key" in known)
    key = next(keys, None) or secrets.token_bytes(_KEY_BYTES)
    persons = _marks(key, typed(dataset, policy, unit))
    sensitive = {name: _marks(key, typed(dataset, policy, name)) for name in marked(policy, promised)}
    return Marks(key, unit, persons, sensitive)


def speaks_of_people(known: SealedMap, policy: Policy) -> bool:
    """Whether a release of another version tells people by the same column as this policy, so that it can be joined."""
    unit = policy.unit()
    return unit is not None and "unit" in known and str(known["unit"]) == unit


def marks_all(known: SealedMap, shown: Iterable[str], marked: Iterable[str]) -> bool:
    """Whether there are marks of every column that a release shows: its own, or others that will do."""
    own = known["attributes"].tolist() if "attributes" in known else []
    return set(shown) <= {*own, *marked}


def version_of(maps: Sequence[SealedMap]) -> Version:
    """A version by the sealed maps of its releases, as far as these show its records."""
    records = 1 + max(int(known["records"].max(initial=-1)) for known in maps)
    persons = np.zeros(records, dtype=np.int64)
    sensitive: dict[str, NDArray[np.int64]] = {}
    for known in maps:
        persons[known["records"]] = known["persons"]
        for name, values in zip(known["attributes"].tolist(), known["values"], strict=True):
            values_of = sensitive.setdefault(name, np.full(records, UNTOLD, dtype=np.int64))
            values_of[known["records"]] = values
    return Version([earlier_release(known) for known in maps], persons, sensitive)


def newest_version(maps: Sequence[SealedMap], marks: Marks) -> Version:
    """The version of the newest release: all of its records have marks, and of columns that only an earlier release
    shows its map has them."""
    known = version_of([each for each in maps if "unit" in each])
    persons, n = marks.persons, len(marks.persons)
    older = {
        name: np.concatenate([values, np.full(n - len(values), UNTOLD, dtype=np.int64)])
        for name, values in known.sensitive.items()
    }
    return Version([earlier_release(each) for each in maps], persons, older | marks.sensitive)


def earlier_release(known: SealedMap) -> EarlierRelease:
    """A release as the verifier takes it, by its sealed map."""
    changed = frozenset(unpack_promise(known["promise"])["changed"])
    return EarlierRelease(known["records"], known["classes"], changed)


def _marks(key: bytes, column: Column) -> NDArray[np.int64]:
    """For every record the mark of its value, however it is spelled."""
    marks = np.array([_mark(key, column.name, folded(text)) for text in column.values.tolist()], dtype=np.int64)
    return marks[column.codes]


def _mark(key: bytes, column: str, text: str) -> int:
    name = column.encode()
    digest = hmac.digest(key, len(name).to_bytes(4) + name + text.encode(), "sha256")
    return int.from_bytes(digest[:_MARK_BYTES], signed=True)
