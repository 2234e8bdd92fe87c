"""Every kind of data fulfills its contract, and only the kinds' own objects test for the kind."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antifaz.assessment import assess, refuse
from antifaz.errors import InvalidDataset
from antifaz.kinds import kind_named, kinds
from antifaz.kinds.records import column_types
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.unchanged import refuse_unchanged
from publication.kinds import PUBLISHERS
from publication.source import Source
from service.policies.kinds import KINDS as UPLOADED
from storage.settings import Settings
from verifier import Artifact, verify
from verifier.check import VERIFIERS
from verifier.readers.policies import KINDS as JUDGED

ROOT = Path(__file__).parents[1]
MOST_QUESTIONS = 8
QUESTION = re.compile(
    r'kind (==|!=|in) \(?"(table|graph|temporal_graph)"'
    r"|isinstance\([^)]*(TablePolicy|GraphPolicy)"
    r"|\.(table|graph) is (not )?None"
)

_AGES = "".join(f"{20 + number % 7},{'flu' if number % 3 else 'cold'}\n" for number in range(40))
_RING = "".join(f"{number},{(number + 1) % 12}\n{number},{(number + number % 5 + 2) % 12}\n" for number in range(12))
_NODES = "".join(f"{number},{20 + number % 4}\n" for number in range(12))
_CONTACTS = "".join(
    f"{number},{(number + step + 1) % 12},{1_000_000_000 + 86_400 * step}\n"
    for step in range(3)
    for number in range(12)
)
_AGE = {"age": {"role": "quasi_identifier"}}

SAMPLES: dict[str, dict[str, Any]] = {
    "table": {
        "format": "csv",
        "file": "age,illness\n" + _AGES,
        "counts": {"rows": 40},
        "policy": {
            "attributes": _AGE | {"illness": {"role": "sensitive"}},
            "guarantees": [{"model": "k_anonymity", "k": 3}],
            "method": {"name": "mondrian"},
        },
        "subjects": ["table"],
    },
    "graph": {
        "format": "edgelist",
        "file": _RING,
        "nodes": "node,age\n" + _NODES,
        "counts": {"nodes": 12},
        "policy": {
            "attributes": _AGE,
            "guarantees": [{"model": "k_degree_anonymity", "k": 2}, {"model": "k_anonymity", "k": 2}],
            "method": {"name": "k_degree"},
        },
        "subjects": ["table", "graph"],
    },
    "temporal_graph": {
        "format": "edgelist",
        "details": {"header": False, "order": [0, 1, 2], "window": "day"},
        "file": _CONTACTS,
        "nodes": "node,age\n" + _NODES,
        "counts": {"nodes": 12, "snapshots": 3},
        "policy": {
            "attributes": _AGE,
            "guarantees": [{"model": "k_degree_anonymity", "k": 2}, {"model": "k_anonymity", "k": 2}],
            "method": {"name": "k_degree"},
        },
        "subjects": ["table", "temporal_graph"],
    },
}


class Sample:
    """A dataset of a kind as it is stored, and a policy for it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.about = SAMPLES[kind]
        self.policy = parse_policy({"kind": kind, **self.about["policy"]})
        self.source = Source(
            self.about["format"],
            {"nodes": {"format": "csv"}, **self.about.get("details", {})},
            lambda: iter([self.about["file"].encode()]),
            (lambda: iter([self.about["nodes"].encode()])) if "nodes" in self.about else None,
        )

    def read(self) -> Any:
        return PUBLISHERS[self.kind].read(self.source, Settings(), self.policy)[0]


@pytest.fixture(params=sorted(SAMPLES))
def sample(request: pytest.FixtureRequest) -> Sample:
    return Sample(request.param)


def test_every_place_that_knows_kinds_knows_the_same_ones() -> None:
    assert set(kinds()) == set(SAMPLES) == set(PUBLISHERS) == set(VERIFIERS) == set(JUDGED) == set(UPLOADED)


def test_a_kind_goes_by_one_name_and_its_policy_by_the_same(sample: Sample) -> None:
    kind = kind_named(sample.kind)
    assert kind.name == sample.policy.kind == sample.read().kind
    assert type(sample.policy) is kind.policy


def test_a_kind_is_read_and_counted(sample: Sample) -> None:
    dataset = sample.read()
    assert sample.about["counts"].items() <= dataset.counts().items()
    assert [column["name"] for column in column_types(dataset)] == list(sample.about["policy"]["attributes"])


def test_a_kind_is_checked_protected_rendered_and_verified(sample: Sample) -> None:
    policy, work, kind = sample.policy, PUBLISHERS[sample.kind], kind_named(sample.kind)
    checked = check(sample.read(), policy)
    protected = protect(checked, policy, np.random.default_rng(5))
    files = [Artifact(form, part, b"".join(content)) for form, part, content in work.render(policy, protected)]
    assert {file.format for file in files} >= set(policy.formats)
    evidence = work.evidence(checked, protected, policy)
    verdict = verify(policy.canonical(), files, evidence, bool(kind.shape(protected).get("directed")))
    assert verdict.holds, verdict
    assert len(verdict.findings) == len(policy.guarantees)
    assert set(kind.shape(protected)) >= set(sample.about["counts"])
    assert {column.name for column in protected.columns} <= {column.name for column in protected.described}
    assert sum(len(file.content) for file in files) >= work.least_bytes(policy, protected)
    assert work.sealed_map(policy.canonical(), policy, checked, protected, None)


def test_a_release_of_a_kind_that_breaks_its_promise_is_refused_by_the_verifier(sample: Sample) -> None:
    policy, work = sample.policy, PUBLISHERS[sample.kind]
    checked = check(sample.read(), policy)
    protected = protect(checked, policy, np.random.default_rng(5))
    files = [Artifact(form, part, b"".join(content)) for form, part, content in work.render(policy, protected)]
    document = policy.canonical()
    for guarantee in document["guarantees"]:
        guarantee["k"] = 41
    assert not verify(document, files, work.evidence(checked, protected, policy)).holds


def test_a_kind_is_measured_and_explained(sample: Sample) -> None:
    policy, kind = sample.policy, kind_named(sample.kind)
    checked = check(sample.read(), policy)
    protected = protect(checked, policy, np.random.default_rng(5))
    assert [subject.kind for subject in kind.subjects(checked, protected)] == sample.about["subjects"]
    assessment = assess(checked, protected, policy, np.random.default_rng(6))
    assert assessment.before.keys() == assessment.after.keys() != set()
    assert assessment.attacks
    assert refuse(policy, protected, assessment) == refuse_unchanged(checked, protected, policy) == []
    assert kind.explain(checked, protected, policy)


def test_a_dataset_of_one_kind_does_not_pass_for_another() -> None:
    for one in SAMPLES:
        for other in set(SAMPLES) - {one}:
            with pytest.raises(InvalidDataset) as caught:
                check(Sample(one).read(), Sample(other).policy)
            assert caught.value.rule == "kind"


def test_what_is_not_stored_is_not_read(sample: Sample) -> None:
    """A record without its own nodes never asks for them."""
    sample.source = replace(sample.source, nodes=None)
    assert sample.read().counts()


def test_hardly_anything_asks_which_kind_it_has() -> None:
    asked = [
        f"{file.relative_to(ROOT)}:{number}"
        for package in ("antifaz", "workers", "service", "verifier")
        for file in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if QUESTION.search(line)
    ]
    assert len(asked) <= MOST_QUESTIONS, asked
