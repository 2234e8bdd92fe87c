"""Process memory: no core files of processes that hold plaintext, and no garbage collection of loaded modules."""

import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager


def leave_no_image() -> None:
    """Forbid core files of this process and its children."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def loading() -> Iterator[None]:
    """Load modules that stay until the process ends, in children too, without garbage collection then or later: it
    would take a fifth of the startup time and find hardly any garbage."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()
