"""Advice: the service's proposals for a dataset."""

from collections.abc import Iterator, Mapping
from typing import Any

from antifaz_client import display


class Advice(Mapping[str, Any]):
    """The service's proposals for a dataset: a policy, and a role with a reason for each column."""

    def __init__(self, content: Mapping[str, Any], dataset_id: str) -> None:
        self.document = dict(content)
        self.dataset_id = dataset_id

    @property
    def policy(self) -> dict[str, Any]:
        """A policy that can be run unchanged."""
        return dict(self.document["policy"])

    def __getitem__(self, name: str) -> Any:
        return self.document[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.document)

    def __len__(self) -> int:
        return len(self.document)

    def _repr_html_(self) -> str:
        rows = ((each["name"], each.get("role"), each.get("reason")) for each in self.document["columns"])
        return display.titled("Advice", display.table(("column", "role", "reason"), rows))
