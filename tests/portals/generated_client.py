"""A program that uses a client generated from the OpenAPI document: upload, follow, download.

Run by the interpreter of an environment that holds the generator's dependencies: URL TOKEN CSV POLICY.
"""

import json
import sys
from pathlib import Path

from antifaz_client_generated import AuthenticatedClient
from antifaz_client_generated.api.datasets import create_dataset
from antifaz_client_generated.api.jobs import get_job
from antifaz_client_generated.api.releases import get_release_data
from antifaz_client_generated.models import CreateDatasetBody, Job, Submission, TablePolicy, UploadMetadata
from antifaz_client_generated.types import File

url, token, file, policy = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token, timeout=120)
with Path(file).open("rb") as content:
    body = CreateDatasetBody(
        metadata=UploadMetadata.from_dict({"name": "generated", "kind": "table"}),
        file=File(payload=content, file_name="upload.csv", mime_type="text/csv"),
        policy=TablePolicy.from_dict(json.loads(Path(policy).read_text())),
    )
    submission = create_dataset.sync(client=client, body=body)
assert isinstance(submission, Submission), submission
job = submission.job
while job.status not in ("released", "refused", "failed", "cancelled"):
    answer = get_job.sync(job.id, client=client, wait=20)
    assert isinstance(answer, Job), answer
    job = answer
assert job.status == "released", job
released = get_release_data.sync(job.release_id, client=client)
assert isinstance(released, File), released
sys.stdout.buffer.write(released.payload.read())
