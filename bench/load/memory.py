"""Memory: how much large transfers add to the memory of the API."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from uuid import UUID, uuid4

import httpx
from sqlalchemy import create_engine, insert, select, update

from bench.load.rig import Bench, patients
from bench.page import Figure, Section
from bench.stack import UNLIMITED
from stack.servers import databases
from storage.blobs.blobs import write_release_blob
from storage.crypto.keys import load_release_key
from storage.orm import Artifact, Release
from storage.releases.releases import ArtifactRecord, bind, get_release

MEBIBYTE = 1 << 20
UPLOAD_BYTES = 500 * 10**6
SMALL_DOWNLOAD_BYTES = 10 * 10**6


def memory(bench: Bench) -> Section:
    """Measure how much large transfers add to the memory of the API."""
    release_id = UUID(bench.sample.release_id)
    bench.stack.stop("worker")
    # Names of parts that the release does not have yet; otherwise its own small file would be served.
    sizes = {"large": UPLOAD_BYTES, "smaller": SMALL_DOWNLOAD_BYTES}
    key = load_release_key(bench.stack.folder / "keys" / "release.key")
    for part, size in sizes.items():
        add_artifact(bench.stack.postgres.address.url(databases.MAIN), key, release_id, part, size)
    up = _growth(bench, lambda client: upload(client, UPLOAD_BYTES))
    down, small = (_growth(bench, partial(download, release_id=release_id, part=n, least=s)) for n, s in sizes.items())
    bench.stack.forget_queue()
    figures = [
        Figure("upload of 500 MB", f"{up / MEBIBYTE:.0f} MiB", "< 150 MB", up < 150e6),
        Figure("download of 500 MB", f"{down / MEBIBYTE:.0f} MiB", "< 150 MB", down < 150e6),
        Figure("download of 10 MB", f"{small / MEBIBYTE:.0f} MiB", "< 32 MB", small < 32e6),
    ]
    about = (
        "Peak resident memory of a newly started API process after one large transfer, minus its memory before the "
        "transfer, warmed up by small ones. Limits on requests are off."
    )
    return Section("memory", about, figures, bench.circumstances())


def _growth(bench: Bench, transfer: Callable[[httpx.Client], None]) -> int:
    """The API's peak memory minus its memory before the transfer."""
    bench.stack.restart("api", **UNLIMITED)
    with bench.stack.client() as client:
        upload(client, MEBIBYTE)
        download(client, UUID(bench.sample.release_id))
        before = bench.stack.memory("api")
        transfer(client)
    return bench.stack.most_memory("api") - before


def upload(client: httpx.Client, size: int) -> None:
    """Send a table of about this size, generated while it is sent."""
    mark = "antifaz-load-boundary"
    head = (
        f'--{mark}\r\nContent-Disposition: form-data; name="metadata"\r\nContent-Type: application/json\r\n\r\n'
        f'{{"name": "load", "kind": "table"}}\r\n--{mark}\r\n'
        'Content-Disposition: form-data; name="file"; filename="load.csv"\r\n\r\n'
    ).encode()
    block = patients(20_000)
    rows = block[block.index(b"\n") + 1 :]

    def body() -> Iterator[bytes]:
        yield head
        yield block
        for _ in range(size // len(rows)):
            yield rows
        yield f"\r\n--{mark}--\r\n".encode()

    headers = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    client.post("/v1/datasets", content=body(), headers=headers).raise_for_status()


def download(client: httpx.Client, release_id: UUID, part: str = "table", least: int = 1) -> None:
    """Download the csv of a part of a release, to its last byte."""
    taken = 0
    with client.stream("GET", f"/v1/releases/{release_id}/data", params={"part": part}) as answer:
        answer.raise_for_status()
        for piece in answer.iter_raw(1 << 16):
            taken += len(piece)
    if taken != int(answer.headers["Content-Length"]) or taken < least:
        raise RuntimeError("a download was cut off")


def add_artifact(database_url: str, release_key: bytes, release_id: UUID, part: str, size: int) -> None:
    """Add a csv of this size to a release, stored as a worker stores it."""
    digest, piece = hashlib.sha256(), os.urandom(10**6)

    def content() -> Iterator[bytes]:
        for _ in range(size // len(piece)):
            digest.update(piece)
            yield piece

    engine = create_engine(database_url, hide_parameters=True)
    with engine.begin() as connection:
        tenant_id = connection.execute(select(Release.tenant_id).where(Release.id == release_id)).scalar_one()
        release = get_release(connection, release_key, tenant_id, release_id)
        assert release is not None
        blob = write_release_blob(connection, release_key, tenant_id, content())
        file = ArtifactRecord(uuid4(), release_id, "csv", part, digest.hexdigest(), blob.size, blob.id)
        connection.execute(insert(Artifact).values(vars(file)))
        bound = bind(release_key, replace(release, artifacts=(*release.artifacts, file)))
        connection.execute(update(Release).where(Release.id == release_id).values(mac=bound.mac))
    engine.dispose()
