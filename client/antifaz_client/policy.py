"""Policies, built step by step. Every step returns a new policy; `to_dict` returns the document to send.

TablePolicy(k=5).identifier("name").quasi("age", "zip", "sex").sensitive("disease", l=2)
"""

import copy
import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self


class _Policy:
    kind: str

    def __init__(self) -> None:
        self._document: dict[str, Any] = {"kind": self.kind, "guarantees": [], "method": {}}

    def attribute(self, name: str, role: str, **settings: Any) -> Self:
        """A column (in graphs, a node attribute) with its role and further settings."""
        return self._with("attributes", {**self._document.get("attributes", {}), name: {"role": role, **settings}})

    def identifier(self, *names: str, **settings: Any) -> Self:
        """Columns that identify a person; they are never released."""
        return self._attributes("identifier", names, settings)

    def quasi(self, *names: str, **settings: Any) -> Self:
        """Columns that an attacker may know: `type`, `recoding`, `hierarchy`, `missing`."""
        return self._attributes("quasi_identifier", names, settings)

    def insensitive(self, *names: str, **settings: Any) -> Self:
        """Columns that are released unchanged."""
        return self._attributes("insensitive", names, settings)

    def guarantee(self, model: str, **parameters: Any) -> Self:
        """Add a guarantee."""
        return self._with("guarantees", [*self._document["guarantees"], {"model": model, **parameters}])

    def method(self, name: str, **parameters: Any) -> Self:
        """The method that protects the data."""
        return self._with("method", {"name": name, **parameters})

    def gate(self, **limits: float) -> Self:
        """Limits beyond which a release is refused even if its guarantees hold, such as `max_suppressed=0.05`."""
        return self._with("gate", {**self._document.get("gate", {}), **limits})

    def waive(self, rule: str, reason: str, **more: Any) -> Self:
        """Accept by name something that is refused by default; it appears in the public report."""
        return self._with("waivers", [*self._document.get("waivers", ()), {"rule": rule, "reason": reason, **more}])

    def formats(self, *names: str) -> Self:
        """The formats of the release."""
        return self._with("formats", list(names))

    def report(self, **parts: Any) -> Self:
        """The measures and attacks to run: `utility=["ncp"]`, `attacks=["record_linkage"]`."""
        return self._with("report", {**self._document.get("report", {}), **parts})

    def set(self, **members: Any) -> Self:
        """Any other member of the policy."""
        changed = self
        for name, value in members.items():
            changed = changed._with(name, value)
        return changed

    def to_dict(self) -> dict[str, Any]:
        """The policy as a document to send."""
        return copy.deepcopy(self._document)

    def _attributes(self, role: str, names: tuple[str, ...], settings: Mapping[str, Any]) -> Self:
        changed = self
        for name in names:
            changed = changed.attribute(name, role, **settings)
        return changed

    def _with(self, name: str, value: Any) -> Self:
        changed = copy.copy(self)
        changed._document = {**self._document, name: value}  # noqa: SLF001 - a copy of this object
        return changed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Policy) and other._document == self._document

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({json.dumps(self._document)})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(json.dumps(self._document, indent=2, ensure_ascii=False))}</pre>"


class TablePolicy(_Policy):
    """A policy for a table; with `k`, k-anonymity by Mondrian."""

    kind = "table"

    def __init__(self, k: int | None = None) -> None:
        super().__init__()
        self._document |= {"attributes": {}, "method": {"name": "mondrian"}}
        if k is not None:
            self._document["guarantees"] = [{"model": "k_anonymity", "k": k}]

    def sensitive(
        self,
        *names: str,
        l: int | None = None,  # noqa: E741 - the letter of the literature
        t: float | None = None,
        distance: str = "equal",
        **settings: Any,
    ) -> Self:
        """Columns to be protected from inference: `l` distinct values in each class, or closeness `t` by a distance."""
        changed = self._attributes("sensitive", names, settings)
        for name in names:
            if l is not None:
                changed = changed.guarantee("l_diversity", variant="distinct", l=l, attribute=name)
            if t is not None:
                changed = changed.guarantee("t_closeness", t=t, distance=distance, attribute=name)
        return changed

    def unit(self, column: str) -> Self:
        """The column that identifies people: k then counts people instead of rows."""
        return self._with("privacy_unit", column)


class GraphPolicy(_Policy):
    """A policy for a graph; with `k`, every node shares its degree with k - 1 others."""

    kind = "graph"
    _model, _method = "k_degree_anonymity", "k_degree"

    def __init__(self, k: int | None = None) -> None:
        super().__init__()
        if k is not None:
            self._document |= {"guarantees": [{"model": self._model, "k": k}], "method": {"name": self._method}}

    def sensitive(self, *names: str, **settings: Any) -> Self:
        """Attributes of nodes to be protected from inference."""
        return self._attributes("sensitive", names, settings)


class TemporalPolicy(GraphPolicy):
    """A policy for a temporal graph; with `k`, every degree in a snapshot is shared by k nodes."""

    kind = "temporal_graph"
    _model, _method = "temporal_k_degree_anonymity", "temporal_k_degree"


PolicyLike = Mapping[str, Any] | _Policy | Path | str


def policy_document(policy: PolicyLike) -> dict[str, Any]:
    """The document of a policy: from a builder, a mapping, or a JSON file (comments are allowed)."""
    if isinstance(policy, _Policy):
        return policy.to_dict()
    if isinstance(policy, Mapping):
        return dict(policy)
    read = read_json(Path(policy).read_text(encoding="utf-8-sig"))
    if not isinstance(read, dict):
        raise ValueError(f"{policy} is not a policy: it is not a JSON object")
    return read


def read_json(text: str) -> Any:
    """Read JSON that may have `//` comments and a comma before a closing bracket."""
    return json.loads(_without_comments(text), object_pairs_hook=_once)


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object with unique names: of two columns with the same name, the first would silently lose its role."""
    read = dict(members)
    if len(read) < len(members):
        raise ValueError("an object has the same name twice")
    return read


def _without_comments(text: str) -> str:
    kept: list[str] = []
    position, in_text = 0, False
    while position < len(text):
        mark = text[position]
        if in_text:
            step = 2 if mark == "\\" else 1
            kept.append(text[position : position + step])
            in_text = mark != '"'
            position += step
        elif text.startswith("//", position):
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        else:
            if mark in "]}":
                _drop_comma(kept)
            kept.append(mark)
            in_text = mark == '"'
            position += 1
    return "".join(kept)


def _drop_comma(kept: list[str]) -> None:
    place = len(kept) - 1
    while place >= 0 and kept[place].isspace():
        place -= 1
    if place >= 0 and kept[place] == ",":
        del kept[place]
