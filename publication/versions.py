"""Versions: the same people in several versions of a table, identified by keyed marks and never by name.

A version that supersedes another has other records, often of the same people. If both policies name the same privacy
unit, the sealed map of every release has the person and the sensitive values of each record, both as marks: 64 bits of
a digest under a key that all releases of the lineage share. The key is drawn with the first such release and stored in
the sealed maps only, so it is gone once the last of them is shredded. Two persons, or values, are the same if their
texts fold to one (see `verifier.verdict.folding`). Two different ones have the same mark with a probability of 2^-64,
which can only lead to counting too few people.
"""

import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import typed
from antifaz.policy.model import Policy
from antifaz.tables.table import Column, Role
from publication.promises import PLAIN, unpack_promise
from verifier.joint.joint import EarlierRelease
from verifier.joint.versions import UNTOLD, Version
from verifier.verdict.folding import folded
from verifier.verdict.notations import merged_codes

SealedMap = Mapping[str, NDArray[Any]]

_KEY_BYTES = 32
_MARK_BYTES = 8


@dataclass(frozen=True)
class Marks:
    """Marks of every record of a dataset."""

    key: bytes
    unit: str
    """The column that identifies the person of a record."""
    persons: NDArray[np.int64]
    sensitive: dict[str, NDArray[np.int64]]

    @property
    def nobody(self) -> int:
        """The mark of records without a person."""
        return _mark(self.key, self.unit, "")

    def of_records(self, records: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The arrays that the sealed map of a release has for some records."""
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
    """The columns whose values are stored as marks: the sensitive ones, and other released columns that a guarantee of
    another release of the lineage is about."""
    among = set(promised)
    return [
        name
        for name, attribute in policy.attributes.items()
        if attribute.role is Role.SENSITIVE or (attribute.role in PLAIN and name in among)
    ]


def marks_of(
    dataset: Dataset, policy: Policy, maps: Iterable[SealedMap | None], promised: Iterable[str] = ()
) -> Marks | None:
    """The marks of a dataset's records under the key of its lineage, if the policy names a privacy unit."""
    unit = policy.unit()
    if unit is None:
        return None
    keys = (known["key"].tobytes() for known in maps if known is not None and "key" in known)
    key = next(keys, None) or secrets.token_bytes(_KEY_BYTES)
    persons = _marks(key, typed(dataset, policy, unit), folded)
    sensitive = {}
    for name in marked(policy, promised):
        column = typed(dataset, policy, name)
        sensitive[name] = _marks(key, column, _one_form(column.values.tolist()).__getitem__)
    return Marks(key, unit, persons, sensitive)


def speaks_of_people(known: SealedMap, policy: Policy) -> bool:
    """Whether a release of another version identifies people by the same column as this policy, so it can be joined."""
    unit = policy.unit()
    return unit is not None and "unit" in known and str(known["unit"]) == unit


def marks_all(known: SealedMap, shown: Iterable[str], marked: Iterable[str]) -> bool:
    """Whether every column that a release shows has marks, in its own map or in ``marked``."""
    own = known["attributes"].tolist() if "attributes" in known else []
    return set(shown) <= {*own, *marked}


def version_of(maps: Sequence[SealedMap]) -> Version:
    """A version, reconstructed from the sealed maps of its releases, as far as these show its records."""
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
    """The version of the newest release: all its records have marks; for columns that only an earlier release shows,
    the marks come from that release's map."""
    known = version_of([each for each in maps if "unit" in each])
    persons, n = marks.persons, len(marks.persons)
    older = {
        name: np.concatenate([values, np.full(n - len(values), UNTOLD, dtype=np.int64)])
        for name, values in known.sensitive.items()
    }
    return Version([earlier_release(each) for each in maps], persons, older | marks.sensitive)


def earlier_release(known: SealedMap) -> EarlierRelease:
    """The verifier's view of a release, from its sealed map."""
    changed = frozenset(unpack_promise(known["promise"])["changed"])
    return EarlierRelease(known["records"], known["classes"], changed)


def _marks(key: bytes, column: Column, form: Callable[[str], str]) -> NDArray[np.int64]:
    """For every record, the mark of its value, by the form in which values are compared."""
    marks = np.array([_mark(key, column.name, form(text)) for text in column.values.tolist()], dtype=np.int64)
    return marks[column.codes]


def _one_form(texts: Sequence[str]) -> dict[str, str]:
    """For every text of a column, one folded form for all that may be notations of the same value: the first."""
    first: dict[int, str] = {}
    values = merged_codes(texts).tolist()
    for value, form in sorted(zip(values, map(folded, texts), strict=True)):
        first.setdefault(value, form)
    return {text: first[value] for text, value in zip(texts, values, strict=True)}


def _mark(key: bytes, column: str, text: str) -> int:
    name = column.encode()
    digest = hmac.digest(key, len(name).to_bytes(4) + name + text.encode(), "sha256")
    return int.from_bytes(digest[:_MARK_BYTES], signed=True)
