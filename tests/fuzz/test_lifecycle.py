"""Life cycles of jobs without workers: the API never answers what the model rules out."""

from typing import Any

import pytest

from tests.fuzz.lifecycle import machine, run, world_of


def test_a_few_lives_of_jobs_follow_the_model(api: Any) -> None:
    with world_of(api.address, api.token("admin"), api.owner, api.worker_keyring, has_workers=False) as world:
        run(lambda: machine(world), lives=4, steps=12)


@pytest.mark.long
@pytest.mark.timeout(1_800)
def test_lives_of_jobs_that_nobody_works_on_follow_the_model(api: Any) -> None:
    with world_of(api.address, api.token("admin"), api.owner, api.worker_keyring, has_workers=False) as world:
        run(lambda: machine(world), lives=100, steps=40)
