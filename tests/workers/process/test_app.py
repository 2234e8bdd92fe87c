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


LOAD = """
import sys
from workers.process.app import app
app.loader.import_default_modules()
late = ("numba", "antifaz.kernels.numba.linking", "scipy.linalg", "scipy.sparse.linalg", "scipy.special")
print(all(module in sys.modules for module in late))
"""


def test_no_job_waits_for_a_library_that_the_engine_loads_late():
    said = subprocess.run([sys.executable, "-c", LOAD], cwd=ROOT, capture_output=True, check=True)
    assert said.stdout.split() == [b"True"]
