"""Ports of the loopback address."""

import socket

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A free port of the loopback address."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def port_is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether we could listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True
