"""Life cycles of jobs in the whole service: whatever the workers do meanwhile, no answer contradicts the model.

A separate module, and so with separate databases: workers cannot read the data of an API with other keys.
"""

from typing import Any

import pytest

from storage.database.session import keyring_engine, main_engine
from storage.settings import Settings
from tests.fuzz.lifecycle import machine, run, world_of


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_lives_of_jobs_in_the_whole_service_follow_the_model(stack: Any) -> None:
    main = main_engine(Settings(database_url=stack.database_url))
    keyring = keyring_engine(Settings(keyring_url=stack.keyring_url))
    try:
        with world_of(stack.address, stack.token("admin"), main, keyring, has_workers=True) as world:
            run(lambda: machine(world), lives=30, steps=25)
    finally:
        main.dispose()
        keyring.dispose()
