"""The pipeline: the content of a release and the records made with it."""

import hashlib
import io
import json
from dataclasses import replace

import numpy as np
import pytest

import verifier
from storage.blobs import blobs
from storage.datasets import hierarchies
from tests.system.samples import friends, graph_policy, patients, table_policy
from tests.workers.conftest import Steward
from tests.workers.releasing import PUBLISHED, ROWS, policy_for, rows_of
from workers.pipeline import lineage, sealing
from workers.run import sources
from workers.run.watch import JobWatch

# --- what is published -----------------------------------------------------------------------------------------------


def test_a_released_table_is_written_down_whole(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS), name="ward 7")
    policy = policy_for(3, 2, formats=["csv", "jsonl"])
    job = steward.run(dataset, policy)
    assert (job.status, job.progress, job.stage, job.error, job.refusal) == ("released", 1.0, "publish", None, None)
    assert steward.ask("SELECT lease_until FROM jobs WHERE id = :id", id=job.id) is None

    release = steward.released(job)
    assert steward.releases_of(dataset) == [release]
    assert (release.job_id, release.tenant_id, release.dataset_id) == (job.id, steward.tenant_id, dataset.id)
    assert (release.lineage_id, release.kind, release.name) == (dataset.lineage_id, "table", "ward 7")
    assert release.audience == "tenant"
    columns = [("age", "text"), ("zip", "text"), ("sex", "text"), ("disease", "text")]
    assert release.shape == {"columns": [{"name": name, "type": type_} for name, type_ in columns], "rows": ROWS}
    assert [column["name"] for column in release.dictionary] == [name for name, _ in columns]

    assert [(a.format, a.part) for a in release.artifacts] == [("csv", "table"), ("jsonl", "table")]
    verified = [verifier.Artifact(a.format, a.part, steward.content(a)) for a in release.artifacts]
    for artifact, served in zip(release.artifacts, verified, strict=True):
        assert hashlib.sha256(served.content).hexdigest() == artifact.sha256
        assert len(served.content) == artifact.size
    verdict = verifier.verify(policy, verified)
    assert verdict.holds
    assert len(rows_of(bytes(verified[0].content))) == ROWS
    assert [(g["model"], g["holds"], g["achieved"]) for g in release.guarantees] == [
        (finding.model, True, finding.achieved) for finding in verdict.findings
    ]
    assert [(g["required"], g["evidence"], g["assumes"], g["detail"]) for g in release.guarantees] == [
        (finding.required, finding.evidence, finding.assumes, finding.detail) for finding in verdict.findings
    ]


def test_the_report_of_a_release_is_saved_with_it(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    job = steward.run(dataset, policy_for(3, 2))
    release, saved = steward.released(job), steward.report(job)
    k = release.guarantees[0]["achieved"]["k"]
    assert (saved.dataset_id, saved.release_id, saved.status) == (dataset.id, release.id, "released")
    assert (saved.method, saved.guarantees) == ("mondrian", ["k_anonymity", "l_diversity"])
    assert (saved.achieved_k, saved.private) == (k, False)
    report = saved.content
    assert (report["job_id"], report["release_id"]) == (str(job.id), str(release.id))
    assert (report["schema_version"], report["status"], report["refusal"], report["kind"]) == (
        1, "released", None, "table",
    )  # fmt: skip
    assert report["dataset"] == {"id": str(dataset.id), "name": "patients", "rows": ROWS}
    assert report["guarantees"] == release.guarantees
    assert report["artifacts"] == [
        {"format": a.format, "part": a.part, "sha256": a.sha256, "bytes": a.size} for a in release.artifacts
    ]
    assert report["release"]["rows"] == ROWS
    assert report["release"]["smallest"] == k
    assert report["risk"]["after"]["prosecutor"]["max"] == pytest.approx(1 / k)
    assert report["risk"]["before"]["prosecutor"]["max"] == 1
    assert report["risk"]["attacks"] == []
    who = report["risk"]["answers"]["identity"]
    assert (who["name"], who["highest"]) == ("prosecutor", pytest.approx(1 / k))
    assert saved.risk == who["rate"] == report["risk"]["after"]["prosecutor"]["mean"]
    assert report["utility"] == {}
    assert report["transformation"] == {"rows_in": ROWS, "rows_out": ROWS, "rows_suppressed": 0}
    assert "mechanism" not in report
    assert not {"public", "rows_in"} & set(report["method"])
    assert report["waivers"] == []
    assert [attribute["name"] for attribute in report["explanation"]["attributes"]] == ["age", "zip", "sex"]
    assert set(report["timing"]) == {"load", "check", "protect", "seal", "verify", "measure", "publish", "cpu"}
    assert set(report["timing"]["cpu"]) == set(report["timing"]) - {"cpu"}
    assert report["policy"]["method"]["name"] == "mondrian"
    assert set(report["software"]) == {"antifaz"}
    assert "SYNTACTIC_NO_FORMAL_GUARANTEE" in [warning["code"] for warning in report["warnings"]]


def test_measures_may_draw_chances_and_are_watched(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, float]] = []
    watching = JobWatch.__call__

    def watched(watch: JobWatch, fraction: float) -> bool:
        seen.append((watch.stage, fraction))
        return watching(watch, fraction)

    monkeypatch.setattr(JobWatch, "__call__", watched)
    job = steward.run(steward.upload(patients(ROWS)), table_policy(3, None))
    assert job.status == "released", job
    report = steward.report(job).content
    assert {"record_linkage", "homogeneity"} <= {attack["name"] for attack in report["risk"]["attacks"]}
    assert "ncp" in report["utility"]
    assert max(fraction for stage, fraction in seen if stage == "measure") > 0


