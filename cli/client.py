"""A client of the API: addresses, the token, and errors that a person can read."""

import argparse
import os
import sys
from typing import Any

import httpx

DEFAULT_URL = "http://127.0.0.1:8000"


class Refused(Exception):
    """The API answered with a problem; the text is for the person at the terminal."""


def add_connection_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the API is and who asks."""
    parser.add_argument("--url", default=os.environ.get("ANTIFAZ_URL", DEFAULT_URL), help="address of the API")
    parser.add_argument(
        "--token", default=os.environ.get("ANTIFAZ_TOKEN"), help="access token (or the variable ANTIFAZ_TOKEN)"
    )


def connect(arguments: argparse.Namespace) -> httpx.Client:
    """A client for the API named by the arguments."""
    if not arguments.token:
        raise Refused("no token: give --token or set ANTIFAZ_TOKEN")
    return httpx.Client(
        base_url=arguments.url,
        headers={"Authorization": f"Bearer {arguments.token}"},
        timeout=httpx.Timeout(60, read=120),
    )


def checked(response: httpx.Response) -> Any:
    """The JSON of an answer, or `Refused` with what the problem says."""
    if response.is_success:
        return response.json() if response.content else None
    raise Refused(describe_problem(response))


def describe_problem(response: httpx.Response) -> str:
    """A problem as text, one line for each fault."""
    try:
        problem = response.json()
    except ValueError:
        return f"{response.status_code} from the API"
    lines = [f"{problem.get('status', response.status_code)} {problem.get('title', '')}: {problem.get('detail', '')}"]
    lines += [f"  {error['pointer']}: {error['detail']}" for error in problem.get("errors", ())]
    return "\n".join(lines)


def report_errors(run: Any, arguments: argparse.Namespace) -> int:
    """Run a command; problems and broken connections become one message and exit status 1."""
    try:
        return int(run(arguments))
    except Refused as error:
        print(f"antifaz: {error}", file=sys.stderr)
    except httpx.TransportError as error:
        print(f"antifaz: no answer from {arguments.url} ({type(error).__name__})", file=sys.stderr)
    return 1
