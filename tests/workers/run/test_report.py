"""How the report presents what the verifier read."""

from workers.run.report import release_shape


def test_class_sizes_become_bars_with_their_rows():
    described = {
        "rows": 7,
        "classes": 2,
        "smallest": 3,
        "histogram": [
            {"from": 3, "to": 4, "classes": 2, "rows": 7},
            {"from": 100, "to": None, "classes": 0, "rows": 0},
        ],
    }
    bars = release_shape(described)["histogram"]
    assert bars == [{"bin": "3-4", "count": 2, "rows": 7}, {"bin": "100+", "count": 0, "rows": 0}]


def test_few_degrees_are_shown_one_by_one():
    assert release_shape({"degrees": {"10": 3, "2": 4}})["histogram"] == [
        {"bin": "2", "count": 4},
        {"bin": "10", "count": 3},
    ]


def test_many_degrees_are_shown_in_ranges_that_lose_no_node():
    degrees = {str(degree): 2 for degree in range(100)}
    bars = release_shape({"degrees": degrees})["histogram"]
    assert [bar["bin"] for bar in bars] == ["0", "1", "2-3", "4-7", "8-15", "16-31", "32-63", "64-127"]
    assert sum(bar["count"] for bar in bars) == 200


def test_a_directed_graph_shows_in_degrees_and_its_nodes_classes():
    described = {
        "degrees": {"in": {"1": 3}, "out": {"1": 3}},
        "node_classes": {"histogram": [{"from": 1, "to": 1, "classes": 1, "rows": 1}]},
    }
    shape = release_shape(described)
    assert shape["histogram"] == [{"bin": "1", "count": 3}]
    assert shape["node_classes"]["histogram"] == [{"bin": "1", "count": 1, "rows": 1}]
