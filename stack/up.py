"""Up: starts all of Antifaz on this machine and keeps it running until it is stopped.

PostgreSQL and Redis are started unless addresses are given, then the API, the worker, the sweeper and the courier. All
other settings are ANTIFAZ_* variables.
"""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own options; all other settings are ANTIFAZ_* variables."""
    parser.add_argument("--processes", type=int, default=2, help="number of worker processes (default 2)")


def main(arguments: argparse.Namespace) -> int:
    """Run until stopped. Return 0 after an orderly stop, 1 if it could not start."""
    # Imported here: loading the clients of both servers takes longer than most commands.
    from stack.stack import run

    return run(arguments.processes)
