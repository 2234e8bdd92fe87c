"""A crash leaves no core dump."""

import subprocess
import sys


def test_a_process_and_its_children_may_write_no_core_file():
    script = (
        "from storage.memory import leave_no_image; import resource, subprocess, sys; leave_no_image();"
        "child = subprocess.check_output([sys.executable, '-c', 'import resource;"
        "print(resource.getrlimit(resource.RLIMIT_CORE))']);"
        "print(resource.getrlimit(resource.RLIMIT_CORE), child.decode())"
    )
    told = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert told.split() == ["(0,", "0)", "(0,", "0)"]
