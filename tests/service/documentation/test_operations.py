"""Operations on their pages: all of them, with schemas, and examples that the service accepts."""

import json
from typing import Any

import pytest

from service.documentation.examples import BODIES, DATASET, FILE, FORM, POLICY, TOKEN
from service.documentation.operations import Operation, type_words
from tests.service.conftest import Api
from tests.service.documentation.documented import DOCUMENT, documented


def test_every_operation_with_a_body_has_an_example() -> None:
    """Missing entries must be added to service/documentation/examples.py."""
    lacking = [
        each.id for each in documented().values() if each.bodies and not any(b.example is not None for b in each.bodies)
    ]
    assert lacking == []
    assert set(BODIES) <= set(documented())


def test_every_schema_that_is_referred_to_is_there() -> None:
    named = set(DOCUMENT["components"]["schemas"])
    text = json.dumps(DOCUMENT)
    assert {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]} <= named


def test_types_are_words_and_links() -> None:
    assert type_words({"$ref": "#/components/schemas/Policy"}) == "[Policy](/docs/schemas/Policy)"
    assert type_words({"type": "array", "items": {"type": "integer", "minimum": 2}}) == "list of integer, at least 2"
    assert type_words({"anyOf": [{"type": "string"}, {"type": "null"}]}) == "text or none"
    assert type_words({"type": "object", "additionalProperties": {"type": "number"}}).endswith("each with number")
    assert type_words({"type": "string", "format": "binary"}) == "bytes"


def upload(api: Api) -> dict[str, Any]:
    policy = (None, json.dumps(FORM["policy"]), "application/json")
    metadata = (None, json.dumps(FORM["metadata"] | {"unrelated": True}), "application/json")
    parts = [("metadata", metadata), ("policy", policy), ("file", ("patients.csv", FILE.encode()))]
    answer = api.client("admin").post("/v1/datasets", files=parts)
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


@pytest.fixture(scope="module")
def story(api: Api) -> dict[str, str]:
    """The things that examples speak of."""
    uploaded = upload(api)
    dataset = uploaded["dataset"]["id"]
    analyst = api.client("admin").post("/v1/tokens", json={"name": "analyst", "role": "analyst"}).json()["id"]
    assert api.declare(dataset, **BODIES["put_declarations"]).status_code == 200
    return {"dataset": dataset, "analyst": analyst, "release": api.publish().release_id}


def test_the_example_of_an_upload_is_accepted(story: dict[str, str]) -> None:
    assert story["dataset"]
    assert FORM["policy"] == POLICY


WHERE = {"/v1/datasets/": "dataset", "/v1/releases/": "release"}


ABROAD = ("create_webhook", "create_portal")
"""Their addresses do not exist, so only the check of addresses refuses them."""
NEED_MORE = ("release_comparison", "oai_form", "create_publication", *ABROAD)
"""They need a finished comparison, a form, a public release, or an address that exists."""


@pytest.mark.parametrize("name", [name for name in BODIES if name not in NEED_MORE])
def test_the_example_of_every_body_is_accepted(api: Api, story: dict[str, str], name: str) -> None:
    """Unchanged, with ids of existing resources."""
    operation: Operation = documented()[name]
    about = next((story[thing] for start, thing in WHERE.items() if operation.path.startswith(start)), "")
    body = json.dumps(BODIES[name]).replace(DATASET, story["dataset"]).replace(TOKEN, story["analyst"])
    answer = api.client("admin").request(
        operation.method,
        operation.path.replace("{id}", about),
        content=body,
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code < 300, answer.text


@pytest.mark.parametrize("name", ABROAD)
def test_an_example_with_an_address_is_refused_for_the_address_alone(api: Api, name: str) -> None:
    answer = api.client("admin").post(documented()[name].path, json=BODIES[name])
    assert [fault["pointer"] for fault in answer.json()["errors"]] == ["/url"]


def test_the_name_in_the_example_of_a_chosen_comparison_is_one_of_the_compared() -> None:
    assert BODIES["release_comparison"]["name"] in [
        f"k={k}" for k in BODIES["create_comparison"]["vary"]["/guarantees/0/k"]
    ]
