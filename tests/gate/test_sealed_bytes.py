"""G1 and G2: a release was verified byte for byte, and it is served unchanged."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from storage.blobs.blobs import CHUNK_BYTES
from tests.gate import vault
from tests.system.conftest import Stack
from tests.system.samples import friends, graph_policy, patients, table_policy
from workers.run.context import Context


def with_another_edge(content: bytes) -> bytes:
    """One edge of the list leads to another node."""
    lines = content.decode().splitlines()
    source, target = lines[1].split(",")
    lines[1] = f"{source},{int(target) + 1}"
    return ("\n".join(lines) + "\n").encode()


def without_a_row(content: bytes) -> bytes:
    """One row removed."""
    lines = content.splitlines(keepends=True)
    return b"".join(lines[:5] + lines[6:])


def rewriting(change: vault.Change) -> Callable[[Stack, Any, Any], None]:
    return lambda stack, blob_id, tenant_id: vault.rewrite(stack, blob_id, tenant_id, change)


def flipping(stack: Stack, blob_id: Any, tenant_id: Any) -> None:
    vault.flip(stack, blob_id)


TABLE = (patients(60), table_policy(3, formats=["csv"]), {})
GRAPH = (friends(), graph_policy(formats=["edgelist"]), {"file_name": "f.edges"})

# --- after the release -----------------------------------------------------------------------------------------------


@pytest.fixture
def release_id(stack: Stack) -> str:
    """A release of one chunk."""
    job = stack.publish(*TABLE[:2])
    assert job["status"] == "released", job
    return str(job["release_id"])


def test_a_damaged_release_is_an_error_and_not_other_bytes(stack: Stack, release_id: str) -> None:
    vault.flip(stack, vault.artifact(stack, release_id).blob_id)
    assert_refused(stack, release_id)
    with stack.client("consumer") as consumer:
        part = consumer.get(f"/v1/releases/{release_id}/data", headers={"Range": "bytes=3-9"})
    assert part.status_code == 500


def test_a_release_rewritten_by_a_holder_of_the_key_is_not_served(stack: Stack, release_id: str) -> None:
    stored = vault.artifact(stack, release_id)
    vault.rewrite(stack, stored.blob_id, stored.tenant_id, lambda content: content.replace(b"F", b"M", 1))
    assert_refused(stack, release_id)


def test_a_release_whose_blob_was_exchanged_is_not_served(stack: Stack, release_id: str) -> None:
    with vault.exchanged(stack, release_id, lambda content: content.replace(b"F", b"M", 1)):
        assert_refused(stack, release_id)


def assert_refused(stack: Stack, release_id: str) -> None:
    with stack.client("consumer") as consumer:
        answer = consumer.get(f"/v1/releases/{release_id}/data")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(answer.json()) == {"type", "title", "status", "detail"}


@pytest.fixture(scope="module")
def long_release(stack: Stack) -> str:
    """A release of several chunks."""
    header, *rows = patients(900).decode().splitlines()
    notes = [f"{row},{'abc'[number % 3] * 3000}" for number, row in enumerate(rows)]
    policy = table_policy(3, formats=["csv"])
    policy["attributes"]["note"] = {"role": "insensitive"}
    job = stack.publish("\n".join([f"{header},note", *notes]).encode(), policy)
    assert job["status"] == "released", job
    return str(job["release_id"])


def received(stack: Stack, release_id: str) -> tuple[bytes, bool]:
    """The received part of a release's csv, and whether it breaks off."""
    arrived = bytearray()
    with stack.client("consumer") as consumer, consumer.stream("GET", f"/v1/releases/{release_id}/data") as answer:
        assert answer.status_code == 200
        try:
            for piece in answer.iter_raw():
                arrived += piece
        except httpx.RemoteProtocolError:
            return bytes(arrived), True
    return bytes(arrived), False


def test_a_long_release_breaks_off_before_it_is_damaged(stack: Stack, long_release: str) -> None:
    stored = vault.artifact(stack, long_release)
    last = (stored.size - 1) // CHUNK_BYTES
    assert last >= 2
    whole = vault.plaintext(stack, stored.blob_id, stored.tenant_id)
    vault.flip(stack, stored.blob_id, last)
    arrived, broken = received(stack, long_release)
    assert broken
    assert whole.startswith(arrived)
    assert len(arrived) < last * CHUNK_BYTES
    vault.flip(stack, stored.blob_id, last)
    assert received(stack, long_release) == (whole, False)


# --- between seal and verification -----------------------------------------------------------------------------------

TAMPERINGS = {
    "one cell": (TABLE, rewriting(vault.with_another_cell)),
    "one bit": (TABLE, flipping),
    "one row": (TABLE, rewriting(without_a_row)),
    "one edge": (GRAPH, rewriting(with_another_edge)),
}


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_bytes_that_change_between_seal_and_verification_are_never_released(
    stack: Stack, context: Context, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    (content, policy, more), tamper = TAMPERINGS[kind]
    before, tampered = set(vault.unpublished(stack)), []

    def reach(place: str) -> None:
        """The main artifact is sealed first."""
        if place == "sealed":
            tampered.append(next(found for found in vault.unpublished(stack) if found not in before))
            tamper(stack, *tampered[0])

    monkeypatch.setattr("workers.pipeline.pipeline.reach", reach)
    job = vault.run_here(stack, context, content, policy, **more)
    assert len(tampered) == 1
    vault.assert_not_released(stack, job)
