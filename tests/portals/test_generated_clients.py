"""Clients that others generate from the committed OpenAPI document can use the service."""

import csv
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.system.conftest import ROOT
from tests.system.samples import patients, table_policy

DOCUMENT = ROOT / "api_schemas" / "openapi.json"
HERE = ROOT / "tests" / "portals"


def run(*command: object, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_a_generated_python_client_uploads_with_a_policy_follows_and_downloads(stack, environments, tmp_path):
    python = environments / "validators" / "bin" / "python"
    (tmp_path / "config.yml").write_text("package_name_override: antifaz_client_generated\npost_hooks: []\n")
    generate = ("-m", "openapi_python_client", "generate", "--path", DOCUMENT, "--config", "config.yml")
    run(python, *generate, "--meta", "none", "--output-path", tmp_path / "antifaz_client_generated", folder=tmp_path)
    (tmp_path / "p.csv").write_bytes(patients(60))
    (tmp_path / "policy.json").write_text(json.dumps(table_policy(3)))
    story = (HERE / "generated_client.py", stack.address, stack.token("steward"))
    released = run(python, *story, "p.csv", "policy.json", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert len(list(csv.DictReader(io.StringIO(released)))) == 60


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_a_generated_typescript_client_uploads_with_a_policy_follows_and_downloads(stack, environments, tmp_path):
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(environments / "npm" / "node_modules")
    programs = environments / "npm" / "node_modules" / ".bin"
    generate = (programs / "openapi-typescript", DOCUMENT, "--default-non-nullable=false")
    run(*generate, "-o", "api.d.ts", folder=tmp_path)
    shutil.copy(HERE / "generated_client.ts", tmp_path / "story.ts")
    options = ("--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable")
    run(programs / "tsc", *options, "--skipLibCheck", "story.ts", folder=tmp_path)
    given = {
        "URL_OF_SERVICE": stack.address,
        "TOKEN": stack.token("steward"),
        "CONTENT": patients(60).decode(),
        "POLICY": json.dumps(table_policy(3)),
    }
    released = run("node", "story.js", folder=tmp_path, **given)
    assert len(list(csv.DictReader(io.StringIO(released)))) == 60
