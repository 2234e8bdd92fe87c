"""The catalogue over HTTP."""

import pytest

from tests.schemas import fixes_chance


@pytest.mark.parametrize("name", ["methods", "guarantees", "measures", "attacks", "hierarchy-kinds"])
def test_every_part_has_a_summary_and_a_schema(api, name):
    with api.client("consumer") as consumer:
        items = consumer.get(f"/v1/{name}").json()["items"]
    assert items
    for item in items:
        assert item["summary"]
        assert item["kinds"]
        assert item["schema"]["type"] == "object"
        assert fixes_chance(item["schema"]) == []


def test_methods_say_which_guarantees_they_give(api):
    with api.client() as steward:
        items = steward.get("/v1/methods").json()["items"]
    mondrian = next(item for item in items if item["name"] == "mondrian")
    assert "k_anonymity" in mondrian["guarantees"]
