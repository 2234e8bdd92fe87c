"""Memory of a process: of one that holds plaintext nothing may be left behind as a file; of what it loads nothing is
garbage."""

import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager


def leave_no_image() -> None:
    """Forbid the system to write this process, and whatever it starts, to a core file when it crashes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def loading() -> Iterator[None]:
    """Load modules that stay to the end, in children too, without a search for garbage then or later: it would take a
    fifth of the start, and there is hardly any."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()
