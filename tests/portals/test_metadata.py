"""Metadata of six kinds of release in third-party validators and readers: each passes, each damaged copy fails."""

import copy
import csv
import hashlib
import io
import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from metadata.profiles import PROFILES
from tests.leaks.canary import Flock
from tests.portals.releases import KINDS, card, make_public, publish_kind
from tests.system.conftest import ROOT

SHAPES = Path(os.environ.get("ANTIFAZ_SHAPES", ROOT.parent / "shared" / "data" / "portals"))
ASKED = 1_800
DCAT_AP = ("dcat-ap-3.0.1-shapes.ttl", "dcat-ap-3.0.1-range.ttl")
DCAT_US = ("dcat-us-3.0-shapes.ttl",)


class Shown:
    """A public release: its answer, its files and all its metadata, as a stranger gets them."""

    def __init__(self, stack: Any, release_id: str, folder: Path) -> None:
        self.id, self.folder = release_id, folder
        folder.mkdir()
        self.address = f"{stack.address}/v1/releases/{release_id}"
        with stack.client(None) as client:
            self.release = client.get(f"/v1/releases/{release_id}").json()
            self.report = client.get(f"/v1/releases/{release_id}/report").json()
            self.files = {
                (each["part"], each["format"]): client.get(
                    f"/v1/releases/{release_id}/data", params={"part": each["part"], "format": each["format"]}
                ).content
                for each in self.release["artifacts"]
            }
            for profile in PROFILES:
                answer = client.get(f"/v1/releases/{release_id}/metadata", params={"profile": profile})
                assert answer.status_code == 200, answer.text
                (folder / profile).write_bytes(answer.content)
            turtle = {"Accept": "text/turtle"}
            answer = client.get(f"/v1/releases/{release_id}/metadata", params={"profile": "dcat-ap"}, headers=turtle)
            (folder / "dcat-ap.ttl").write_bytes(answer.content)
            page = client.get(f"/releases/{release_id}")
            (folder / "page.html").write_bytes(page.content)

    def document(self, profile: str) -> Any:
        return json.loads((self.folder / profile).read_text())

    def rows(self, part: str, form: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.files[part, form].decode())))

    def delimited(self) -> dict[str, int]:
        """Rows of each piece that is a text with commas."""
        return {part: len(self.rows(part, form)) for part, form in self.files if form in ("csv", "edgelist")}

    def cases(self, name: str) -> list[dict[str, Any]]:
        """The input of every judge."""
        ap, us = ([str(SHAPES / file) for file in files] for files in (DCAT_AP, DCAT_US))
        at = self.folder
        files = [f"{self.address}/data?format={form}&part={part}" for part, form in self.files]
        return [
            {"judge": judge, "name": f"{name}: {label}", **about}
            for judge, label, about in (
                ("shacl", "DCAT-AP", {"document": str(at / "dcat-ap"), "format": "json-ld", "shapes": ap}),
                ("shacl", "DCAT-US", {"document": str(at / "dcat-us"), "format": "json-ld", "shapes": us}),
                ("same_graph", "Turtle", {"json_ld": str(at / "dcat-ap"), "turtle": str(at / "dcat-ap.ttl")}),
                ("croissant", "Croissant", {"document": str(at / "croissant"), "rows": self.delimited()}),
                ("datapackage", "Data Package", {"document": str(at / "datapackage"), "schema": str(PACKAGE)}),
                ("frictionless", "frictionless", {"document": str(at / "datapackage")}),
                ("ro_crate", "RO-Crate", {"document": str(at / "ro-crate")}),
                ("datacite", "DataCite", {"document": str(at / "datacite")}),
                ("signposting", "Signposting", {"address": self.address.replace("/v1/", "/"), "items": files}),
            )
        ]


PACKAGE = SHAPES / "datapackage-2.0.schema.json"


@pytest.fixture(scope="module")
def hidden() -> Flock:
    """Marks that are part of people's names and must not be disclosed."""
    return Flock()


@pytest.fixture(scope="module")
def shown(stack: Any, hidden: Flock, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shown]:
    if not PACKAGE.exists():
        pytest.skip(f"the shapes of the profiles are not in {SHAPES}; ANTIFAZ_SHAPES says where they are")
    folder = tmp_path_factory.mktemp("documents")
    found = {}
    for kind in KINDS:
        job = publish_kind(stack, kind, hidden)
        assert job["status"] == "released", (kind, job, stack.said())
        make_public(stack, job["release_id"], card(f"A {kind} for validators", "validators"))
        found[kind] = Shown(stack, job["release_id"], folder / kind)
    return found


