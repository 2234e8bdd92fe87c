"""The same data in other bytes is recognized when it is read, whatever its order, spelling and format."""

import gzip
import io
import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from formats.core.raw import RawColumn
from publication.digests import digest_of_pairs, digest_of_table
from storage.accounts import ledger
from storage.datasets import contents, datasets
from tests.workers.conftest import Steward
from tests.workers.releasing import PUBLISHED
from workers.process.tasks import run_job

ROWS = [("Ana", "30", "1.50", "2020-01-02"), ("Bob", "31", "2", "2020-01-03"), ("Cleo", "30", "", "2020-01-04")]
NAMES = ("name", "age", "weight", "day")


def lines(rows: Any = ROWS, delimiter: str = ",", end: str = "\n", names: Any = NAMES) -> bytes:
    return (end.join(delimiter.join(row) for row in [names, *rows]) + end).encode()


def parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({name: [row[place] for row in ROWS] for place, name in enumerate(NAMES)}), sink)
    return sink.getvalue()


def csv(**more: Any) -> dict[str, Any]:
    return {"format": "csv", "details": {"delimiter": ",", "encoding": "utf-8", **more}}


OTHER_BYTES: dict[str, tuple[bytes, dict[str, Any]]] = {
    "line ends": (lines(end="\r\n"), csv()),
    "no newline at the end": (lines().rstrip(b"\n"), csv()),
    "another delimiter": (lines(delimiter=";"), csv(delimiter=";")),
    "tabs": (lines(delimiter="\t"), csv(delimiter="\t")),
    "quotes": (lines([tuple(f'"{cell}"' for cell in row) for row in ROWS]), csv()),
    "order of rows": (lines(ROWS[::-1]), csv()),
    "order of columns": (lines([row[::-1] for row in ROWS], names=NAMES[::-1]), csv()),
    "other names of columns": (lines(names=("a", "b", "c", "d")), csv()),
    "another encoding": (lines().decode().encode("utf-16"), csv(encoding="utf-16")),
    "spelling": (lines([("ANA ", "030", "1.5", "2020-01-02"), ("bob", "31.0", "2.0", "2020-01-03"), ROWS[2]]), csv()),
    "compressed": (gzip.compress(lines()), csv(compression="gzip")),
    "parquet": (parquet(), {"format": "parquet", "details": {}}),
    "jsonl": (
        "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in ROWS).encode(),
        {"format": "jsonl", "details": {}},
    ),
}


@pytest.fixture
def recognizing(steward: Steward) -> Steward:
    """A tenant of workers that recognize data."""
    settings = steward.context.settings.model_copy(update={"recognize_files": True})
    return replace(steward, context=replace(steward.context, settings=settings))


def profiled(steward: Steward, dataset: datasets.DatasetRecord) -> datasets.DatasetRecord:
    """The dataset after a worker has read it."""
    job_id = steward.submit(dataset, None, task="profile")
    run_job(steward.context, job_id)
    return steward.dataset(dataset.id)


def assert_recognized(steward: Steward, found: datasets.DatasetRecord, known: UUID) -> None:
    assert found.status == "invalid", found
    assert found.problem is not None
    assert found.problem["type"] == "urn:antifaz:problem:known-file"
    assert (found.problem["status"], found.problem["dataset_id"]) == (409, str(known))
    assert "supersedes" in found.problem["detail"]
    assert "unrelated" in found.problem["detail"]
    chunks = "SELECT count(*) FROM original_chunks WHERE blob_id = :id"
    assert steward.ask(chunks, id=found.blob_id) == 0


@pytest.mark.parametrize("case", OTHER_BYTES)
def test_the_same_cells_in_other_bytes_are_recognized(recognizing: Steward, case: str) -> None:
    first = profiled(recognizing, recognizing.upload(lines(), **csv()))
    assert first.status == "ready", first
    content, fields = OTHER_BYTES[case]
    assert_recognized(recognizing, profiled(recognizing, recognizing.upload(content, **fields)), first.id)


def test_other_cells_are_not_recognized(recognizing: Steward) -> None:
    others = [
        [*ROWS, ("Dan", "32", "3", "2020-01-05")], ROWS[:2], [*ROWS, ROWS[0]],
        [("Ana", "31", "1.50", "2020-01-02"), *ROWS[1:]],
        [("Ana", "30", "1.50", "2020-01-03"), ("Bob", "31", "2", "2020-01-02"), ROWS[2]],
    ]  # fmt: skip
    for rows in (ROWS, *others):
        assert profiled(recognizing, recognizing.upload(lines(rows), **csv())).status == "ready"


POLICY: dict[str, Any] = {
    "kind": "table",
    "attributes": {name: {"role": "quasi_identifier"} for name in NAMES},
    "guarantees": [{"model": "k_anonymity", "k": 2}],
    "method": {"name": "mondrian"},
    **PUBLISHED,
}


def test_a_job_submitted_with_the_upload_reads_no_further(recognizing: Steward) -> None:
    first = profiled(recognizing, recognizing.upload(lines(), **csv()))
    again = recognizing.upload(lines(ROWS[::-1]), **csv())
    job = recognizing.run(again, POLICY)
    assert job.status == "failed"
    assert job.error is not None
    assert job.error["dataset_id"] == str(first.id)
    assert_recognized(recognizing, recognizing.dataset(again.id), first.id)
    assert recognizing.releases_of(again) == []


