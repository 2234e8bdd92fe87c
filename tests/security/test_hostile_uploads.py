"""Hostile uploads: refused immediately or by the job, in bounded memory, and the service continues to work."""

import csv
import gzip
import io
import json
import random
import secrets
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from tests.patience import wait_for
from tests.system.conftest import Stack
from tests.system.samples import graph_policy, patients, table_policy

MEBIBYTE = 1 << 20
HEADER = b"name,age,zip,sex,disease\n"


@pytest.fixture(scope="module", autouse=True)
def _alive_afterwards(stack: Stack) -> Iterator[None]:
    """Whatever these tests send, the same processes still publish a good table at the end."""
    before = {name: process.pid for name, process in stack.processes.items()}
    yield
    assert stack.publish(patients(60, seed=3), table_policy(3, None))["status"] == "released"
    assert {name: process.pid for name, process in stack.processes.items()} == before
    assert all(process.poll() is None for process in stack.processes.values())


def peak_memory(stack: Stack) -> int:
    """Peak memory of the API, in bytes."""
    lines = Path(f"/proc/{stack.processes['api'].pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def bombs() -> dict[str, tuple[bytes, str]]:
    """Small files that would decompress to large ones."""
    zeros = HEADER + b"\n" * (200 * MEBIBYTE)
    packed, archive = gzip.compress(zeros, 1), zipped(zeros)
    return {
        "gzip": (packed, "bomb.csv.gz"),
        "zstd": (zstandard.compress(zeros), "bomb.csv.zst"),
        "gzip in gzip": (gzip.compress(packed), "bomb.csv.gz"),
        "one cell": (gzip.compress(b'name,age\n"' + b"x" * (200 * MEBIBYTE), 1), "bomb.csv.gz"),
        "zip": (archive, "bomb.zip"),
        "zip that is called csv": (archive, "bomb.csv"),
        "zip in gzip": (gzip.compress(archive), "bomb.csv.gz"),
        "many members": (gzip.compress(HEADER + b"\n" * MEBIBYTE) * 200, "bomb.csv.gz"),
    }


def zipped(content: bytes) -> bytes:
    """A zip archive, which is not a supported format."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.csv", content)
    return out.getvalue()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_no_decompression_bomb_fills_the_memory(stack: Stack) -> None:
    stack.upload(HEADER + b"x,1,1,F,flu\n" * 200_000)
    before = peak_memory(stack)
    for name, (content, file_name) in bombs().items():
        answer = stack.upload(content, file_name=file_name)
        assert answer.status_code in (413, 422), name
    assert peak_memory(stack) - before < 64 * MEBIBYTE


XML = {
    "nested entities": b"""<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;">]><graphml><graph edgedefault="undirected"><node id="&c;"/></graph></graphml>""",
    "a file of the server": b"""<?xml version="1.0"?><!DOCTYPE g [<!ENTITY x SYSTEM "file://%s">]>
<graphml><graph edgedefault="undirected"><node id="&x;"/></graph></graphml>""",
    "an entity from afar": b"""<?xml version="1.0"?><!DOCTYPE g SYSTEM "http://127.0.0.1:1/x.dtd"><graphml/>""",
    "a parameter entity": b"""<?xml version="1.0"?><!DOCTYPE g [<!ENTITY %% p SYSTEM "file:///secret"> %%p;]>
<graphml/>""",
}


@pytest.mark.parametrize("case", XML)
@pytest.mark.parametrize("ending", ["graphml", "gexf"])
def test_no_document_type_is_ever_expanded(stack: Stack, tmp_path: Path, case: str, ending: str) -> None:
    secret = secrets.token_hex(12)
    (tmp_path / "secret").write_text(secret)
    content = XML[case] % str(tmp_path / "secret").encode() if b"%s" in XML[case] else XML[case].replace(b"%%", b"%")
    answer = stack.upload(content, graph_policy(2), file_name=f"g.{ending}")
    assert answer.status_code == 422, answer.text
    assert secret not in answer.text


JSON_LINES = {
    "depth": b'{"a": ' * 100_000,
    "not a number": b'{"a": NaN}\n{"a": 1}\n',
    "infinity": b'{"a": 1e999}\n',
    "a repeated key": b'{"a": 1, "a": 2}\n',
    "a lonely surrogate": b'{"a": "\\ud800"}\n',
    "a long number": b'{"a": ' + b"9" * 100_000 + b"}\n",
}
TABLES = {
    "a million columns": b",".join(b"c%d" % number for number in range(1_000_000)) + b"\n",
    "a long cell": b"a,b\n1," + b"x" * 200_000 + b"\n",
    "NUL": b"a,b\n1,\x002\n",
    "two columns of one name": b"a,a\n1,2\n",
    "utf-16 without a mark": "a,b\n1,2\n".encode("utf-16-le"),
    "an open quote": b'a,b\n1,"' + b"x\n" * 2_000_000,
}


@pytest.mark.parametrize("case", [*JSON_LINES, *TABLES])
def test_hostile_text_is_refused_and_never_a_server_error(stack: Stack, case: str) -> None:
    content, name = (JSON_LINES[case], "a.jsonl") if case in JSON_LINES else (TABLES[case], "a.csv")
    answer = stack.upload(content, file_name=name)
    if answer.status_code == 201:
        assert settled(stack, answer.json()["id"]) == "invalid"
    else:
        assert answer.status_code in (413, 422), answer.text
        assert answer.headers["Content-Type"] == "application/problem+json"