def ask_judges(environments: Path, cases: list[dict[str, Any]]) -> dict[str, tuple[bool, str]]:
    program = [environments / "validators" / "bin" / "python", ROOT / "tests" / "portals" / "judge.py"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in program],
        input=json.dumps(cases),
        env=environment,
        capture_output=True,
        text=True,
        timeout=ASKED,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return {each["name"]: (each["passed"], each["said"]) for each in json.loads(done.stdout)}


def test_every_validator_passes_every_kind_of_release(environments, shown):
    cases = [case for kind, release in shown.items() for case in release.cases(kind)]
    verdicts = ask_judges(environments, cases)
    refused = [f"{name}: {said}" for name, (passed, said) in verdicts.items() if not passed]
    assert not refused, "\n".join(refused)
    assert len(verdicts) == len(KINDS) * 9


def test_readers_of_oai_pmh_find_what_is_public(environments, stack, shown):
    with stack.client(None) as client:
        public = [each["id"] for each in client.get("/v1/releases", params={"limit": 200}).json()["items"]]
    titles = [f"A {kind} for validators" for kind in KINDS]
    about = {"address": f"{stack.address}/oai", "public": public, "titles": titles}
    cases = [{"judge": judge, "name": judge, **about} for judge in ("sickle", "scythe")]
    wrong = [case | {"name": f"spoiled {case['name']}", "public": public[1:]} for case in cases]
    verdicts = ask_judges(environments, [*cases, *wrong])
    assert {name: said for name, (passed, said) in verdicts.items() if not passed and "spoiled" not in name} == {}
    assert {name for name, (passed, _) in verdicts.items() if passed} == {"sickle", "scythe"}


def node_of(document: Any, kind: str) -> Any:
    return next(node for node in document["@graph"] if kind in node["@type"])


def without(name: str) -> Any:
    return lambda document: document.pop(name)


def spoil_title(document: Any) -> None:
    del node_of(document, "dcat:Dataset")["dct:title"]


def spoil_link(document: Any) -> None:
    node_of(document, "dcat:Dataset")["dcat:distribution"][0]["dcat:accessURL"] = {"@value": "not a link"}


def spoil_digest(document: Any) -> None:
    document["distribution"][0]["sha256"] = "0" * 64


def spoil_column(document: Any) -> None:
    document["recordSet"][0]["field"][0]["source"]["extract"]["column"] = "no such column"


def spoil_type(document: Any) -> None:
    document["resources"] = [each for each in document["resources"] if each.get("type") == "table"]
    text = next(each for each in document["resources"][0]["schema"]["fields"] if each["type"] == "string")
    text["type"] = "integer"


def spoil_hash(document: Any) -> None:
    next(each for each in document["resources"] if each.get("type") == "table")["hash"] = "sha256:" + "0" * 64


def spoil_root(document: Any) -> None:
    next(each for each in document["@graph"] if each["@id"] == "./").pop("name")


SPOILED = {
    "DCAT-AP": [spoil_title, spoil_link],
    "DCAT-US": [spoil_title, spoil_link],
    "Turtle": [spoil_title],
    "Croissant": [spoil_digest, without("distribution"), spoil_column],
    "Data Package": [without("resources")],
    "frictionless": [spoil_hash, spoil_type],
    "RO-Crate": [spoil_root],
    "DataCite": [without("creators"), without("publisher")],
    "Signposting": [],
}


def test_every_spoiled_copy_fails(environments, shown, tmp_path):
    """In every way of a table's documents, and in the first way of each judge those of the other kinds."""
    cases = []
    for case in (each for kind, release in shown.items() for each in release.cases(kind)):
        kind, _, label = case["name"].partition(": ")
        place = "json_ld" if label == "Turtle" else "document"
        for number, spoil in enumerate(SPOILED[label][: None if kind == "table" else 1]):
            document = json.loads(Path(case[place]).read_text())
            spoil(document)
            file = tmp_path / f"{kind}-{label}-{number}"
            file.write_text(json.dumps(document))
            cases.append({**copy.deepcopy(case), "name": f"{kind}: {label} {number}", place: str(file)})
        if label == "Signposting":
            cases.append({**case, "name": f"{kind}: Signposting 0", "items": case["items"][1:]})
    verdicts = ask_judges(environments, cases)
    assert len(verdicts) == 15 + 9 * (len(KINDS) - 1)
    assert {name for name, (passed, _) in verdicts.items() if passed} == set()


