"""Memory of a process that holds plaintext: it must not be left behind as a file."""

import resource


def leave_no_image() -> None:
    """Forbid the system to write this process, and whatever it starts, to a core file when it crashes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