def test_the_audit_trail_tells_of_a_release_its_files_and_its_waivers(steward: Steward) -> None:
    waiver = {"rule": "free_text", "reason": "names of wards"}
    job = steward.run(steward.upload(patients(ROWS)), policy_for(waivers=[waiver]))
    release = steward.released(job)
    (event,) = steward.events()
    assert (event.actor, event.action, event.subject) == ("worker", "release.publish", str(release.id))
    assert event.details == {
        "job": str(job.id),
        "lineage": str(release.lineage_id),
        "artifacts": [{"format": a.format, "part": a.part, "sha256": a.sha256} for a in release.artifacts],
        "waivers": ["free_text"],
    }
    assert steward.report(job).content["waivers"] == [waiver]


def test_what_a_release_refers_to_is_kept_from_the_sweep(steward: Steward) -> None:
    release = steward.released(steward.run(steward.upload(patients(ROWS)), policy_for()))
    assert release.map_blob_id is not None
    for blob_id in (release.map_blob_id, *(artifact.blob_id for artifact in release.artifacts)):
        assert steward.ask("SELECT published FROM blobs WHERE id = :id", id=blob_id) is True
    assert steward.unpublished() == 0


def test_the_sealed_map_says_which_record_each_row_was_and_its_class(steward: Steward) -> None:
    original = rows_of(patients(ROWS))
    release = steward.released(steward.run(steward.upload(patients(ROWS)), policy_for()))
    assert release.map_blob_id is not None
    packed = sources.read_blob(steward.context, steward.tenant_id, release.map_blob_id)
    with np.load(io.BytesIO(packed), allow_pickle=False) as archive:
        assert set(archive.files) == {"promise", "records", "classes"}
        records, classes = archive["records"], archive["classes"]
    served = rows_of(steward.content(release.artifacts[0]))
    assert sorted(records) == list(range(ROWS))
    assert [row["disease"] for row in served] == [original[record]["disease"] for record in records]
    labels = [(row["age"], row["zip"], row["sex"]) for row in served]
    assert len(set(labels)) > 1
    assert len(set(zip(labels, classes.tolist(), strict=True))) == len(set(labels)) == len(set(classes.tolist()))


def test_a_released_graph_has_its_nodes_in_two_formats(steward: Steward) -> None:
    dataset = steward.upload(friends(30, 60), "graph")
    job = steward.run(dataset, graph_policy(2, formats=["graphml", "edgelist"], **PUBLISHED))
    assert job.status == "released", job
    release = steward.released(job)
    parts = {(a.format, a.part): a for a in release.artifacts}
    assert list(parts) == [("csv", "nodes"), ("parquet", "nodes"), ("edgelist", "graph"), ("graphml", "graph")]
    edges = rows_of(steward.content(parts["edgelist", "graph"]))
    nodes = rows_of(steward.content(parts["csv", "nodes"]))
    assert release.shape == {
        "columns": [],
        "nodes": len(nodes),
        "edges": len(edges),
        "directed": False,
        "form": "graph",
    }
    assert sorted(int(node["node"]) for node in nodes) == list(range(len(nodes)))
    assert release.map_blob_id is not None
    packed = sources.read_blob(steward.context, steward.tenant_id, release.map_blob_id)
    with np.load(io.BytesIO(packed), allow_pickle=False) as archive:
        assert archive.files == ["origin"]
        assert len(archive["origin"]) == len(nodes)
    report = steward.report(job).content
    assert {name: report["dataset"][name] for name in ("nodes", "edges")} == steward.dataset(dataset.id).counts
    assert steward.dataset(dataset.id).details["directed"] is False
    assert report["dataset"]["edges"] == 60
    assert report["transformation"]["self_loops_dropped"] == 0


def test_a_directed_graph_is_judged_as_one(steward: Steward) -> None:
    details = {"directed": True, "strict": False, "header": True}
    content = b"source,target\n" + b"".join(b"%d,%d\n" % (n, (n + 1) % 6) for n in range(6))
    job = steward.run(steward.upload(content, "graph", details=details), graph_policy(2, **PUBLISHED))
    assert job.status == "released", job
    assert steward.released(job).shape["directed"] is True
    assert "in- and out-degree" in steward.released(job).guarantees[0]["assumes"]