def test_every_figure_of_the_metadata_is_that_of_the_downloaded_bytes(shown):
    for kind, release in shown.items():
        digests = {hashlib.sha256(content).hexdigest(): len(content) for content in release.files.values()}
        dataset = node_of(release.document("dcat-ap"), "dcat:Dataset")
        stated = {
            each["spdx:checksum"]["spdx:checksumValue"]["@value"]: int(each["dcat:byteSize"]["@value"])
            for each in dataset["dcat:distribution"]
        }
        assert stated == digests, kind
        crumbs = {
            each["sha256"]: int(each["contentSize"].split()[0])
            for each in release.document("croissant")["distribution"]
        }
        assert crumbs == digests, kind
        resources = release.document("datapackage")["resources"]
        assert {each["hash"].removeprefix("sha256:") for each in resources} == set(digests), kind
        assert all(
            digests[each["hash"].removeprefix("sha256:")] == each.get("bytes", digests[each["hash"][7:]])
            for each in resources
        )
        crate = release.document("ro-crate")["@graph"]
        files = [each for each in crate if "File" in each["@type"]]
        assert {each["sha256"]: int(each["contentSize"]) for each in files} == digests, kind
        sizes = {f"{size} bytes" for size in digests.values()}
        assert sizes <= set(release.document("datacite")["sizes"]), kind
        assert figures_of(dataset) == counted(release), kind


def figures_of(dataset: Any) -> dict[str, float]:
    """The measurements of sizes and of what can be counted in the files, by their names."""
    found = {}
    for each in dataset["dqv:hasQualityMeasurement"]:
        name = each["@id"].rpartition("#measurement-")[2]
        if name in ("rows", "nodes", "edges", "snapshots") or re.fullmatch(
            r"\d+-k_anonymity-k|\d+-k_degree_anonymity-k", name
        ):
            found[re.sub(r"^\d+-", "", name)] = float(each["dqv:value"]["@value"])
    return found


def counted(release: Shown) -> dict[str, float]:
    """The same figures from the files alone."""
    pieces = release.delimited()
    found: dict[str, float] = {}
    if "table" in pieces:
        found["rows"] = pieces["table"]
        table = pq.read_table(io.BytesIO(release.files["table", "parquet"]))
        assert table.num_rows == pieces["table"]
    for piece, name in (("nodes", "nodes"), ("graph", "edges"), ("snapshots", "snapshots")):
        if piece in pieces:
            found[name] = pieces[piece]
    models = {each["model"] for each in release.release["guarantees"]}
    if "k_anonymity" in models:
        piece = "table" if "table" in pieces else "nodes"
        quasi = [each["name"] for each in release.release["dictionary"] if each["role"] == "quasi_identifier"]
        form = next(form for part, form in release.files if part == piece and form in ("csv", "edgelist"))
        found["k_anonymity-k"] = min(
            Counter(tuple(row[name] for name in quasi) for row in release.rows(piece, form)).values()
        )
    if "k_degree_anonymity" in models:
        found["k_degree_anonymity-k"] = smallest_degree_class(release)
    return found


def smallest_degree_class(release: Shown) -> int:
    form = next(form for part, form in release.files if part == "graph" and form in ("csv", "edgelist"))
    nodes = [
        row["node"]
        for row in release.rows("nodes", next(f for p, f in release.files if p == "nodes" and f in ("csv", "edgelist")))
    ]
    edges = release.rows("graph", form)
    smallest = []
    for moment in {row.get("snapshot") for row in edges}:
        at = [row for row in edges if row.get("snapshot") == moment]
        if release.release["shape"].get("directed"):
            out, into = Counter(row["source"] for row in at), Counter(row["target"] for row in at)
            degrees = Counter((out[node], into[node]) for node in nodes)
        else:
            ends = Counter(row[side] for row in at for side in ("source", "target"))
            degrees = Counter((ends[node],) for node in nodes)
        smallest.append(min(degrees.values()))
    return min(smallest)


def test_no_document_holds_a_mark_of_the_original(shown, hidden):
    for release in shown.values():
        for file in release.folder.iterdir():
            assert hidden.mark.encode() not in file.read_bytes().lower(), file
        for content in release.files.values():
            assert hidden.mark.encode() not in content.lower()
    assert hidden.count > 100, "the originals had the marks"
