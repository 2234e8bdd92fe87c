import json

import networkx as nx
import pytest

from formats.reading import read_graph


def node_link(text: str | bytes, limits, directed=None):
    content = text if isinstance(text, bytes) else text.encode()
    return read_graph([content], "node-link", {}, directed, False, limits)


@pytest.mark.parametrize("key", ["edges", "links"])
def test_reads_nodes_attributes_and_edges(key, limits):
    document = {
        "directed": True,
        "nodes": [{"id": 1, "age": 30, "w": 1.5}, {"id": "b", "age": None, "ok": True}],
        key: [{"source": 1, "target": "b", "weight": 2}],
    }
    graph = node_link(json.dumps(document), limits)
    assert (list(graph.ids), graph.directed, len(graph.sources), graph.edge_attributes) == (["1", "b"], True, 1, 1)
    values = {
        n: list(c.values[c.codes]) for n, c in zip(graph.node_columns.names, graph.node_columns.columns, strict=True)
    }
    assert values == {"age": ["30", ""], "w": ["1.5", ""], "ok": ["", "true"]}


def test_reads_what_networkx_writes(limits):
    original = nx.les_miserables_graph()
    graph = node_link(json.dumps(nx.node_link_data(original)), limits)
    edges = {frozenset((graph.ids[u], graph.ids[v])) for u, v in zip(graph.sources, graph.targets, strict=True)}
    assert edges == {frozenset(edge) for edge in original.edges}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("[]", "malformed_json"),
        ('{"nodes": [], "edges": []}', "no_records"),
        ('{"nodes": [{"id": 1}]}', "malformed_json"),
        ('{"nodes": [1], "edges": []}', "malformed_json"),
        ('{"nodes": [{"id": 1}], "edges": [{"source": 1}]}', "malformed_json"),
        ('{"nodes": [{"id": 1, "a": ["cnry"]}], "edges": []}', "nested_value"),
        ('{"nodes": [{"id": 1, "a": NaN}], "edges": []}', "not_a_number"),
        ('{"nodes": [{"id": 1, "id": "cnry"}], "edges": []}', "duplicate_key"),
        ('{"nodes": [{"id": 1}, {"id": "1"}], "edges": []}', "duplicate_node"),
        ('{"nodes": [{"id": ""}], "edges": []}', "empty_id"),
        ('{"nodes": [{"id": 1, "node": 1}], "edges": []}', "reserved_column"),
        ('{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": "cnry"}]}', "unknown_node"),
        ('{"nodes": ' + "[" * 100_000, "json_depth"),
        ('{"nodes": ' + "[" * 40 + "]" * 40 + "}", "json_depth"),
        ('{"nodes"', "malformed_json"),
        (b'{"nodes": "\xff"}', "encoding"),
    ],
)
def test_refuses_what_is_not_strict_json_of_one_graph(text, rule, limits, refused):
    error = refused(node_link, text, limits)
    assert error.rule == rule
    assert "cnry" not in str(error)