def test_an_identifier_may_be_released_as_a_pseudonym(steward: Steward) -> None:
    policy = policy_for(3, formats=["csv"])
    policy["attributes"]["name"]["pseudonym"] = True
    job = steward.run(steward.upload(patients(ROWS)), policy)
    assert job.status == "released", job
    rows = rows_of(steward.content(steward.released(job).artifacts[0]))
    assert len({row["name"] for row in rows}) == ROWS
    assert not any("Person" in row["name"] for row in rows)


def test_nodes_carry_their_attributes_in_every_format(steward: Steward) -> None:
    nodes = b"node,town\n" + b"".join(b"id-%d,t%d\n" % (node, node % 2) for node in range(30))
    about = {"format": "csv", "delimiter": ",", "encoding": "utf-8"}
    details = {"directed": False, "strict": False, "header": True, "nodes": about}
    dataset = steward.upload(friends(30, 60), "graph", details=details, nodes_blob_id=steward.store(nodes))
    policy = graph_policy(2, formats=["graphml"], attributes={"town": {"role": "quasi_identifier"}}, **PUBLISHED)
    policy["guarantees"].append({"model": "k_anonymity", "k": 2})
    job = steward.run(dataset, policy)
    assert job.status == "released", job
    release = steward.released(job)
    assert release.shape["columns"] == [{"name": "town", "type": "text"}]
    contents = {(a.format, a.part): steward.content(a) for a in release.artifacts}
    assert b'attr.name="town"' in contents["graphml", "graph"]
    assert {row["town"] for row in rows_of(contents["csv", "nodes"])} == {"t0", "t1"}
    assert "node_classes" in steward.report(job).content["release"]


def test_people_and_not_their_rows_are_counted_in_every_release(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    policy = policy_for(3, privacy_unit="name", formats=["csv"])
    for models in (["k_anonymity"], ["k_anonymity", "joint_releases"]):
        job = steward.run(dataset, policy)
        assert job.status == "released", job
        guarantees = steward.released(job).guarantees
        assert [guarantee["model"] for guarantee in guarantees] == models
        assert {guarantee["evidence"] for guarantee in guarantees} == {"bytes+sealed_map"}


TOWN = {
    "attributes": {
        "name": {"role": "identifier"},
        "disease": {"role": "sensitive"},
        **{name: {"role": "quasi_identifier"} for name in ("age", "zip", "sex")},
    }
}


def test_populations_and_stored_hierarchies_reach_engine_and_verifier(steward: Steward) -> None:
    people = steward.upload(patients(ROWS), name="town", population=TOWN)
    organs = [["asthma", "lungs", "*"], ["flu", "lungs", "*"], ["cancer", "rest", "*"], ["hepatitis", "rest", "*"]]
    stored = steward.store(json.dumps({"kind": "levels", "rows": organs}).encode())
    draft = hierarchies.HierarchyDraft(tenant_id=steward.tenant_id, name="organs", kind="levels", blob_id=stored)
    with steward.main.begin() as connection:
        hierarchies.create_hierarchy(connection, steward.context.release_key, draft)
    policy = policy_for(3, formats=["csv"])
    policy["attributes"]["disease"]["hierarchy"] = {"id": str(draft.id)}
    policy["guarantees"] = [
        {"model": "k_map", "k": 3, "population": str(people.id)},
        {"model": "t_closeness", "t": 0.9, "distance": "hierarchical", "attribute": "disease"},
    ]
    job = steward.run(steward.upload(patients(ROWS)), policy)
    assert job.status == "released", job
    found = steward.released(job).guarantees
    assert [(guarantee["model"], guarantee["holds"]) for guarantee in found] == [("k_map", True), ("t_closeness", True)]


def test_the_store_is_read_back_whole_and_compared_with_what_was_rendered(steward: Steward) -> None:
    content = bytes(range(256)) * 6_000
    with steward.context.main.begin() as connection:
        blob = blobs.write_release_blob(connection, steward.context.release_key, steward.tenant_id, [content])
    assert blob.chunks == 2
    sealed = sealing.Sealed("csv", "table", blob.id, blob.size, hashlib.sha256(content).hexdigest())
    (artifact,) = sealing.read_back(steward.context, steward.tenant_id, [sealed])
    assert (artifact.format, artifact.part, artifact.content) == ("csv", "table", content)
    other = replace(sealed, sha256=hashlib.sha256(b"").hexdigest())
    with pytest.raises(blobs.CorruptBlob, match="the stored artifact is not the one that was rendered"):
        list(sealing.read_back(steward.context, steward.tenant_id, [other]))


def test_a_map_is_numbers_and_never_code() -> None:
    assert lineage._unpacked(lineage.packed({"records": np.arange(3)}))["records"].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="pickle"):
        lineage._unpacked(lineage.packed({"records": np.array([{"a": 1}], dtype=object)}))
