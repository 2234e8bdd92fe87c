"""Bundles: the service signs them, an auditor verifies them offline, and any later change is refused."""

import io
import json
import zipfile

import pytest

from tests.service.samples import KEPT, table_policy
from verifier.bundles import verify_bundle

TABLE = b"age,zip,disease\n" + b"20,08000,flu\n20,08000,cancer\n20,08000,flu\n" * 20
POLICY = table_policy()
REPORT = {"policy": POLICY, "mechanism": None, "guarantees": [KEPT | {"achieved": {"k": 60}}]}


@pytest.fixture(scope="module")
def published(api):
    return api.publish(TABLE, tenant="bundled", report=REPORT, name="Pacientes")


@pytest.fixture(scope="module")
def bundle(api, published):
    with api.client("auditor", "bundled") as auditor:
        answer = auditor.get(f"/v1/releases/{published.release_id}/bundle.zip")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Disposition"] == 'attachment; filename="pacientes-bundle.zip"'
    return answer.content


@pytest.fixture(scope="module")
def key(api):
    with api.client("auditor", "bundled") as auditor:
        return auditor.get("/v1/audit-events/verify").json()["signed_head"]["public_key"]


def checked(folder, content, key=None):
    path = folder / "bundle.zip"
    path.write_bytes(content)
    return verify_bundle(path, key)


def rewritten(content, change, compression=zipfile.ZIP_STORED):
    """The bundle with its members changed by a function, as an archive of the same make."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    change(members)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return made.getvalue()


def edit(name, old, new):
    def change(members):
        assert old in members[name]
        members[name] = members[name].replace(old, new)

    return change


def test_a_bundle_is_verified_offline_by_the_key_of_the_audit_heads(bundle, key, tmp_path):
    found = checked(tmp_path, bundle, key)
    assert found.reasons == []
    assert found.holds
    assert found.public_key == key
    assert found.verdict["findings"][0]["achieved"] == {"k": 60}


def test_it_holds_files_policy_dictionary_report_and_metadata(bundle, published):
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        names = set(archive.namelist())
        assert archive.read("files/table.csv.csv") == TABLE
        assert json.loads(archive.read("report.json"))["risk"]
    assert {"manifest.json", "manifest.sig", "policy.json", "dictionary.json", "metadata/dcat-ap.jsonld"} <= names


SPOILED = {
    "a cell": edit("files/table.csv.csv", b"flu", b"FLU"),
    "the policy": edit("policy.json", b'"k": 3', b'"k": 2'),
    "the report": edit("report.json", b'"uniques": 41', b'"uniques": 40'),
    "the metadata": edit("metadata/dcat-ap.jsonld", b"k = 3", b"k = 9"),
    "the manifest": edit("manifest.json", b'"table"', b'"nodes"'),
    "the signature": edit("manifest.sig", b'"signature": "', b'"signature": "00'),
    "a file that is gone": lambda members: members.pop("dictionary.json"),
    "a file too many": lambda members: members.update({"files/more.csv": b"x"}),
    "no manifest": lambda members: members.pop("manifest.json"),
    "a manifest that says things twice": edit("manifest.json", b'"bundle": 1', b'"bundle": 1, "bundle": 1'),
    "a manifest that is a list": lambda members: members.update({"manifest.json": b"[]"}),
    "a manifest without end": lambda members: members.update({"manifest.json": b"[" * 200_000}),
    "a manifest that is no text": lambda members: members.update({"manifest.json": b"\xff"}),
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_a_spoiled_bundle_is_refused(bundle, tmp_path, spoiled):
    found = checked(tmp_path, rewritten(bundle, SPOILED[spoiled]))
    assert not found.holds
    assert found.reasons


def test_an_untouched_copy_of_the_same_make_is_accepted(bundle, tmp_path):
    assert checked(tmp_path, rewritten(bundle, lambda members: None)).holds


def test_another_key_is_refused_where_the_key_is_known(bundle, tmp_path):
    assert checked(tmp_path, bundle, "00" * 32).reasons == [
        "the manifest was signed by another key than the one that you know"
    ]


def bomb():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b"0" * 50_000_000)
    return made.getvalue()


def named(name):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, b"x")
    return made.getvalue()


def many():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number in range(1_001):
            archive.writestr(f"m{number}", b"")
    return made.getvalue()


def overlapping():
    """A member whose size in the directory is more than the archive has."""
    content = bytearray(named("manifest.json"))
    place = content.rindex(b"PK\x01\x02")
    content[place + 20 : place + 28] = (1 << 30).to_bytes(4, "little") * 2
    return bytes(content)


HOSTILE = {
    "nothing": lambda bundle: b"",
    "no archive": lambda bundle: b"x" * 100,
    "half of it": lambda bundle: bundle[: len(bundle) // 2],
    "something behind it": lambda bundle: bundle + b"x",
    "compressed": lambda bundle: rewritten(bundle, lambda members: None, zipfile.ZIP_DEFLATED),
    "a bomb": lambda bundle: bomb(),
    "a way out": lambda bundle: named("../../etc/passwd"),
    "an absolute name": lambda bundle: named("/etc/passwd"),
    "a hidden name": lambda bundle: named(".ssh"),
    "too many": lambda bundle: many(),
    "more than there is": lambda bundle: overlapping(),
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_archive_is_refused_before_it_unfolds(bundle, tmp_path, hostile):
    found = checked(tmp_path, HOSTILE[hostile](bundle))
    assert not found.holds
    assert found.reasons
    assert found.verdict == {}


def test_each_reader_gets_the_report_that_is_for_them(api, published, tmp_path):
    for role, sees in (("auditor", True), ("consumer", False)):
        with api.client(role, "bundled") as client:
            answer = client.get(f"/v1/releases/{published.release_id}/bundle.zip")
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            report, policy = (json.loads(archive.read(f"{name}.json")) for name in ("report", "policy"))
        assert ("risk" in report) == sees
        assert ("name" in policy["attributes"]) == sees
        assert checked(tmp_path, answer.content).holds


def test_a_bundle_is_in_the_trail_and_gone_with_its_release(api):
    made = api.publish(TABLE, tenant="gone", report=REPORT)
    path = f"/v1/releases/{made.release_id}/bundle.zip"
    with api.client("auditor", "gone") as auditor, api.client("steward", "gone") as steward:
        first = auditor.get(path)
        assert auditor.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
        assert auditor.head(path).status_code == 200
        events = auditor.get("/v1/audit-events", params={"action": "release.download"}).json()["items"]
        assert [event["details"] for event in events] == [{"format": "bundle"}]
        steward.post(f"/v1/releases/{made.release_id}/withdraw", json={"reason": "a mistake"})
        assert auditor.get(path).status_code == 410
    with api.client(None) as nobody:
        assert nobody.get(path).status_code == 404
