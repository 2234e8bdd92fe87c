"""Every available public data set, in the tests' own folder or next to the checkout, can be read."""

from collections.abc import Iterator

import pytest

from formats.graphs.nodes import merge_nodes
from formats.reading import read_graph, read_table
from tests.datasets import data_file, find_data

TABLES = [
    ("tables/adult/adult.csv.gz", ";", 30162, 9),
    ("tables/adult/adult_subset.csv", ";", 3016, 9),
    ("tables/creditcard_int/creditcard_int.csv", ";", 30000, 24),
    ("tables/sdcmicro/testdata.csv", ",", 4580, 15),
    ("tables/sdcmicro/free1.csv", ",", 4000, 34),
    ("tables/sdcmicro/CASCrefmicrodata.csv", ",", 1080, 13),
    ("tables/sdcmicro/francdat.csv", ",", 8, 8),
]
GRAPHS = [
    ("graphs/karate/karate.gml", "gml", 34, 78),
    ("graphs/karate/karate.net", "pajek", 34, 78),
    ("graphs/jazz/jazz.net", "pajek", 198, 2742),
    ("graphs/football/football.gml", "gml", 115, 613),
    ("graphs/dolphins/dolphins.gml", "gml", 62, 159),
    ("graphs/lesmis/lesmis.gml", "gml", 77, 254),
    ("graphs/polblogs/polblogs.gml", "gml", 1490, 19022),
    ("graphs/ca-GrQc/CA-GrQc.txt", "edgelist", 5242, 14484),
    ("graphs/ca-HepTh/CA-HepTh.txt", "edgelist", 9877, 25973),
    ("graphs/ego-facebook/facebook_combined.txt", "edgelist", 4039, 88234),
    ("graphs/email-enron-large/Email-Enron.txt", "edgelist", 36692, 183831),
    ("graphs/cora/cora.cites", "edgelist", 2708, 5278),
    ("graphs/collegemsg/CollegeMsg.txt", "edgelist", 1899, 13838),
    ("graphs/ia-enron-employees/ia-enron-employees.edges", "edgelist", 151, 1526),
    ("graphs/insecta-ant-colony5/insecta-ant-colony5.edges", "edgelist", 152, 11363),
    ("graphs/mammalia-voles-rob/mammalia-voles-rob-trapping.edges", "edgelist", 1480, 3935),
    ("graphs/aves-sparrow/aves-sparrow-social.edges", "edgelist", 52, 454),
]


def pieces(path: str) -> Iterator[bytes]:
    content = data_file(path).read_bytes()
    return (content[start : start + (1 << 20)] for start in range(0, len(content), 1 << 20))


@pytest.mark.parametrize(("path", "delimiter", "rows", "columns"), [case for case in TABLES if find_data(case[0])])
def test_reads_the_table(path, delimiter, rows, columns, limits):
    table = read_table(pieces(path), "csv", {"delimiter": delimiter, "encoding": "utf-8"}, limits)
    assert (table.n, len(table.names)) == (rows, columns)


@pytest.mark.parametrize(("path", "format_", "nodes", "edges"), [case for case in GRAPHS if find_data(case[0])])
def test_reads_the_graph(path, format_, nodes, edges, limits):
    graph = read_graph(pieces(path), format_, {}, None, False, limits)
    assert (graph.n, len(graph.sources)) == (nodes, edges)


def test_joins_the_nodes_of_cora(limits):
    edges = read_graph(
        pieces("graphs/cora/cora_planetoid_edges.csv"), "edgelist", {"header": True}, None, False, limits
    )
    graph = merge_nodes(edges, read_table(pieces("graphs/cora/cora_planetoid_nodes.csv"), "csv", {}, limits))
    assert (graph.n, len(graph.sources), graph.node_columns.names) == (2708, 5278, ["label", "words"])
    assert len(graph.node_columns.columns[0].values) == 7
