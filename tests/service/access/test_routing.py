"""Routing: a body may be as large as its limit, and no byte larger."""

import json

import pytest

from tests.service.samples import table_policy

LIMIT = 1 << 16


@pytest.fixture(scope="module")
def small(make_api):
    return make_api(max_policy_bytes=LIMIT, max_hierarchy_bytes=LIMIT)


@pytest.mark.parametrize("told", [True, False], ids=["with its length", "in pieces"])
@pytest.mark.parametrize(
    ("path", "body", "what"),
    [
        ("/v1/policies/validate", {"policy": table_policy()}, "A body of this kind"),
        ("/v1/hierarchies", {"name": "h", "hierarchy": {"kind": "levels", "rows": [["a", "*"]]}}, "A hierarchy"),
    ],
)
def test_a_body_may_be_as_large_as_its_limit_and_no_larger(small, path, body, what, told):
    def send(size):
        content = json.dumps(body).encode().ljust(size)
        headers = {"Content-Type": "application/json"}
        return small.client().post(path, content=content if told else iter([content]), headers=headers)

    assert send(LIMIT).is_success
    answer = send(LIMIT + 1)
    assert answer.status_code == 413
    assert answer.json()["detail"].startswith(f"{what} may have at most {LIMIT} bytes.")


@pytest.mark.parametrize(("length", "pointer"), [(40, f"/query/{'n' * 40}"), (41, "/query")])
def test_an_unknown_parameter_is_named_unless_its_name_is_long(small, length, pointer):
    answer = small.client().get("/v1/jobs", params={"n" * length: "1"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == pointer
