"""Gallery: fills a service with one of everything, so that every page and every kind of report can be seen."""

import gzip
import json
import time
from pathlib import Path
from typing import Any

import httpx

from tests.courier.portals.little_ckan import KEY, little_ckan
from tests.courier.receivers import receiving

ROOT = Path(__file__).resolve().parents[1]
ENDED = ("released", "assessed", "refused", "failed", "cancelled")
PATIENTS = (ROOT / "examples" / "patients.csv").read_bytes()
FRIENDS = (ROOT / "examples" / "friends.edges").read_bytes()
MESSAGES = (ROOT / "examples" / "messages.csv").read_bytes()
PATIENTS_POLICY: dict[str, Any] = json.loads((ROOT / "examples" / "patients.policy.json").read_text())
ADULT = {
    "sex": "quasi_identifier",
    "age": "quasi_identifier",
    "race": "quasi_identifier",
    "marital-status": "quasi_identifier",
    "education": "quasi_identifier",
    "native-country": "quasi_identifier",
    "workclass": "insensitive",
    "occupation": "sensitive",
    "salary-class": "insensitive",
}
CARD = {
    "title": "Adults of the 1994 census",
    "description": "Records of adults with age, education, occupation and country, generalized to classes of at least "
    "five people, verified and attacked before publication. For teaching and for research on work and income.",
    "keywords": ["census", "income", "education"],
    "themes": ["SOCI"],
    "language": "en",
    "license": "CC-BY-4.0",
    "publisher": {"name": "Office of Statistics", "url": "https://statistics.example"},
    "contact": {"name": "Data office", "email": "data@statistics.example"},
    "spatial": "United States",
    "temporal": {"start": "1994", "end": "1994"},
    "version": "1.0",
}


DECLARED = {
    "columns": {
        "age": {"type": "integer", "bounds": [17, 90]},
        "sex": {"type": "text", "keys": ["Female", "Male"]},
        "salary-class": {"type": "text", "keys": ["<=50K", ">50K"]},
    },
    "measure": "pure",
    "budget": {"epsilon": 4},
    "waivers": [{"rule": "composition", "reason": "Release and answers go to the same university."}],
}
EVENTS = ("job.released", "job.refused", "release.withdrawn", "publication.failed")


