"""Bundles: the service signs them, an auditor verifies them offline, and any later change is refused."""

import hashlib
import io
import json
import zipfile

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.service.samples import KEPT, table_policy
from verifier.__main__ import main
from verifier.bundles import claimed_key, verify_bundle

TABLE = b"age,zip,disease\n" + b"20,08000,flu\n20,08000,cancer\n20,08000,flu\n" * 20
POLICY = table_policy()
REPORT = {"policy": POLICY, "mechanism": None, "guarantees": [KEPT | {"achieved": {"k": 60}}]}


@pytest.fixture(scope="module")
def published(api):
    return api.publish(TABLE, tenant="bundled", report=REPORT, name="Pacientes")


def bundle_for(api, published, role):
    with api.client(role, "bundled") as client:
        answer = client.get(f"/v1/releases/{published.release_id}/bundle.zip")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Disposition"] == 'attachment; filename="pacientes-bundle.zip"'
    return answer.content


@pytest.fixture(scope="module")
def bundle(api, published):
    return bundle_for(api, published, "steward")


@pytest.fixture(scope="module")
def audited(api, published):
    """The same for an auditor, who may not read data."""
    return bundle_for(api, published, "auditor")


@pytest.fixture(scope="module")
def key(api):
    with api.client("auditor", "bundled") as auditor:
        return auditor.get("/v1/audit-events/verify").json()["signed_head"]["public_key"]


def checked(folder, content, key=None, **given):
    path = folder / "bundle.zip"
    path.write_bytes(content)
    return verify_bundle(path, {key} if key else (), given)


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


def forged(content, change):
    """The bundle after a change, with a manifest that fits and is signed by a key of the forger's own."""
    key = Ed25519PrivateKey.generate()

    def sign(members):
        change(members)
        manifest = json.loads(members["manifest.json"])
        for entry in manifest["files"]:
            body = members.get(entry["path"])
            if body is not None:
                entry |= {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}
        report = json.loads(members["report.json"])
        files = {entry["path"]: entry for entry in manifest["files"]}
        if "files/table.csv.csv" in members:
            report["artifacts"][0]["sha256"] = files["files/table.csv.csv"]["sha256"]
        members["report.json"] = body = json.dumps(report).encode()
        files["report.json"] |= {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}
        members["manifest.json"] = made = json.dumps(manifest).encode()
        text = f"antifaz bundle 1\n{hashlib.sha256(made).hexdigest()}\n"
        public = key.public_key().public_bytes_raw().hex()
        members["manifest.sig"] = json.dumps(
            {"public_key": public, "signature": key.sign(text.encode()).hex()}
        ).encode()

    return rewritten(content, sign)


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


def test_an_untouched_copy_of_the_same_make_is_accepted(bundle, key, tmp_path):
    assert checked(tmp_path, rewritten(bundle, lambda members: None), key).holds


def test_without_a_known_key_nothing_is_proven_and_the_status_says_so(bundle, key, tmp_path, capsys):
    found = checked(tmp_path, bundle)
    assert (found.status, found.holds, found.reasons) == ("signer unknown", False, [])
    assert key in found.cannot_tell[-1]
    place = str(tmp_path / "bundle.zip")
    assert claimed_key(tmp_path / "bundle.zip") == key
    assert main([place]) == 4
    assert json.loads(capsys.readouterr().out)["holds"] is False
    assert main([place, "--key", key.upper()]) == 0
    assert json.loads(capsys.readouterr().out)["holds"] is True


def test_changed_cells_under_our_id_signed_by_a_forger_are_never_a_success(bundle, audited, key, tmp_path, capsys):
    change = edit("files/table.csv.csv", b"20,08000,flu", b"20,08000,hiv")
    for content, unknown in ((forged(bundle, change), 4), (forged(audited, lambda members: None), 3)):
        assert checked(tmp_path, content, key).reasons == [
            "the manifest was signed by another key than the ones that you know"
        ]
        place = str(tmp_path / "bundle.zip")
        assert main([place]) == unknown
        assert main([place, "--key", key]) == 1
        assert main([place, "--key", "00" * 32, "--key", key]) == 1
        assert '"holds": true' not in capsys.readouterr().out.partition('"findings"')[0]


