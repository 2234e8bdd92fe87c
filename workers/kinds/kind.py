"""Work: how a kind of data is read, written, mapped and shown to the verifier."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic
from uuid import UUID

from numpy.typing import NDArray

from antifaz.kinds.kind import CheckedT, DatasetT, PolicyT, ProtectedT
from antifaz.tables.table import ReleasedColumn, Role
from formats import Limits
from storage.datasets import DatasetRecord
from workers.report import Cost
from workers.versions import Marks

Blobs = Callable[[UUID], Iterator[bytes]]
"""The content of a stored original, decrypted piece by piece."""
Rendered = Iterator[tuple[str, str, Iterable[bytes]]]
"""Format, part and content of every file of a release."""


class Work(ABC, Generic[DatasetT, PolicyT, CheckedT, ProtectedT]):
    """What a worker does with one kind of data."""

    joins: ClassVar[bool] = False
    """Whether releases are joined record by record, by their sealed maps."""

    @abstractmethod
    def read(
        self, record: DatasetRecord, blobs: Blobs, limits: Limits, policy: PolicyT | None
    ) -> tuple[DatasetT, dict[str, Any]]:
        """A stored dataset, as far as the policy needs it, and what was noticed on the way."""

    @abstractmethod
    def render(self, policy: PolicyT, protected: ProtectedT) -> Rendered:
        """The files of a release."""

    def described(self, policy: PolicyT, protected: ProtectedT) -> Sequence[ReleasedColumn]:
        """The columns that the data dictionary describes, with their labels as they are written."""
        return protected.described

    def least_bytes(self, policy: PolicyT, protected: ProtectedT) -> int:
        """What the files take at the very least, as far as it is known before they are rendered."""
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
        """Where everything that is released came from, for checks of later releases."""

    @abstractmethod
    def evidence(
        self, checked: CheckedT, protected: ProtectedT, policy: PolicyT, cost: Cost | None = None
    ) -> dict[str, Any]:
        """What the verifier must know beside the bytes and the policy; see `verifier.verify`."""

    @abstractmethod
    def adds_up(self, before: Mapping[str, str], now: Mapping[str, Role], models: tuple[set[str], set[str]]) -> bool:
        """Whether what two releases by mechanism lose together is the sum, by the roles of their columns and by what
        each promises."""
