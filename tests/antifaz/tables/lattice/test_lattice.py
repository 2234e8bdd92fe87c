"""Lattice: every node is decided as by exhaustive search."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.tables.classes.rules import state_conditions
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.lattice import lattice as lattices
from antifaz.tables.lattice.full_domain import Tuples, domains_of
from antifaz.tables.lattice.lattice import Lattice, Looker, predecessors


def looker_of(table, guarantees, allowed):
    domains = domains_of(table, "test")
    prices = [domain.losses for domain in domains]
    return Looker(domains, Tuples.of(table, domains), state_conditions(table, guarantees), allowed, prices)


def lattice_of(looker):
    return Lattice.of(looker, [np.arange(domain.top + 1.0) for domain in looker.domains])


rows = st.lists(
    st.tuples(st.sampled_from(["11", "12", "25", ""]), st.sampled_from(["ab", "ac", "b"]), st.sampled_from("xy")),
    min_size=3,
    max_size=30,
)


@settings(deadline=None, max_examples=40)
@given(rows, st.integers(2, 4), st.integers(0, 5), st.booleans())
def test_monotone_conditions_are_settled_as_by_looking_everywhere(table_of, cells, k, allowed, diverse):
    table = table_of(dict(zip("abs", zip(*cells, strict=True), strict=True)), {"s": "sensitive"}, a={"type": "integer"})
    guarantees = [KAnonymity(k=k)] + ([LDiversity(l=2, attribute="s")] if diverse else [])
    lattice = lattice_of(looker_of(table, guarantees, allowed))
    fresh = looker_of(table, guarantees, allowed)
    assert lattice.looker.monotone
    for node in itertools.product(*(range(size) for size in lattice.shape)):
        assert lattice.decide(node) == fresh.look(node).satisfied
    assert lattice.looker.looks <= fresh.looks


def test_shares_of_values_with_suppression_are_not_monotone(table_of):
    table = table_of({"a": ["1", "2"], "s": ["x", "y"]}, {"s": "sensitive"})
    even = LDiversity(variant="entropy", l=2, attribute="s")
    assert not looker_of(table, [even], 1).monotone
    assert looker_of(table, [even], 0).monotone
    assert looker_of(table, [KAnonymity(k=2)], 1).monotone


@pytest.mark.parametrize("kept", [1, 400])
def test_roll_up_changes_nothing(table_of, monkeypatch, kept):
    monkeypatch.setattr(lattices, "MOST_TABLES", kept)
    table = table_of({"a": ["11", "12", "25", "38"], "b": ["ab", "ac", "bd", "bd"]})
    looker = looker_of(table, [KAnonymity(k=2)], 0)
    looks = {node: looker.look(node) for node in itertools.product(range(3), range(3))}
    assert looks[0, 0].suppressed == 4
    assert looks[2, 1].suppressed == 0
    assert looks[1, 1] == looker.look((1, 1))
    assert looks[2, 2].loss == pytest.approx(8.0)


def test_a_suppressed_record_loses_everything(table_of):
    looker = looker_of(table_of({"a": ["11", "11", "25"], "b": ["x", "x", "x"]}), [KAnonymity(k=2)], 1)
    look = looker.look((0, 0))
    assert look.satisfied
    assert (look.suppressed, look.loss) == (1, 2.0)


def test_predecessors_are_one_level_lower():
    assert predecessors((0, 2, 1)) == [(0, 1, 1), (0, 2, 0)]


def test_rolled_up_tables_are_kept_up_to_a_number_of_cells(table_of, monkeypatch):
    table = table_of({"a": ["11", "12", "25", "38"], "b": ["ab", "ac", "bd", "bd"]})
    looker = looker_of(table, [KAnonymity(k=2)], 0)
    first = sum(tuples.codes.size for tuples, _ in looker._tables)
    monkeypatch.setattr(lattices, "MOST_CELLS", 2 * first)
    for node in itertools.product(range(3), range(3)):
        looker.look(node)
    kept = [tuples.codes.size for tuples, _ in looker._tables]
    assert len(kept) > 1
    assert sum(kept) <= 2 * first