def test_a_bundle_without_any_file_proves_nothing(bundle, tmp_path):
    def empty(members):
        members.pop("files/table.csv.csv")
        manifest = json.loads(members["manifest.json"])
        manifest["files"] = [entry for entry in manifest["files"] if "format" not in entry]
        members["manifest.json"] = json.dumps(manifest).encode()
        members["report.json"] = json.dumps(json.loads(members["report.json"]) | {"artifacts": [{}]}).encode()

    content = forged(bundle, empty)
    assert checked(tmp_path, content).status == "does not hold"


def test_an_auditors_bundle_has_manifest_report_and_digests_and_no_file(audited, published):
    with zipfile.ZipFile(io.BytesIO(audited)) as archive:
        names = archive.namelist()
        manifest = json.loads(archive.read("manifest.json"))
    assert [name for name in names if name.startswith("files/")] == []
    withheld = [entry for entry in manifest["files"] if entry.get("withheld")]
    assert [entry["sha256"] for entry in withheld] == [hashlib.sha256(TABLE).hexdigest()]
    assert TABLE not in audited
    assert b"20,08000,flu" not in audited


def test_an_auditor_verifies_what_they_may_have_and_is_told_what_was_not_checked(audited, key, tmp_path, capsys):
    found = checked(tmp_path, audited, key)
    assert (found.status, found.reasons, found.verdict) == ("cannot tell", [], {})
    assert "the signature" in found.checked
    assert found.cannot_tell[0] == "1 of 1 file(s) of the release were not given"
    place, table, other = (tmp_path / name for name in ("bundle.zip", "received.csv", "other.csv"))
    table.write_bytes(TABLE)
    other.write_bytes(TABLE.replace(b"flu", b"FLU", 1))
    assert main([str(place), "--key", key]) == 3
    assert main([str(place), str(table), "--key", key]) == 0
    assert main([str(place), str(table)]) == 4
    capsys.readouterr()
    assert main([str(place), str(other), "--key", key]) == 1
    assert "is not a file of this release" in capsys.readouterr().out


def test_a_report_that_admits_a_broken_guarantee_is_no_proof_without_files_either(audited, tmp_path):
    admit = edit("report.json", b'"holds": true', b'"holds": false')
    assert "does not hold" in checked(tmp_path, forged(audited, admit)).status


def test_only_files_of_the_release_can_be_withheld(bundle, tmp_path):
    def hide(members):
        manifest = json.loads(members["manifest.json"])
        next(entry for entry in manifest["files"] if entry["path"] == "policy.json")["withheld"] = True
        members["manifest.json"] = json.dumps(manifest).encode()

    assert checked(tmp_path, forged(bundle, hide)).status == "does not hold"


def test_another_key_is_refused_where_the_key_is_known(bundle, tmp_path):
    assert checked(tmp_path, bundle, "00" * 32).reasons == [
        "the manifest was signed by another key than the ones that you know"
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


def test_each_reader_gets_the_report_that_is_for_them(api, published, key, tmp_path):
    for role, sees in (("auditor", True), ("consumer", False), ("steward", True)):
        with api.client(role, "bundled") as client:
            answer = client.get(f"/v1/releases/{published.release_id}/bundle.zip")
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            report, policy = (json.loads(archive.read(f"{name}.json")) for name in ("report", "policy"))
        assert ("risk" in report) == sees
        assert ("name" in policy["attributes"]) == sees
        assert checked(tmp_path, answer.content, key, received=TABLE).holds


def test_a_bundle_is_in_the_trail_and_gone_with_its_release(api):
    made = api.publish(TABLE, tenant="gone", report=REPORT)
    path = f"/v1/releases/{made.release_id}/bundle.zip"
    with api.client("auditor", "gone") as auditor, api.client("steward", "gone") as steward:
        first = auditor.get(path)
        assert auditor.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
        assert auditor.head(path).status_code == 200
        events = auditor.get("/v1/audit-events", params={"action": "release.download"}).json()["items"]
        assert [event["details"] for event in events] == [{"format": "bundle", "files": False}]
        steward.post(f"/v1/releases/{made.release_id}/withdraw", json={"reason": "a mistake"})
        assert auditor.get(path).status_code == 410
    with api.client(None) as nobody:
        assert nobody.get(path).status_code == 404
