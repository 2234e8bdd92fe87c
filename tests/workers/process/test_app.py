"""The Celery application."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ASK = """
import os
from celery.signals import worker_process_init
from workers.process import app
before = os.nice(0)
app._give_way()
print(os.nice(0) - before, any(ref() is app._give_way for _, ref in worker_process_init.receivers))
"""


@pytest.mark.parametrize("given", ["0", "3"])
def test_a_worker_process_gives_way_to_processes_that_answer_people(given):
    if os.nice(0) > 16:
        pytest.skip("there is hardly anybody left to give way to")
    environment = {**os.environ, "ANTIFAZ_WORKER_NICE": given}
    said = subprocess.run([sys.executable, "-c", ASK], env=environment, cwd=ROOT, capture_output=True, check=True)
    assert said.stdout.split() == [given.encode(), b"True"]