class Gallery:
    """A service to fill."""

    def __init__(self, address: str, token: str) -> None:
        self.client = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=120)

    def fill(self) -> None:
        """Publish, try, compare, refuse and fail."""
        adult = self.upload("Adults", "adult.csv", _adult(), "table")
        self.submit({"dataset_id": adult, "policy": _adult_policy(10), "trial": True})
        vary = {"/guarantees/0/k": [2, 5, 10, 25]}
        self.finished(
            self.post("/v1/comparisons", {"dataset_id": adult, "policy": _adult_policy(5), "vary": vary})["id"]
        )
        released = self.submit({"dataset_id": adult, "policy": _adult_policy(5)})
        self.open_to_all(released["release_id"])
        self.publish("Friends", "friends.edges", FRIENDS, _graph("k_degree_anonymity", "k_degree", k=3))
        dolphins = (ROOT / "tests" / "data" / "graphs" / "dolphins" / "dolphins.gml").read_bytes()
        self.publish("Dolphins", "dolphins.gml", dolphins, _graph("k_automorphism", "k_automorphism", k=2))
        policy = _graph("temporal_k_degree_anonymity", "temporal_k_degree", "temporal_graph", k=2)
        self.publish("Messages", "messages.csv", MESSAGES, policy, window="day")
        self.publish("Patients, invented rows", "patients.csv", PATIENTS, _synthetic(), budget={"epsilon": 4})
        deniable = _graph("edge_local_dp", "edge_local_dp", epsilon=3, density={"declared": 0.23})
        self.publish("Friends, deniable", "friends.edges", FRIENDS, deniable)
        gated = PATIENTS_POLICY | {"gate": {"max_prosecutor_risk": 0.1}}
        self.publish("Patients, at more risk than the gate allows", "patients.csv", PATIENTS, gated)
        self.publish("Patients with a wrong type", "patients.csv", PATIENTS, _typed_wrongly())
        withdrawn = self.publish("Patients", "patients.csv", PATIENTS, PATIENTS_POLICY)
        self.post(f"/v1/releases/{withdrawn['release_id']}/withdraw", {"reason": "A column was described wrongly."})
        self.post("/v1/tokens", {"name": "portal of the city", "role": "consumer", "expires_in_days": 90})
        self.open_to_questions(adult)

    def open_to_questions(self, dataset_id: str) -> None:
        """Declare a dataset, grant an analyst a part of its budget, and ask."""
        _checked(self.client.put(f"/v1/datasets/{dataset_id}/declarations", json=DECLARED))
        analyst = self.post("/v1/tokens", {"name": "analyst of the university", "role": "analyst"})
        self.post(f"/v1/datasets/{dataset_id}/grants", {"token_id": analyst["id"], "epsilon": 1})
        question = {"select": [{"count": {}}], "group_by": ["sex"], "epsilon": 0.25}
        asking = httpx.Client(base_url=self.client.base_url, headers={"Authorization": f"Bearer {analyst['token']}"})
        with asking:
            _checked(asking.post(f"/v1/datasets/{dataset_id}/queries", json=question))

    def send_out(self, seconds: float = 120) -> None:
        """Add webhooks and portals, some that answer and some that do not, and wait for the courier."""
        release_id = next(
            each["id"] for each in _checked(self.client.get("/v1/releases"))["items"] if each["audience"] == "public"
        )
        with receiving() as hearing, receiving() as deaf, little_ckan() as city:
            deaf.usual = (500, b"")
            hooks = [
                self.post("/v1/webhooks", {"url": each.url, "events": list(EVENTS), "description": name})
                for each, name in ((hearing, "Newsroom of the data office"), (deaf, "A machine that is switched off"))
            ]
            for hook in hooks:
                self.post(f"/v1/webhooks/{hook['id']}/test", {})
            for name, key in (("Portal of the city", KEY), ("Portal with an old key", "expired")):
                about = {"kind": "ckan", "name": name, "url": city.url, "token": key, "collection": "statistics"}
                portal = self.post("/v1/portals", about)
                self.post(f"/v1/releases/{release_id}/publications", {"portal": portal["id"]})
            self._sent(release_id, [hook["id"] for hook in hooks], seconds)

    def _sent(self, release_id: str, hooks: list[str], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            items = _checked(self.client.get(f"/v1/releases/{release_id}/publications"))["items"]
            tried = [_checked(self.client.get(f"/v1/webhooks/{hook}/deliveries"))["items"][0] for hook in hooks]
            if all(each["state"] != "queued" for each in items) and all(each["attempts"] for each in tried):
                return
            time.sleep(0.5)
        raise TimeoutError("the courier sent nothing")

    def wait_in_line(self) -> None:
        """Submit a job that no worker claims."""
        dataset = self.upload("Patients, waiting", "patients.csv", PATIENTS, "table")
        self.post("/v1/jobs", {"dataset_id": dataset, "policy": PATIENTS_POLICY})

    def empty_tenant(self) -> str:
        """The token of an administrator of an empty organization."""
        return str(self.post("/v1/tenants", {"name": "nothing-yet"})["token"]["token"])

    def upload(self, name: str, file: str, content: bytes, kind: str) -> str:
        """Upload a file without a policy, and return the dataset's id."""
        about = (None, json.dumps({"name": name, "kind": kind, "unrelated": True}), "application/json")
        return str(
            _checked(self.client.post("/v1/datasets", files=[("metadata", about), ("file", (file, content))]))["id"]
        )

    def publish(self, name: str, file: str, content: bytes, policy: dict[str, Any], **metadata: Any) -> dict[str, Any]:
        """Upload a file with its policy and wait until the job has ended."""
        about = {"name": name, "kind": policy["kind"], "unrelated": True, **metadata}
        parts = [
            ("metadata", (None, json.dumps(about), "application/json")),
            ("policy", (None, json.dumps(policy), "application/json")),
            ("file", (file, content)),
        ]
        answer = self.client.post("/v1/datasets", files=parts)
        return self.finished(_checked(answer)["job"]["id"])

    def submit(self, body: dict[str, Any]) -> dict[str, Any]:
        """Run a job and wait until it has ended."""
        return self.finished(self.post("/v1/jobs", body)["id"])

    def open_to_all(self, release_id: str) -> None:
        """Write the card of a release and make it public."""
        _checked(self.client.put(f"/v1/releases/{release_id}/about", json=CARD))
        self.post(f"/v1/releases/{release_id}/audience", {"audience": "public"})

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a POST."""
        return _checked(self.client.post(path, json=body))

    def finished(self, job_id: str, seconds: float = 600) -> dict[str, Any]:
        """Wait for a job to end, and return it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            job = _checked(self.client.get(f"/v1/jobs/{job_id}", params={"wait": 20}))
            if job["status"] in ENDED:
                return job
        raise TimeoutError(f"job {job_id} still {job['status']}")


def _checked(answer: httpx.Response) -> dict[str, Any]:
    if answer.status_code >= 400:
        raise RuntimeError(f"{answer.request.url.path}: {answer.text}")
    found: dict[str, Any] = answer.json()
    return found


def _adult() -> bytes:
    return gzip.decompress((ROOT / "tests" / "data" / "tables" / "adult" / "adult.csv.gz").read_bytes())


def _adult_policy(k: int) -> dict[str, Any]:
    return {
        "kind": "table",
        "attributes": {name: {"role": role} for name, role in ADULT.items()},
        "guarantees": [
            {"model": "k_anonymity", "k": k},
            {"model": "l_diversity", "variant": "distinct", "l": 2, "attribute": "occupation"},
        ],
        "method": {"name": "mondrian"},
        "gate": {"max_suppressed": 0.05},
    }


def _graph(model: str, method: str, kind: str = "graph", **parameters: Any) -> dict[str, Any]:
    return {"kind": kind, "guarantees": [{"model": model, **parameters}], "method": {"name": method}}


def _synthetic() -> dict[str, Any]:
    diseases = sorted({line.rpartition(",")[2] for line in PATIENTS.decode().splitlines()[1:]})
    return {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi_identifier"},
            "zip": {"role": "identifier"},
            "sex": {"role": "quasi_identifier"},
            "disease": {"role": "sensitive"},
        },
        "guarantees": [{"model": "differential_privacy", "epsilon": 2}],
        "method": {
            "name": "synthetic",
            "model": "dp_marginals",
            "bounds": {"age": [0, 110]},
            "values": {"sex": ["F", "M"], "disease": diseases},
        },
    }


def _typed_wrongly() -> dict[str, Any]:
    """A policy that declares a text column as numbers, which only its values reveal."""
    wrong = {"disease": {"role": "quasi_identifier", "type": "integer"}}
    attributes = PATIENTS_POLICY["attributes"] | wrong
    return PATIENTS_POLICY | {"attributes": attributes, "guarantees": [{"model": "k_anonymity", "k": 3}]}
