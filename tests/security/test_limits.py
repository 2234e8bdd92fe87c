"""Limits: a token that sends too many requests learns when to retry, and no other client is affected."""

from typing import Any

import pytest


@pytest.fixture(scope="module")
def limited(make_api: Any) -> Any:
    """An API that allows one token twenty requests and one upload a minute: so few that even a busy machine, which
    takes a second for a request, exceeds the limit."""
    return make_api(requests_per_minute=20, uploads_per_minute=1)


def test_a_token_over_its_limit_is_refused_and_another_tenants_is_not(limited: Any) -> None:
    noisy, quiet = limited.client("steward", "noisy"), limited.client("steward", "quiet")
    answers = [noisy.get("/v1/jobs") for _ in range(60)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert {answer.status_code for answer in answers} == {200, 429}
    assert len(refused) >= 20
    for answer in refused:
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert [quiet.get("/v1/jobs").status_code for _ in range(10)] == [200] * 10


def test_a_token_over_its_limit_does_not_affect_another_of_its_tenant(limited: Any) -> None:
    noisy, quiet = limited.client("steward", "shared"), limited.client("auditor", "shared")
    assert 429 in [noisy.get("/v1/jobs").status_code for _ in range(60)]
    assert quiet.get("/v1/me").status_code == 200


def test_uploads_have_a_limit_of_their_own(limited: Any) -> None:
    answers = [limited.upload(tenant="uploading") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 429, 429]
    assert all("Retry-After" in answer.headers for answer in answers[1:])
    assert limited.count("datasets") == 1
    assert limited.upload(tenant="neighbor").status_code == 201


def test_guessing_tokens_is_limited_by_address(limited: Any) -> None:
    stranger = limited.client(None)
    answers = [
        stranger.get("/v1/jobs", headers={"Authorization": f"Bearer guess-{number}"}).status_code
        for number in range(90)
    ]
    assert set(answers) == {401, 429}
    assert limited.client("steward", "patient").get("/v1/jobs").status_code == 200
