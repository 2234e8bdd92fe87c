"""Up: starts the whole of Antifaz on this machine and keeps it running until it is asked to stop.

PostgreSQL and Redis are started unless addresses were given, then the API, the worker, the sweeper and the courier. All
else is set by variables ANTIFAZ_*.
"""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own options; everything else is an ANTIFAZ_* variable."""
    parser.add_argument("--processes", type=int, default=2, help="worker processes (2)")


def main(arguments: argparse.Namespace) -> int:
    """Run until stopped; 0 after an orderly stop, 1 when it could not start."""
    # Only now: to load the clients of both servers takes longer than the rest of most commands.
    from cli.embedded.stack import run

    return run(arguments.processes)
