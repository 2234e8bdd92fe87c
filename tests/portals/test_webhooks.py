"""Signatures of webhooks, checked by the JavaScript reference verifier; the one for Python runs in `make test`."""

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from courier.signatures import signature_headers
from storage.outbound.webhooks import new_secret
from tests.patience import patience

BODY = b'{"data":{"job_id":"1"},"timestamp":"2026-01-31T12:00:00.000Z","type":"job.released"}'


def judged(environments: Path, secret: str, headers: dict[str, str], body: bytes = BODY) -> str:
    """The verifier's result for a request."""
    script = Path(__file__).with_name("verify_webhook.mjs")
    asked = json.dumps({"secret": secret, "body": body.decode(), "headers": headers})
    command = ["node", script, str(environments / "npm")]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, timeout=patience())
    return done.stdout.strip()


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")
def test_the_verifier_for_javascript_accepts_every_secret_that_signs_and_no_other(environments: Path) -> None:
    former, newest = new_secret(), new_secret()
    headers = signature_headers([newest, former], "5f0c", int(time.time()), BODY)
    assert [judged(environments, secret, headers) for secret in (former, newest)] == ["accepted", "accepted"]
    assert judged(environments, new_secret(), headers) == "refused"
    assert judged(environments, newest, headers, BODY + b" ") == "refused"
    assert judged(environments, newest, headers | {"webhook-id": "other"}) == "refused"
