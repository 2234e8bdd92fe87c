"""The announcement: the address of the service, its token (once), and example commands."""

import json
import shlex

from stack.options import Options
from stack.servers.databases import ROOT
from stack.servers.memory import Memory

EXAMPLES = ROOT / "examples"


def announce(options: Options, token: str | None) -> None:
    """Print the address, the token once, and a command that publishes the bundled example."""
    memory = Memory(options.data_dir / "secrets.json")
    print(f"\nAntifaz is ready at {options.address}  (reference: {options.address}/docs)")
    print(f"Logs: {options.data_dir / 'logs'}    Stop: Ctrl-C\n")
    if token:
        print(f"Admin token of the default tenant (shown once, not stored in plain text): {token}\n")
    else:
        print(_token_was_shown(options, memory))
    print("Publish the bundled examples:\n")
    word = token or "$ANTIFAZ_TOKEN"
    print(publish_line(options.address, word, "patients", "table", "patients.csv") + "\n")
    print(publish_line(options.address, word, "friends", "graph", "friends.edges") + "\n", flush=True)
    if token:
        memory.token_shown()


def _token_was_shown(options: Options, memory: Memory) -> str:
    given = options.bootstrap_token
    if given and memory.recognises(given):
        return "The admin token is still the one in ANTIFAZ_BOOTSTRAP_TOKEN.\n"
    ignored = " ANTIFAZ_BOOTSTRAP_TOKEN is ignored: an administrator exists." if given else ""
    return (
        f"The admin token was shown at the first start.{ignored} An administrator creates more with\n"
        f"POST /v1/tokens; put yours into ANTIFAZ_TOKEN for these commands. If it is lost and no data must be kept,\n"
        f"stop Antifaz, remove {options.data_dir} and start again.\n"
    )


def publish_line(address: str, token: str, name: str, kind: str, file: str) -> str:
    """A curl command, ready for a shell, that uploads an example together with its policy."""
    metadata = json.dumps({"name": name, "kind": kind})
    policy = EXAMPLES / f"{name}.policy.json"
    return " \\\n  ".join(
        [
            f'curl -sS -H "Authorization: Bearer {token}"',
            f"-F {shlex.quote(f'metadata={metadata};type=application/json')}",
            f"-F {shlex.quote(f'policy=<{policy};type=application/json')}",
            f"-F {shlex.quote(f'file=@{EXAMPLES / file}')}",
            f"{address}/v1/datasets",
        ]
    )
