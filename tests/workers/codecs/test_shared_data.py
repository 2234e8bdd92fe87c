"""Every public data set that lies beside the checkout can be sniffed by the service's rules and read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.codecs import merge_nodes, read_graph, read_table

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the public data sets are not here")

TABLES = [
    ("tables/adult/adult.csv", ";", 30162, 9),
    ("tables/adult/adult_subset.csv", ";", 3016, 9),
    ("tables/creditcard_int/creditcard_int.csv", ";", 30000, 24),
    ("tables/sdcmicro/testdata.csv", ",", 4580, 15),
    ("tables/sdcmicro/free1.csv", ",", 4000, 34),
    ("tables/sdcmicro/CASCrefmicrodata.csv", ",", 1080, 13),
    ("tables/sdcmicro/francdat.csv", ",", 8, 8),
]
GRAPHS = [
    ("karate/karate.gml", "gml", 34, 78),
    ("karate/karate.net", "pajek", 34, 78),
    ("jazz/jazz.net", "pajek", 198, 2742),
    ("football/football.gml", "gml", 115, 613),
    ("dolphins/dolphins.gml", "gml", 62, 159),
    ("lesmis/lesmis.gml", "gml", 77, 254),
    ("polblogs/polblogs.gml", "gml", 1490, 19022),
    ("ca-GrQc/CA-GrQc.txt", "edgelist", 5242, 14484),
    ("ca-HepTh/CA-HepTh.txt", "edgelist", 9877, 25973),
    ("ego-facebook/facebook_combined.txt", "edgelist", 4039, 88234),
    ("email-enron-large/Email-Enron.txt", "edgelist", 36692, 183831),
    ("cora/cora.cites", "edgelist", 2708, 5278),
    ("collegemsg/CollegeMsg.txt", "edgelist", 1899, 13838),
    ("ia-enron-employees/ia-enron-employees.edges", "edgelist", 151, 1526),
    ("insecta-ant-colony5/insecta-ant-colony5.edges", "edgelist", 152, 11363),
    ("mammalia-voles-rob/mammalia-voles-rob-trapping.edges", "edgelist", 1480, 3935),
    ("aves-sparrow/aves-sparrow-social.edges", "edgelist", 52, 454),
]


def pieces(path: str) -> Iterator[bytes]:
    content = (DATA / path).read_bytes()
    return (content[start : start + (1 << 20)] for start in range(0, len(content), 1 << 20))


@pytest.mark.parametrize(("path", "delimiter", "rows", "columns"), TABLES)
def test_reads_the_table(path, delimiter, rows, columns, settings):
    table = read_table(pieces(path), "csv", {"delimiter": delimiter, "encoding": "utf-8"}, settings)
    assert (table.n, len(table.names)) == (rows, columns)


@pytest.mark.parametrize(("path", "format_", "nodes", "edges"), GRAPHS)
def test_reads_the_graph(path, format_, nodes, edges, settings):
    graph = read_graph(pieces(f"graphs/{path}"), format_, {}, None, False, settings)
    assert (graph.n, len(graph.sources)) == (nodes, edges)


def test_joins_the_nodes_of_cora(settings):
    edges = read_graph(
        pieces("graphs/cora/cora_planetoid_edges.csv"), "edgelist", {"header": True}, None, False, settings
    )
    graph = merge_nodes(edges, read_table(pieces("graphs/cora/cora_planetoid_nodes.csv"), "csv", {}, settings))
    assert (graph.n, len(graph.sources), graph.node_columns.names) == (2708, 5278, ["label", "words"])
    assert len(graph.node_columns.columns[0].values) == 7
