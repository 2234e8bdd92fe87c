"""k-candidate anonymity on the published example of vertex refinement, and in both directions."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.k_candidate_anonymity import KCandidateAnonymity

ALICE, BOB, CAROL, DAVE, ED, FRED, GREG, HARRY = range(8)
PUBLISHED = [(ALICE, BOB), (CAROL, BOB), (BOB, DAVE), (BOB, ED), (DAVE, ED), (DAVE, FRED), (DAVE, GREG), (ED, GREG)]
PUBLISHED += [(ED, HARRY), (FRED, GREG), (HARRY, GREG)]


def graph_of(n: int, pairs: list[tuple[int, int]], directed: bool = False) -> Graph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(n, ends[:, 0], ends[:, 1], directed)


def test_in_the_published_example_degrees_leave_two_candidates_and_neighbors_degrees_one():
    graph = graph_of(8, PUBLISHED)
    assert graph.degrees.tolist() == [1, 4, 1, 4, 4, 2, 4, 2]
    assert KCandidateAnonymity(k=2, query="H1").holds(graph)
    assert not KCandidateAnonymity(k=3, query="H1").holds(graph)
    assert not KCandidateAnonymity(k=2, query="H2").holds(graph)  # Bob and Greg stand alone


def test_the_circle_gives_one_answer_whatever_is_asked():
    circle = graph_of(7, [(v, (v + 1) % 7) for v in range(7)])
    for query in ("H1", "H2", "H3", "H4"):
        assert KCandidateAnonymity(k=7, query=query).holds(circle)


def test_a_deeper_query_sees_the_ends_of_a_path():
    path = graph_of(8, [(v, v + 1) for v in range(7)])
    assert KCandidateAnonymity(k=2, query="H1").holds(path)
    for query in ("H2", "H3", "H4"):
        assert KCandidateAnonymity(k=2, query=query).holds(path)
    assert not KCandidateAnonymity(k=3, query="H1").holds(path)


def test_direction_counts():
    star = [(0, 1), (0, 2), (3, 0)]
    assert not KCandidateAnonymity(k=2, query="H1").holds(graph_of(4, star, directed=True))
    circle = graph_of(4, [(0, 1), (1, 2), (2, 3), (3, 0)], directed=True)
    assert KCandidateAnonymity(k=4, query="H4").holds(circle)
    # Both degrees are (1, 1), but one of the two nodes between source and sink is pointed at by the source.
    path = graph_of(4, [(0, 1), (1, 2), (2, 3)], directed=True)
    assert not KCandidateAnonymity(k=2, query="H2").holds(path)


def test_a_graph_with_fewer_than_k_nodes_is_not_admitted_and_must_go():
    with pytest.raises(InvalidDataset) as refusal:
        KCandidateAnonymity(k=4, query="H1").admit(graph_of(3, [(0, 1)]))
    assert refusal.value.shred
    KCandidateAnonymity(k=3, query="H1").admit(graph_of(3, [(0, 1)]))
    assert KCandidateAnonymity(k=2, query="H2").holds(graph_of(0, []))


@pytest.mark.parametrize("asked", [{"k": 1, "query": "H1"}, {"k": 2, "query": "H5"}, {"k": 2}])
def test_other_queries_and_smaller_k_are_no_guarantee(asked):
    with pytest.raises(ValidationError):
        KCandidateAnonymity.model_validate(asked)
