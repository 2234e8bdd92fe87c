"""L13: another tenant's id cannot be distinguished from one that never existed."""

import statistics
from pathlib import Path
from uuid import uuid4

import pytest

from tests.leaks.story import Story

RESOURCES = ("datasets", "jobs", "releases", "policies", "hierarchies")
CALLS = 300


@pytest.mark.parametrize("resource", RESOURCES)
def test_a_foreign_id_is_answered_like_a_random_one(story: Story, resource: str) -> None:
    told = []
    with story.stack.client("foreign-steward") as stranger:
        for item_id in (story.kept[resource], str(uuid4())):
            answer = stranger.get(f"/v1/{resource}/{item_id}")
            changing = ("x-request-id", "date")
            head = sorted((name, value) for name, value in answer.headers.items() if name not in changing)
            told.append((answer.status_code, head, answer.content))
    assert told[0] == told[1]
    assert told[0][0] == 404


@pytest.mark.long
@pytest.mark.parametrize("resource", RESOURCES)
def test_a_foreign_id_takes_as_long_as_a_random_one(story: Story, resource: str) -> None:
    """Measured in CPU time of the API, which a busy machine does not change, and interleaved, so that the API's other
    work affects both alike; only a different amount of work would exceed the bound."""
    spent: dict[str, list[int]] = {"foreign": [], "random": []}
    with story.stack.client("foreign-steward") as stranger:
        for _ in range(CALLS):
            for name, item_id in (("foreign", story.kept[resource]), ("random", str(uuid4()))):
                began = nanoseconds(story.stack.processes["api"].pid)
                stranger.get(f"/v1/{resource}/{item_id}")
                spent[name].append(nanoseconds(story.stack.processes["api"].pid) - began)
    foreign, random = (statistics.median(spent[name]) for name in ("foreign", "random"))
    assert random > 0
    assert 0.67 < foreign / random < 1.5


def nanoseconds(pid: int) -> int:
    """CPU time of all threads of a process so far."""
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))
