"""The courier's rounds while its database is silent."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.courier.conftest import Courier
from tests.faults.wires import Wire, wires
from tests.patience import wait_for


@pytest.mark.parametrize("silence", [Wire.hush, lambda wire: wire.set("swallow")], ids=["a connection", "the server"])
def test_a_silent_database_is_tried_again_and_the_loop_shows_that_it_turns(
    make_courier: Callable[..., Courier], databases: Any, tmp_path: Path, silence: Callable[[Wire], None]
) -> None:
    """It is not restarted: its supervisor would end the calls that are under way."""
    beat = tmp_path / "beat"
    port = databases.address.port
    with wires({"postgres": port}) as links:
        url = re.sub(rf":{port}/", f":{links['postgres'].port}/", databases.courier_url)
        courier = make_courier(database_url=url, beat_file=beat, consumer_seconds=0.5)
        wait_for(beat.exists, "the first round")
        silence(links["postgres"])
        for _ in range(2):
            beat.unlink()
            wait_for(beat.exists, "a round after the silence began")
        links["postgres"].set("pass")
        courier.stop()
