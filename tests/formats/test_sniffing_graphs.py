"""Sniffing of graph files."""

import json

import pytest

from tests.formats.sniffing_samples import look, problem

# graphs


@pytest.mark.parametrize(
    ("content", "delimiter", "header"),
    [
        ("source,target\na,b\n", ",", True),
        ("a,b\nb,c\n", ",", False),
        ("# c\n% c\n1\t2\n3\t4\n", "\t", False),
        ("1 2\n3  4\n", " ", False),
        ("FromNodeId\tToNodeId\n1\t2\n", "\t", True),
        ("person,friend\n1,2\n3,4\n", ",", True),
        ("Ana,Bob\nEve,Zoe\n", ",", False),
        ("a b {}\nc d {'x': 1, 'y': 2}\n", " ", False),
        ('"source","target"\n"a, x","b"\n', ",", True),
        ("a;b\nc;d\n", ";", False),
        ("a,b\r\nc,d\r\n", ",", False),
    ],
)
def test_finds_how_an_edge_list_is_written(content, delimiter, header):
    found = look(content, "graph")
    assert (found.details["delimiter"], found.details["header"], found.columns) == (delimiter, header, [])


def test_counts_the_columns_that_will_be_dropped():
    assert look("1 2 5 2009\n1 3 7 2009\n", "graph").details["extra_columns"] == 2


@pytest.mark.parametrize(
    ("content", "rule", "row"),
    [
        ("# only comments\n", "no_records", None),
        ("source,target\n", "no_records", None),
        ("a b\ncnry\n", "ragged_row", 2),
        ("a,b\ncnry,c,d\n", "ragged_row", 2),
        ("a,b\ncnry,\n", "empty_id", 2),
        ("a b\n" + "x" * 100_001 + " b\n", "cell_too_long", 2),
        (b"a b\nc\0 d\n", "nul_bytes", None),
        ('1\t2\n1\t"cnry\n2\t3\n@', "quoting", 2),
        ('1,2\n1,"cnry', "quoting", 2),
        ('1 2\n"cnry\n2" 3\n', "quoting", 2),
    ],
)
def test_refuses_an_edge_list_at_once(content, rule, row):
    error = problem(content, "graph")
    assert (error.rule, error.row) == (rule, row)


def test_a_temporal_edge_list_has_a_time():
    assert look("a,b,1\nb,c,2\n", "temporal_graph", window="snapshot").details["extra_columns"] == 1
    assert problem("a,b\nb,c\n", "temporal_graph", window="day").rule == "ragged_row"
    assert problem("<graphml/>", "temporal_graph").rule == "unknown_format"


GRAPHML = (
    '<graphml><key id="d0" for="node" attr.name="age"/><key id="d1" for="edge" attr.name="w"/>'
    '<graph><node id="cnry"/></graph></graphml>'
)
GEXF = (
    '<gexf><graph><attributes class="edge"><attribute id="0" title="w"/></attributes>'
    '<attributes class="node"><attribute id="0" title="age"/></attributes><nodes/></graph></gexf>'
)


def test_attributes_declared_before_the_nodes_are_known():
    assert look(GRAPHML, "graph").columns == ["age"]
    assert look(GRAPHML[:95], "graph", complete=False).columns is None
    assert look(GEXF, "graph").columns == ["age"]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ('<!DOCTYPE x [<!ENTITY a "cnry">]>' + GRAPHML, "dtd"),
        ('<!DOCTYPE x SYSTEM "file:///secret">' + GRAPHML, "dtd"),
        (GRAPHML[:-4], "malformed_xml"),
        ("<graphml><cnry></graphml>", "malformed_xml"),
        ("<cnry/>", "malformed_xml"),
        ('<?xml version="1.0" encoding="cnry"?><graphml/>', "malformed_xml"),
        (GRAPHML.encode("utf-16"), "encoding"),
        (GRAPHML.replace('attr.name="age"', 'attr.name=" "'), "empty_column_name"),
    ],
)
def test_refuses_xml_at_once(content, rule):
    assert problem(content, "graph", format="graphml").rule == rule


def test_refuses_deep_xml_in_an_unfinished_file():
    assert problem("<graphml>" + "<a>" * 100, "graph", format="graphml", complete=False).rule == "xml_depth"


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ('{"nodes": [{"id": 1, "a": NaN}], "edges": []}', "not_a_number"),
        ('{"nodes": [{"id": 1, "id": "cnry"}], "edges": []}', "duplicate_key"),
        ('{"nodes": ' + "[" * 100_000, "json_depth"),
        ('{"nodes": []}', "malformed_json"),
        ('{"nodes": ["cnry"], "edges": []}', "malformed_json"),
        ('["cnry"]', "malformed_json"),
        ('{"cnry"', "malformed_json"),
    ],
)
def test_refuses_node_link_json_at_once(content, rule):
    assert problem(content, "graph", format="node-link").rule == rule


def test_an_unfinished_node_link_file_is_looked_at_as_far_as_it_goes():
    text = json.dumps({"nodes": [{"id": 1, "note": 'NaN [[[ \\"'}]})[:-3]
    assert look(text, "graph", format="node-link", complete=False).columns is None
    assert problem(text + ', {"a": NaN', "graph", format="node-link", complete=False).rule == "not_a_number"
    whole = look('{"nodes": [{"id": 1, "age": 2}], "links": []}', "graph", format="node-link")
    assert whole.columns == ["age"]


def test_refuses_other_graph_formats_at_once():
    assert problem("cnry", "graph", format="gml").rule == "malformed_gml"
    assert problem("graph [ ]", "graph", format="gml").rule == "no_records"
    assert problem("cnry", "graph", format="pajek").rule == "malformed_pajek"
    assert problem(b"graph [ \0 ]", "graph", format="gml").rule == "nul_bytes"
