"""Attacks on graphs, on a snapshot or the aggregate."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz import catalogue
from antifaz.graphs.graph import ProtectedGraph
from antifaz.temporal.attacks.static import Static
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import changed, random_snapshots

SNAPSHOTS = random_snapshots(40, 4, 60)
RELEASED = changed(SNAPSHOTS, 0.2)


def attempt(**parameters):
    return Static(**parameters).attempt(SNAPSHOTS, RELEASED, np.random.default_rng(0), unwatched)


@pytest.mark.parametrize("name", [part.wire_name() for part in catalogue.parts("attacks", "graph")])
def test_every_attack_on_graphs_can_be_made(name):
    found = attempt(attack={"name": name})
    assert {"rate", "baseline"} <= set(found)
    assert (found["attack"], found["on"]) == (name, "aggregate")


@pytest.mark.parametrize("on", ["aggregate", 2])
def test_it_is_the_attack_on_that_graph_alone(on):
    original = SNAPSHOTS.aggregate if on == "aggregate" else SNAPSHOTS.graph(on)
    shown = RELEASED.snapshots.aggregate if on == "aggregate" else RELEASED.snapshots.graph(on)
    attack = catalogue.part("attacks", "graph", "degree")()
    alone = attack.attempt(original, ProtectedGraph(shown, RELEASED.origin), np.random.default_rng(0), unwatched)
    assert attempt(attack={"name": "degree"}, on=on) == alone | {"attack": "degree", "on": on}


def test_the_default_is_vertex_refinement_on_the_aggregate():
    assert attempt()["attack"] == "vertex_refinement"
    assert Static.model_validate_json('{"name": "static"}') == Static()


def test_a_snapshot_that_is_not_there_is_not_attacked():
    found = attempt(on=4)
    assert (found["rate"], found["applicable"]) == (None, False)


@pytest.mark.parametrize("wrong", [{"attack": {"name": "static"}}, {"attack": "degree"}, {"on": -1}, {"on": "all"}])
def test_what_is_no_attack_on_graphs_is_refused(wrong):
    with pytest.raises(ValidationError):
        Static(**wrong)
