"""The one way in which functions are compiled, also where nothing is."""

import os
import subprocess
import sys


def test_a_process_that_compiles_nothing_knows_every_part():
    code = "from antifaz import catalogue; print(len(catalogue.parts('methods')))"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert int(told.stdout) > 20
