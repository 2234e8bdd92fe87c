"""The verifier confirms, on the bytes, every guarantee that the engine enforces, also if a bound is met exactly."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.errors import Infeasible
from antifaz.hierarchies.levels import Levels
from antifaz.tables.guarantees.alpha_k import AlphaK
from antifaz.tables.guarantees.beta_likeness import BetaLikeness
from antifaz.tables.guarantees.delta_presence import DeltaPresence
from antifaz.tables.guarantees.k_map import KMap
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.labels.population import place_population
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.watch import unwatched
from formats.writing import render_table
from verifier import Artifact, verify

ROWS = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]]
METHODS = [Mondrian(), Mondrian(effort="fast"), Mondrian(cut="range"), Mondrian(cut="range", mode="relaxed")]
BOUNDS = [0.1, 0.2, 0.25, 0.3333333333333333, 0.5, 0.6, 0.75]


def bytes_hold(released, guarantee, sealed_map=None, **attributes):
    document = {
        "kind": "table",
        "attributes": {
            "age": {"role": "quasi_identifier"},
            "city": {"role": "quasi_identifier"},
            **attributes,
        },
        "guarantees": [guarantee.model_dump(mode="json")],
    }
    content = b"".join(render_table(released.columns, "csv"))
    return verify(document, [Artifact("csv", "table", content)], sealed_map)


def random_columns(rng, size):
    return {
        "age": [str(value) for value in rng.integers(0, 12, size)],
        "city": [f"c{value}" for value in rng.integers(0, 4, size)],
        "s": [str(value) for value in rng.choice(list("abcd"), size, p=[0.4, 0.3, 0.2, 0.1])],
    }


def random_guarantee(rng):
    bound = float(rng.choice(BOUNDS))
    distance = str(rng.choice(["equal", "ordered", "hierarchical"]))
    return [
        TCloseness(t=bound, distance=distance, attribute="s"),
        AlphaK(alpha=max(bound, 0.5), k=2, attribute="s"),
        BetaLikeness(beta=4 * bound, variant=str(rng.choice(["basic", "enhanced"])), attribute="s"),
    ][rng.integers(0, 3)]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_guarantees_about_sensitive_values(table_of, method):
    rng = np.random.default_rng(31)
    settings = {"s": {"role": "sensitive", "hierarchy": {"kind": "levels", "rows": ROWS}}}
    for _ in range(40):
        columns = random_columns(rng, int(rng.integers(4, 40)))
        table = table_of(columns, {"s": "sensitive"}, {"s": Levels(rows=ROWS)})
        guarantee = random_guarantee(rng)
        try:
            guarantee.admit(table)
        except Infeasible:
            continue
        verdict = bytes_hold(method.apply(table, [guarantee], rng, unwatched), guarantee, **settings)
        assert verdict.holds, (verdict.findings, columns, guarantee)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_guarantees_against_a_population(table_of, method):
    rng = np.random.default_rng(32)
    granted = 0
    for turn in range(30):
        people = {name: cells for name, cells in random_columns(rng, 60).items() if name != "s"}
        chosen = rng.choice(60, int(rng.integers(4, 20)), replace=False)
        table = table_of({name: [cells[place] for place in chosen] for name, cells in people.items()})
        columns, sealed = {}, {}
        for name, cells in people.items():
            values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
            columns[name] = (codes.astype(np.int32), values)
            type_ = "integer" if name == "age" else "text"
            sealed[name] = {"codes": codes.tolist(), "values": values.tolist(), "type": type_}
        table = replace(table, populations={"p": place_population(table, columns)})
        guarantee = KMap(k=5, population="p") if turn % 2 else DeltaPresence(maximum=0.7, population="p")
        guarantee.admit(table)
        try:
            released = method.apply(table, [guarantee], rng, unwatched)
        except Infeasible:
            assert turn % 2 == 0
            continue
        granted += 1
        verdict = bytes_hold(released, guarantee, {"populations": {"p": {"columns": sealed}}})
        assert verdict.holds, verdict.findings
    assert granted >= 15
