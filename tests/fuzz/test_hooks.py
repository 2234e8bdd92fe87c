"""Our checks for schemathesis fail when they should, and valid requests use existing resources."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.fuzz import hooks


def case_of(operation: str, *, positive: bool = True, phase: str = "fuzzing", **parts: Any) -> Any:
    meta = SimpleNamespace(
        generation=SimpleNamespace(mode=SimpleNamespace(is_positive=positive)),
        phase=SimpleNamespace(name=SimpleNamespace(value=phase)),
    )
    raw = SimpleNamespace(definition=SimpleNamespace(raw={"operationId": operation}))
    given = {"path_parameters": {}, "query": {}, "headers": {}, "body": None, "media_type": "application/json"}
    return SimpleNamespace(operation=raw, meta=meta, id="one", **(given | parts))


@pytest.fixture(autouse=True)
def world(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = {"get_job": ["known"], "create_job": ["known"], "revoke_token": []}
    monkeypatch.setattr(hooks, "_world", {"ids": ids, "token_id": "mine", "secrets": ["cnry"]})


def test_a_cell_in_an_answer_is_found_unless_it_is_a_release() -> None:
    response = SimpleNamespace(content=b'{"detail": "cnry"}', status_code=422)
    with pytest.raises(AssertionError):
        hooks.nothing_original_comes_out(None, response, case_of("get_job"))
    hooks.nothing_original_comes_out(None, response, case_of("get_release_data"))
    hooks.nothing_original_comes_out(None, SimpleNamespace(content=b"{}", status_code=200), case_of("get_job"))


def test_a_refusal_of_a_fitting_request_must_say_where() -> None:
    silent = SimpleNamespace(status_code=422, json=lambda: {"detail": "no"})
    telling = SimpleNamespace(status_code=422, json=lambda: {"errors": [{"pointer": "/policy", "detail": "no"}]})
    with pytest.raises(AssertionError):
        hooks.a_refusal_says_where(None, silent, case_of("create_job"))
    with pytest.raises(AssertionError):
        hooks.a_refusal_says_where(None, telling, case_of("get_job"))
    hooks.a_refusal_says_where(None, telling, case_of("create_job"))
    hooks.a_refusal_says_where(None, silent, case_of("create_job", positive=False))


def test_about_half_of_the_good_requests_ask_about_what_exists_and_no_bad_one() -> None:
    asked = []
    for positive in (True, False):
        for number in range(64):
            case = case_of("get_job", positive=positive, path_parameters={"id": f"made up {number}"})
            hooks.before_call(None, case, {})
            asked.append(case.path_parameters["id"] == "known")
    assert 16 < sum(asked[:64]) < 48
    assert not any(asked[64:])


def test_a_link_of_the_stateful_phase_is_followed_as_it_is() -> None:
    for number in range(8):
        case = case_of("get_job", phase="stateful", path_parameters={"id": str(number)})
        hooks.before_call(None, case, {})
        assert case.path_parameters["id"] == str(number)


def test_keys_follow_the_content() -> None:
    def key(body: Any, operation: str = "create_job") -> str:
        case = case_of(operation, body=body, headers={"Idempotency-Key": "0"})
        hooks.before_call(None, case, {})
        return str(case.headers["Idempotency-Key"])

    assert key({"k": 2}) == key({"k": 2})
    assert len({key({"k": 2}), key({"k": 3}), key({"k": 2}, "create_policy")}) == 3


def test_the_token_of_the_run_is_never_revoked() -> None:
    case = case_of("revoke_token", positive=False, path_parameters={"id": "mine"})
    hooks.before_call(None, case, {})
    assert case.path_parameters["id"] != "mine"
