"""Run the web process: `python -m service --host 127.0.0.1 --port 8000`.

It uses the engine's parts only as schemas and computes nothing, so it loads neither numba nor scipy. That keeps startup
fast and memory use low.
"""

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from storage.memory import loading

if TYPE_CHECKING:
    from fastapi import FastAPI


def create() -> "FastAPI":
    """Create the application."""
    with loading():
        from service.app import create_app

        return create_app()


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until a signal stops the process."""
    parser = argparse.ArgumentParser(prog="service", description="The web process of Antifaz.")
    parser.add_argument("--host", default=os.environ.get("ANTIFAZ_HOST", "127.0.0.1"))
    parser.add_argument("--port", type=int, default=int(os.environ.get("ANTIFAZ_PORT", "8000")))
    parser.add_argument("--drain-seconds", type=int, default=25, help="seconds to finish open requests on shutdown")
    parser.add_argument(
        "--trusted-proxies",
        default=os.environ.get("ANTIFAZ_TRUSTED_PROXIES", ""),
        help="comma-separated addresses whose X-Forwarded-For and X-Forwarded-Proto headers are trusted",
    )
    chosen = parser.parse_args(arguments)
    import uvicorn

    from service.http.connections import TimedProtocol

    uvicorn.run(
        create,
        factory=True,
        http=TimedProtocol,
        host=chosen.host,
        port=chosen.port,
        proxy_headers=bool(chosen.trusted_proxies),
        forwarded_allow_ips=chosen.trusted_proxies,
        server_header=False,
        access_log=False,
        timeout_graceful_shutdown=chosen.drain_seconds,
    )


if __name__ == "__main__":
    main()
