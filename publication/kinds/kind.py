"""Publisher: how a kind of data is read, written, mapped and passed to the verifier."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple

from numpy.typing import NDArray

from antifaz.kinds.kind import CheckedT, DatasetT, PolicyT, ProtectedT
from antifaz.tables.table import ReleasedColumn, Role
from formats.core.limits import Limits
from formats.core.raw import RawColumn, RawTable
from publication.costs import Cost
from publication.digests import Digest
from publication.source import Source
from publication.versions import Marks

Rendered = Iterator[tuple[str, str, Iterable[bytes]]]
"""Format, part and content of every file of a release."""


class Reading(NamedTuple, Generic[DatasetT]):
    """A dataset as it was read."""

    dataset: DatasetT
    intake: dict[str, Any]
    """Counts of what was dropped on reading."""
    digest: Digest
    """Recognizes the same content in another file."""


class Publisher(ABC, Generic[DatasetT, PolicyT, CheckedT, ProtectedT]):
    """What publishing does to one kind of data."""

    joins: ClassVar[bool] = False
    """Whether releases are joined record by record, by their sealed maps."""

    @abstractmethod
    def read(self, source: Source, limits: Limits, policy: PolicyT | None) -> Reading[DatasetT]:
        """A dataset, as far as the policy needs it."""

    def refuse_large(self, policy: PolicyT, checked: CheckedT) -> None:
        """Refuse, before any work is done, data that the programs of a format could not open."""

    @abstractmethod
    def render(self, policy: PolicyT, protected: ProtectedT) -> Rendered:
        """The files of a release."""

    def described(self, policy: PolicyT, protected: ProtectedT) -> Sequence[ReleasedColumn]:
        """The columns that the data dictionary describes, with their labels as written in the release."""
        return protected.described

    def least_bytes(self, policy: PolicyT, protected: ProtectedT) -> int:
        """A lower bound on the size of the files, known before they are rendered."""
        return 0

    @abstractmethod
    def sealed_map(
        self,
        document: Mapping[str, Any],
        policy: PolicyT,
        checked: CheckedT,
        protected: ProtectedT,
        marks: Marks | None,
    ) -> dict[str, NDArray[Any]]:
        """The origin of every released record or node, for checks of later releases."""

    @abstractmethod
    def evidence(
        self, checked: CheckedT, protected: ProtectedT, policy: PolicyT, cost: Cost | None = None
    ) -> dict[str, Any]:
        """What the verifier needs in addition to the bytes and the policy; see `verifier.verify`."""

    @abstractmethod
    def adds_up(self, before: Mapping[str, str], now: Mapping[str, Role], models: tuple[set[str], set[str]]) -> bool:
        """Whether the joint loss of two releases by mechanism is the sum of their losses, given the roles of their
        columns and their guarantees."""


def columns_of(table: RawTable | None) -> tuple[RawColumn, ...]:
    """The columns of a file, or of a part of one that may be absent."""
    return () if table is None else tuple(table.columns)


def unnamed_of(table: RawTable | None) -> tuple[int, ...]:
    """The numbers of the columns that were left out of it."""
    return () if table is None else table.unnamed
