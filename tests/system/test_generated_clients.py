"""Clients that others generate from the committed OpenAPI document can use the service."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.conftest import ROOT
from tests.system.samples import patients, table_policy

pytestmark = pytest.mark.long
DOCUMENT = ROOT / "api_schemas" / "openapi.json"
INSTALLING = 900


def run(*command: object, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=INSTALLING,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def can_install(*command: object, folder: Path) -> bool:
    """Whether a package index answers; without one there is nothing to test with."""
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, check=False).returncode == 0


def test_a_generated_python_client_uploads_with_a_policy_follows_and_downloads(stack, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "venv", folder=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    if not can_install(python, "-m", "pip", "install", "--quiet", "openapi-python-client==0.29.1", folder=tmp_path):
        pytest.skip("openapi-python-client cannot be installed here")
    (tmp_path / "config.yml").write_text("package_name_override: antifaz_client_generated\npost_hooks: []\n")
    generate = ("-m", "openapi_python_client", "generate", "--path", DOCUMENT, "--config", "config.yml")
    run(python, *generate, "--meta", "none", "--output-path", tmp_path / "antifaz_client_generated", folder=tmp_path)
    (tmp_path / "p.csv").write_bytes(patients(60))
    (tmp_path / "policy.json").write_text(json.dumps(table_policy(3)))
    story = (ROOT / "tests" / "system" / "generated_client.py", stack.address, stack.token("steward"))
    released = run(python, *story, "p.csv", "policy.json", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert len(list(csv.DictReader(io.StringIO(released)))) == 60


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_a_generated_typescript_client_uploads_with_a_policy_follows_and_downloads(stack, tmp_path):
    (tmp_path / "package.json").write_text('{"type": "module"}')
    packages = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5")
    if not can_install("npm", "install", "--silent", "--no-audit", "--no-fund", *packages, folder=tmp_path):
        pytest.skip("the npm packages cannot be installed here")
    run("npx", "openapi-typescript", DOCUMENT, "--default-non-nullable=false", "-o", "api.d.ts", folder=tmp_path)
    shutil.copy(ROOT / "tests" / "system" / "generated_client.ts", tmp_path / "story.ts")
    options = ("--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable")
    run("npx", "tsc", *options, "--skipLibCheck", "story.ts", folder=tmp_path)
    told = {
        "URL_OF_SERVICE": stack.address,
        "TOKEN": stack.token("steward"),
        "CONTENT": patients(60).decode(),
        "POLICY": json.dumps(table_policy(3)),
    }
    released = run("node", "story.js", folder=tmp_path, **told)
    assert len(list(csv.DictReader(io.StringIO(released)))) == 60