def settled(stack: Stack, dataset_id: str) -> str:
    """The worker's findings about a dataset."""
    with stack.client() as steward:

        def status() -> str:
            return str(steward.get(f"/v1/datasets/{dataset_id}").json()["status"])

        wait_for(lambda: status() != "stored", "a worker that looks at the dataset")
        return status()


def good_parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"age": [30, 31], "zip": ["1", "2"]}), sink)
    return sink.getvalue()


def lying_parquet() -> dict[str, bytes]:
    """Files whose footer is wrong."""
    good = good_parquet()
    length = struct.unpack("<I", good[-8:-4])[0]
    footer = good[-8 - length : -8]
    body, end = good[: -8 - length], good[-8:]
    unfolding = io.BytesIO()
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), pa.array(["x" * 100_000]))
    pq.write_table(pa.table({"age": repeated}), unfolding)
    contents = (
        good[:-8] + struct.pack("<I", 0x7FFFFFFF) + b"PAR1",
        body + footer[: length // 2] + struct.pack("<I", length // 2) + b"PAR1",
        body + random.Random(5).randbytes(length) + end,
        good.replace(footer, many_rows(footer)),
        good[:4] + footer + end,
        unfolding.getvalue(),
    )
    return dict(zip(LIES, contents, strict=True))


LIES = (
    "the footer is longer than the file",
    "the footer is cut",
    "the footer is noise",
    "more rows than there are people",
    "no pages at all",
    "a dictionary that unfolds to 20 GB",
)


def many_rows(footer: bytes) -> bytes:
    """The footer with its number of rows raised; Thrift's compact form writes 2 as the zigzag number 04."""
    raised = footer.replace(b"\x16\x04", b"\x16\xfe\xff\xff\xff\x0f")
    assert raised != footer
    return raised


@pytest.mark.parametrize("case", LIES)
def test_a_parquet_file_that_lies_ends_in_a_refusal(stack: Stack, case: str) -> None:
    content = lying_parquet()[case]
    policy = {
        "kind": "table",
        "attributes": {"age": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
    }
    if "dictionary" not in case:
        policy["attributes"] = {"age": {"role": "quasi_identifier"}, "zip": {"role": "quasi_identifier"}}
    answer = stack.upload(content, policy, file_name="a.parquet")
    if answer.status_code == 202:
        job = stack.finish(answer.json()["job"]["id"])
        assert job["status"] == "failed", job
    else:
        assert answer.status_code in (413, 422), answer.text


FILE_NAMES = [
    "../../etc/passwd",
    "..\\..\\x.csv",
    "a\x00b.csv",
    "x" * 4096 + ".csv",
    "\u202egnp.csv",
    "a\r\nX-Evil: 1.csv",
    "",
]


@pytest.mark.parametrize("name", FILE_NAMES, ids=ascii)
def test_a_files_name_names_nothing_here(stack: Stack, name: str) -> None:
    """It is only a hint of the format: it never becomes a path, a header or a field of an answer."""
    boundary = "b0undary"
    escaped = name.replace("\r\n", "%0D%0A").replace('"', "%22")
    metadata = json.dumps({"name": "test", "kind": "table", "format": "csv"})
    policy = json.dumps(table_policy(3, None))
    body = (
        "".join(
            [
                f'--{boundary}\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{metadata}\r\n',
                f'--{boundary}\r\nContent-Disposition: form-data; name="policy"\r\n\r\n{policy}\r\n',
                f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{escaped}"\r\n\r\n',
            ]
        ).encode()
        + patients(60)
        + f"\r\n--{boundary}--\r\n".encode()
    )
    with stack.client() as steward:
        answer = steward.post(
            "/v1/datasets", content=body, headers={"Content-Type": f"multipart/form-data; boundary={boundary}"}
        )
    if answer.status_code == 422:
        return
    assert answer.status_code == 202, answer.text
    job = stack.finish(answer.json()["job"]["id"])
    assert job["status"] == "released", job
    with stack.client("consumer") as consumer:
        got = consumer.get(f"/v1/releases/{job['release_id']}/data")
    # The file is named after the dataset, which the steward named.
    assert got.headers["Content-Disposition"] == 'attachment; filename="test-table.csv"'
    if name:
        assert name not in answer.text + json.dumps(job)


FORMULAS = ['=HYPERLINK("http://x")', "+1+1", "@SUM(A1)", "-cmd|' /C calc'!A0", "\t=1", "\r=1"]


def test_no_released_cell_runs_in_a_spreadsheet(stack: Stack) -> None:
    """In CSV, a text that a spreadsheet would execute is prefixed with an apostrophe; numbers stay numbers."""
    quoted = ['"' + text.replace('"', '""') + '"' for text in FORMULAS]
    rows = [f"{20 + number % 5},-5,{quoted[number % len(quoted)]}" for number in range(60)]
    policy = {
        "kind": "table",
        "attributes": {
            "age": {"role": "quasi_identifier"},
            "change": {"role": "insensitive", "type": "integer"},
            "note": {"role": "insensitive"},
        },
        "guarantees": [{"model": "k_anonymity", "k": 3}],
        "method": {"name": "mondrian"},
        "formats": ["csv", "jsonl"],
    }
    job = stack.publish(("age,change,note\n" + "\n".join(rows) + "\n").encode(), policy)
    assert job["status"] == "released", job
    cells = list(csv.DictReader(io.StringIO(stack.data(job["release_id"]).decode(), newline="")))
    assert {row["note"] for row in cells} == {"'" + text for text in FORMULAS}
    assert {row["change"] for row in cells} == {"-5"}
    lines = stack.data(job["release_id"], format="jsonl").decode().splitlines()
    assert {json.loads(line)["note"] for line in lines} == set(FORMULAS)
