"""L1 and L9: no operation, role or id discloses an original value, or a hash or size derived from one."""

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from service.access.permissions import PERMISSIONS, WITH_DATA
from tests.leaks.operations import RELEASE_DATA, ROLES, call_everything
from tests.leaks.story import FAILURES, Story
from tests.leaks.witness import DOWNLOAD, RELEASE_BUNDLE

DRAWN = b"The release, drawn"
"""The title of a drawing of a graph, which shows all its edges."""


@pytest.fixture(scope="module")
def operations(story: Story) -> set[str]:
    """Every operation, after each was called in every way."""
    return call_everything(story)


def test_the_day_went_as_planned(story: Story) -> None:
    ends = {name: job["status"] for name, job in story.jobs.items()}
    released = dict.fromkeys(("table", "graph", "contacts", "to be deleted"), "released")
    assert ends == released | FAILURES, story.stack.said()


def test_every_operation_was_called_by_every_role(story: Story, operations: set[str]) -> None:
    callers = {*ROLES, "nobody", *(f"foreign-{role}" for role in ROLES)}
    asked = {(answer.operation, answer.role) for answer in story.witness.answers}
    ending = {("delete_dataset", "steward"), ("delete_dataset", "admin")}
    assert {(operation, role) for operation in operations for role in callers} <= asked | ending
    assert len(operations) >= 40


def test_no_answer_holds_a_value_but_the_data_of_a_release(story: Story, operations: set[str]) -> None:
    data = story.data
    leaks = [
        (answer.name, found)
        for answer in story.witness.answers
        if not (answer.operation in (RELEASE_DATA, RELEASE_BUNDLE, DOWNLOAD) and answer.status in (200, 206))
        and (found := data.anything.find(answer.content))
    ]
    assert leaks == []


def test_what_contains_data_has_the_roles_of_data(story: Story, operations: set[str]) -> None:
    """The rule, and not a table: whatever the operation, an answer with released data went to a role of data."""
    readers = PERMISSIONS[RELEASE_DATA]
    containing = {
        (answer.operation, answer.role)
        for answer in story.witness.answers
        if answer.operation in operations and (DRAWN in answer.body or story.data.anything.find(answer.body))
    }
    assert {role for _, role in containing} <= readers, sorted(containing)
    assert {operation for operation, _ in containing} <= WITH_DATA
    # If the search did not work, it would miss these too.
    found = {RELEASE_DATA, RELEASE_BUNDLE, "get_release_report_page"}
    assert {(operation, role) for operation in found for role in readers} <= containing


def test_the_data_of_a_release_holds_nothing_but_what_the_policy_releases(story: Story, operations: set[str]) -> None:
    served = [answer for answer in story.witness.answers if answer.operation == RELEASE_DATA and answer.status == 200]
    bundles = [
        answer for answer in story.witness.answers if answer.operation == RELEASE_BUNDLE and answer.status == 200
    ]
    assert "auditor" in {answer.role for answer in bundles}
    assert [answer.name for answer in served + bundles if story.data.secret.find(answer.content)] == []
    # If the scanner did not work, it would miss these too.
    assert sum(bool(story.data.anything.find(answer.body)) for answer in served) >= 6


def test_no_answer_is_an_internal_error(story: Story, operations: set[str]) -> None:
    assert [answer.name for answer in story.witness.answers if answer.status >= 500] == []


def test_nobody_is_told_a_plain_hash_of_an_original(story: Story, operations: set[str]) -> None:
    hashes = [
        digest
        for content in story.uploads
        for name in ("md5", "sha1", "sha256", "sha512", "blake2b")
        for digest in _written(hashlib.new(name, content, usedforsecurity=False).digest())
    ]
    told = b"".join(answer.content for answer in story.witness.answers) + story.said()
    assert [digest for digest in hashes if digest in told or digest.upper() in told] == []


def _written(digest: bytes) -> list[bytes]:
    return [digest.hex().encode(), base64.b64encode(digest), base64.urlsafe_b64encode(digest).rstrip(b"=")]


def test_consumers_and_strangers_are_not_told_the_size_of_an_original(story: Story, operations: set[str]) -> None:
    # The size of a released file varies with the order of its rows: equality with an upload's size means nothing.
    sizes = {len(content) for content in story.uploads} - released_sizes(story)
    assert sizes
    outsiders = ("nobody", "consumer", *(f"foreign-{role}" for role in ROLES))
    for answer in story.witness.answers:
        if answer.role in outsiders and answer.headers.get("content-type", "").endswith("json"):
            if answer.operation in ("openapi", RELEASE_DATA):
                continue
            assert not sizes & set(numbers_of(json.loads(answer.body))), answer.name


def released_sizes(story: Story) -> set[int]:
    engine = create_engine(story.stack.database_url, hide_parameters=True)
    with engine.connect() as connection:
        sizes = set(connection.execute(text("SELECT size FROM artifacts")).scalars())
    engine.dispose()
    return sizes


def test_a_consumer_is_not_told_how_many_rows_were_left_out(story: Story) -> None:
    content, policy = story.data.table(), story.data.table_policy()
    rows = content.splitlines(keepends=True)
    # The policy leaves out 31 rows without an age: 60 of 91 are released.
    holes = [b",".join([*row.split(b",")[:2], b"", *row.split(b",")[3:]]) for row in rows[1:32]]
    policy["attributes"]["age"]["missing"] = "suppress_row"
    policy["attributes"]["name"]["missing"] = "own_value"
    job = story.stack.publish(content + b"".join(holes), policy)
    assert job["status"] == "released", job
    paths = ["", "/report"]
    for role, sees in (("consumer", False), ("steward", True)):
        with story.stack.client(role) as client:
            told = [client.get(f"/v1/releases/{job['release_id']}{path}").json() for path in paths]
            told.append(client.get("/v1/releases", params={"limit": 1}).json())
        assert bool({91, 31} & set(numbers_of(told))) is sees


def numbers_of(value: Any) -> Iterator[float]:
    """Every number in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers_of(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value