def test_a_version_and_a_declared_exception_are_read(recognizing: Steward) -> None:
    rows = [(f"Person {number}", str(30 + number % 2), "1", "2020-01-02") for number in range(40)]
    first = profiled(recognizing, recognizing.upload(lines(rows), **csv()))
    newer = profiled(recognizing, recognizing.upload(lines(rows[::-1]), supersedes=first.id, **csv()))
    assert newer.status == "ready"
    other = profiled(recognizing, recognizing.upload(lines(rows[::-1]), unrelated=True, **csv()))
    assert other.status == "ready"
    event = next(each for each in recognizing.events() if each.action == "dataset.same_content")
    assert (event.subject, event.details) == (str(other.id), {"unrelated_to": str(first.id)})
    job = recognizing.run(other, {**POLICY, "attributes": POLICY["attributes"] | {"name": {"role": "identifier"}}})
    assert job.status == "released", job
    assert "SAME_FILE_UNRELATED" in {warning["code"] for warning in recognizing.report(job).content["warnings"]}


def test_another_tenant_has_its_own_digests(recognizing: Steward, steward: Steward) -> None:
    first = profiled(recognizing, recognizing.upload(lines(), **csv()))
    with recognizing.main.connect() as c:
        stored = contents.get_content(c, recognizing.context.release_key, first.id)
    assert stored is not None
    keys = [
        contents.keys_of_content(recognizing.context.release_key, tenant)[0] for tenant in (first.tenant_id, first.id)
    ]
    assert keys[0] != keys[1]


@pytest.mark.parametrize("charged", [True, False])
def test_a_deleted_dataset_counts_if_it_was_asked_about(recognizing: Steward, charged: bool) -> None:
    """Otherwise deleting and uploading again would start the budget again."""
    first = profiled(recognizing, recognizing.upload(lines(), **csv()))
    keys = recognizing.context.release_key
    if charged:
        recognizing.grant(first, 10)
        job_id = recognizing.submit(first, None, task="query")
        with recognizing.main.begin() as c:
            assert ledger.spend(c, keys, first.lineage_id, 5)
            ledger.enter(c, keys, first.lineage_id, job_id, ledger.Price(5))
    with recognizing.main.begin() as c:
        assert datasets.mark_deleted(c, first.id)
    again = profiled(recognizing, recognizing.upload(lines(ROWS[::-1]), **csv()))
    assert again.status == ("invalid" if charged else "ready")


def test_a_dataset_that_was_read_before_there_were_digests_stays(recognizing: Steward, steward: Steward) -> None:
    old = profiled(steward, steward.upload(lines(), **csv()))
    assert profiled(recognizing, recognizing.upload(lines(ROWS[::-1]), **csv())).status == "ready"
    assert profiled(recognizing, old).status == "ready"


EDGES = [("a", "b"), ("b", "c"), ("C", "d")]


def graph(edges: list[tuple[str, str]], end: str = "\n") -> bytes:
    return end.join([",".join(pair) for pair in [("source", "target"), *edges]]).encode()


@pytest.mark.parametrize(
    "content",
    [graph(EDGES[::-1]), graph([pair[::-1] for pair in EDGES]), graph(EDGES, "\r\n"), graph([*EDGES, EDGES[0]])],
    ids=["order", "direction", "line ends", "repeated"],
)
def test_the_same_edges_in_another_order_are_recognized(recognizing: Steward, content: bytes) -> None:
    first = profiled(recognizing, recognizing.upload(graph(EDGES), "graph"))
    assert first.status == "ready", first
    assert_recognized(recognizing, profiled(recognizing, recognizing.upload(content, "graph")), first.id)


def test_other_edges_are_not_recognized(recognizing: Steward) -> None:
    for edges in (EDGES, [("a", "c"), ("b", "d"), ("b", "c")], EDGES[:2]):
        assert profiled(recognizing, recognizing.upload(graph(edges), "graph")).status == "ready"


KEY, ANOTHER = bytes(32), bytes([1]) * 32


def column(name: str, *cells: str) -> RawColumn:
    values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), values)


def test_digests_depend_on_the_key_and_on_which_cells_are_in_one_row() -> None:
    table = [column("a", "x", "y"), column("b", "1", "2")]
    crossed = [column("a", "x", "y"), column("b", "2", "1")]
    [one, other] = digest_of_table(table, 2)([KEY, ANOTHER])
    assert one != other
    assert digest_of_table(table[::-1], 2)([KEY]) == [one]
    assert digest_of_table(crossed, 2)([KEY]) != [one]
    names, ends = np.array(["x", "y"], dtype=object), np.array([0])
    assert digest_of_pairs(names, ends, ends + 1)([KEY]) != [one]


def test_jobs_of_the_same_dataset_store_one_digest(recognizing: Steward) -> None:
    dataset = recognizing.upload(lines(), **csv())
    for _ in range(2):
        assert profiled(recognizing, dataset).status == "ready"
    assert recognizing.ask("SELECT count(*) FROM contents WHERE dataset_id = :id", id=dataset.id) == 1
