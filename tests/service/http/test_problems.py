"""The table from errors to problems."""

import psycopg
import pytest
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from antifaz.errors import InvalidPolicy
from antifaz.policy.pointers import NO_SEED
from api_schemas.data.datasets import UploadMetadata
from api_schemas.data.jobs import JobRequest
from api_schemas.strict_json import BadJson
from api_schemas.tenancy.tokens import TokenRequest
from formats.core.faults import Fault
from service.http.problem_kinds import KINDS
from service.http.problems import Problem, problem_of, request_faults
from storage.errors import BadCursor, CorruptBlob, NameTaken


def faults_of(model, document):
    with pytest.raises(ValidationError) as caught:
        model.model_validate(document)
    return request_faults([{**error, "loc": ("body", *error["loc"])} for error in caught.value.errors()])


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (HTTPException(404), 404),
        (HTTPException(405, headers={"Allow": "GET"}), 405),
        (RequestValidationError([]), 422),
        (InvalidPolicy("/guarantees/0/k", "too small"), 422),
        (BadJson("syntax", "is not JSON"), 422),
        (Fault("ragged_row", "has too few cells", row=7), 422),
        (Fault("bomb", "is too large", status=413), 413),
        (BadCursor("malformed"), 422),
        (CorruptBlob("chunk 3"), 500),
        (NameTaken("a tenant"), 409),
        (OperationalError("SELECT 1", {}, psycopg.OperationalError("down")), 503),
        (PoolTimeout("exhausted"), 503),
        (psycopg.errors.AdminShutdown("bye"), 503),
        (psycopg.errors.DiskFull("full"), 507),
        (ConnectionRefusedError(), 503),
    ],
)
def test_every_known_error_has_its_status(error, status):
    problem = problem_of(error)
    assert problem is not None
    assert problem.status_code == status
    assert problem.body()["type"].startswith("urn:antifaz:problem:")
    if status in (503, 507):
        assert int(problem.headers["Retry-After"]) > 0


@pytest.mark.parametrize(
    "error", [ValueError("x"), KeyError("x"), IntegrityError("s", {}, psycopg.IntegrityError("x"))]
)
def test_what_nobody_foresaw_is_not_in_the_table(error):
    assert problem_of(error) is None


def test_a_policys_faults_are_listed_below_the_policy():
    problem = problem_of(InvalidPolicy.of([("/guarantees/0/k", "too small"), ("/attributes", "a column has no role")]))
    assert [fault["pointer"] for fault in problem.body()["errors"]] == ["/policy/guarantees/0/k", "/policy/attributes"]


def test_a_fault_of_a_file_names_the_row():
    body = problem_of(Fault("ragged_row", "has too few cells", row=7)).body()
    assert body["errors"] == [{"pointer": "/file", "detail": "has too few cells", "row": 7}]
    assert body["type"] == "urn:antifaz:problem:ragged-row"


@pytest.mark.parametrize(
    ("model", "document", "pointer", "detail"),
    [
        (TokenRequest, {"role": "steward"}, "/name", "is required"),
        (
            TokenRequest,
            {"name": "a", "role": "canary"},
            "/role",
            "must be 'steward', 'consumer', 'auditor', 'analyst' or 'admin'",
        ),
        (TokenRequest, {"name": "a", "role": "admin", "expires_in_days": 0}, "/expires_in_days", "must be at least 1"),
        (TokenRequest, {"name": "canary\n", "role": "admin"}, "/name", "has characters that are not allowed"),
        (TokenRequest, {"name": "a", "role": "admin", "expires": 1}, "/expires", "unknown field"),
        (TokenRequest, {"name": "a", "role": "admin", "seed": 1}, "/seed", NO_SEED),
        (TokenRequest, {"name": "a", "role": "admin", "Ana canary": 1}, "", "unknown field"),
        (JobRequest, {"dataset_id": "a", "policy": "canary"}, "/policy", "must be an object"),
        (JobRequest, {"dataset_id": "a"}, "", "exactly one of policy and policy_id must be given"),
        (UploadMetadata, {"name": "a", "kind": "canary"}, "/kind", "must be 'table', 'graph' or 'temporal_graph'"),
        (UploadMetadata, {"name": 7, "kind": "table"}, "/name", "must be a text"),
    ],
)
def test_a_fault_of_a_request_says_where_and_which_rule_but_not_what_was_sent(model, document, pointer, detail):
    faults = faults_of(model, document)
    assert {"pointer": pointer, "detail": detail} in faults
    assert "canary" not in str(faults)


def test_every_kind_has_a_status_and_a_title():
    for kind, (status, title, *_) in KINDS.items():
        body = Problem(kind, "detail").body()
        assert (body["status"], body["title"]) == (status, title)
        assert 400 <= status < 600
