"""`antifaz-mcp` and a real client of the Model Context Protocol: the tools are listed, called and answered."""

import json
import os
import subprocess
import sys

from tests.leaks.canary import Flock
from tests.patience import patience
from tests.portals.releases import KINDS
from tests.system.conftest import ROOT


def ask(environments, stack, folder, *calls):
    """What a session of the protocol's own client sees, by the interpreter of its environment."""
    server = {
        "command": sys.executable,
        "args": ["-m", "antifaz_client.mcp"],
        "env": {"ANTIFAZ_URL": stack.address, "ANTIFAZ_TOKEN": stack.token("steward"), "PATH": os.environ["PATH"]},
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ANTIFAZ"))}
    done = subprocess.run(
        [environments / "validators" / "bin" / "python", ROOT / "tests" / "portals" / "assistant.py"],
        input=json.dumps({"server": server, "calls": calls}),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=patience(),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_an_assistant_publishes_a_file_verifies_it_and_never_sees_a_cell(environments, stack, tmp_path):
    hidden = Flock()
    content, _, policy, _ = KINDS["table"](hidden)
    (tmp_path / "patients.csv").write_bytes(content)
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    published = {"path": "patients.csv", "policy": "policy.json", "name": "by an assistant", "folder": "out"}
    seen = ask(
        environments,
        stack,
        tmp_path,
        ("propose_policy", {"path": "patients.csv", "name": "for advice"}),
        ("publish", published),
        ("verify_release", {"release_id": "$release_id"}),
        ("read_report", {"id": "$release_id"}),
        ("list_datasets", {}),
        ("list_releases", {}),
        ("publish", {"path": "nowhere.csv", "policy": "policy.json"}),
    )
    assert seen["server"] == "antifaz"
    assert "publish" in seen["tools"]
    assert not [name for name in seen["tools"] if any(word in name for word in ("withdraw", "delete", "revoke"))]
    assert all(not hints["destructiveHint"] for hints in seen["tools"].values())
    failed = [answer["failed"] for answer in seen["answers"]]
    assert failed == [False] * 6 + [True]
    verified = json.loads(seen["answers"][2]["text"])
    assert verified["holds"] is True
    assert list((tmp_path / "out").iterdir())
    assert hidden.mark not in json.dumps(seen).lower()
    assert stack.token("steward") not in json.dumps(seen)
