"""G1 from within: a method with a bug, or with bad intentions, gets nothing past the verifier."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role
from tests.gate import vault
from tests.system.conftest import Stack
from tests.system.samples import friends, graph_policy, patients, table_policy
from workers.run.context import Context


def with_one_row_elsewhere(table: ProtectedTable) -> ProtectedTable:
    """One record has a unique value."""
    return _changed(table, Role.QUASI_IDENTIFIER, lambda labels: np.append(labels, "elsewhere"))


def _changed(table: ProtectedTable, role: Role, relabel: Callable[[Any], Any]) -> ProtectedTable:
    position = next(n for n, column in enumerate(table.columns) if column.role is role)
    column = table.columns[position]
    codes, labels = column.codes.copy(), relabel(column.labels)
    codes[0] = len(labels) - 1
    columns = list(table.columns)
    columns[position] = replace(column, codes=codes, labels=labels)
    return replace(table, columns=tuple(columns))


def with_labels_of_its_own(table: ProtectedTable) -> ProtectedTable:
    """Every record has a unique value, and the loss is unknown."""
    names = np.array([f"label {number}" for number in range(len(table.records))], dtype=object)
    own = np.arange(len(table.records), dtype=np.int32)
    columns = tuple(
        replace(column, codes=own, labels=names) if column.role is Role.QUASI_IDENTIFIER else column
        for column in table.columns
    )
    return replace(table, columns=columns)


def with_one_illness_per_class(table: ProtectedTable) -> ProtectedTable:
    """Every record has the same illness."""
    columns = tuple(
        replace(column, codes=np.zeros_like(column.codes)) if column.role is Role.SENSITIVE else column
        for column in table.columns
    )
    return replace(table, columns=columns)


def with_an_unnamed_column(table: ProtectedTable) -> ProtectedTable:
    """A column that is not in the policy."""
    first = table.columns[0]
    extra = ReleasedColumn(
        "extra", first.source, Role.INSENSITIVE, first.type, first.codes, first.labels, "as in the original"
    )
    return replace(table, columns=(*table.columns, extra))


def without_records(table: ProtectedTable) -> ProtectedTable:
    """Nothing is left, which would satisfy every class."""
    columns = tuple(replace(column, codes=column.codes[:0]) for column in table.columns)
    return replace(table, columns=columns, records=table.records[:0])


LIES: dict[str, tuple[Callable[[ProtectedTable], ProtectedTable], str]] = {
    "a row alone in its class": (with_one_row_elsewhere, "guarantee:k_anonymity"),
    "labels that are invented": (with_labels_of_its_own, "guarantee:k_anonymity"),
    "classes with one sensitive value": (with_one_illness_per_class, "guarantee:l_diversity"),
    "a column that the policy does not know": (with_an_unnamed_column, "release_form"),
    "no row at all": (without_records, "guarantee:k_anonymity"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_table_that_breaks_its_promise_is_refused(
    stack: Stack, context: Context, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    falsify, rule = LIES[lie]
    honest = Mondrian.apply
    monkeypatch.setattr(Mondrian, "apply", lambda *given: falsify(honest(*given)))
    job = vault.run_here(stack, context, patients(60), table_policy(3))
    assert job["status"] == "refused", job
    assert vault.releases_of(stack, job["id"]) == 0
    assert rule in [reason["rule"] for reason in job["refusal"]["reasons"]]
    with stack.client("auditor") as auditor:
        report = auditor.get(f"/v1/jobs/{job['id']}/report").json()
    assert report["artifacts"] == []
    assert report["utility"] == {}
    with stack.client("consumer") as consumer:
        listed = consumer.get("/v1/releases", params={"limit": 100}).json()["items"]
    assert job["id"] not in [release["job_id"] for release in listed]


def test_a_graph_that_breaks_its_promise_is_refused(
    stack: Stack, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = KDegree.apply

    def falsified(*given: Any) -> ProtectedGraph:
        """The hub of a star, among otherwise equal nodes."""
        made: ProtectedGraph = honest(*given)
        graph = made.graph
        sources = np.concatenate([graph.sources, np.zeros(graph.n - 1, dtype=np.int64)])
        targets = np.concatenate([graph.targets, np.arange(1, graph.n)])
        return replace(made, graph=Graph.from_pairs(graph.n, sources, targets, directed=False))

    monkeypatch.setattr(KDegree, "apply", falsified)
    job = vault.run_here(stack, context, friends(), graph_policy(), file_name="f.edges")
    assert job["status"] == "refused"
    assert "guarantee:k_degree_anonymity" in [reason["rule"] for reason in job["refusal"]["reasons"]]
    assert vault.releases_of(stack, job["id"]) == 0


def test_an_honest_method_is_released_by_the_same_worker(stack: Stack, context: Context) -> None:
    assert vault.run_here(stack, context, patients(60), table_policy(3))["status"] == "released"
