"""Adjacency lists and matrices are refused by name; edge lists that resemble them are read."""

import io

import networkx as nx
import numpy as np
import pytest

from formats.core.faults import Fault
from formats.sniffing import sniff
from tests.formats.limits import limits_of

LIMITS = limits_of()
CLUB = nx.karate_club_graph()


def look(content: str | bytes, complete: bool = True) -> str:
    raw = content if isinstance(content, bytes) else content.encode()
    return sniff("graph", {}, None, raw, complete, LIMITS).format


def rule_of(content: str | bytes, complete: bool = True) -> str:
    with pytest.raises(Fault) as caught:
        look(content, complete)
    assert "one edge per line" in caught.value.detail
    return caught.value.rule


def test_a_multi_line_adjacency_list_is_refused() -> None:
    written = io.BytesIO()
    nx.write_multiline_adjlist(CLUB, written)
    assert rule_of(written.getvalue()) == "adjacency_list"


@pytest.mark.parametrize("mark", [" ", ",", "\t"])
def test_a_matrix_of_zeros_and_ones_is_refused(mark: str) -> None:
    matrix = nx.to_numpy_array(CLUB, weight=None).astype(int)
    lines = "\n".join(mark.join(map(str, row)) for row in matrix.tolist())
    assert rule_of(lines) == "adjacency_matrix"
    # Also if only its first rows are seen.
    assert rule_of("\n".join(lines.split("\n")[:9]), complete=False) == "adjacency_matrix"


def test_a_matrix_of_weights_is_refused() -> None:
    matrix = nx.to_numpy_array(CLUB)
    assert rule_of("\n".join(" ".join(map(str, row)) for row in matrix.tolist())) == "adjacency_matrix"


def test_a_matrix_with_names_is_refused() -> None:
    assert rule_of(",ana,bea,carl\nana,0,2,1\nbea,5,0,1\ncarl,1,1,0\n") == "adjacency_matrix"


@pytest.mark.parametrize(
    "content",
    [
        "1 2 3\n2 3 4\n3 4 5\n",
        "1 2 5\n2 3 6\n3 1 7\n",
        "0 1\n1 0\n",
        "a,b,1\nb,c,0\nc,a,1\n",
        "source,target,weight\na,b,1\nb,c,2\n",
        "a b {}\nb c {'weight': 3}\n",
        "x,y,z\ny,x,w\nz,v,u\n",
    ],
)
def test_edges_with_weights_are_still_edges(content: str) -> None:
    assert look(content) == "edgelist"


def test_random_lists_of_weighted_edges_are_never_taken_for_matrices() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        ends = np.array([rng.choice(9, 2, replace=False) for _ in range(3)])
        rows = np.column_stack([ends, rng.integers(2, 9, 3)])
        assert look("\n".join(" ".join(map(str, row)) for row in rows.tolist())) == "edgelist"
