"""Records that a release shows unchanged and alone: counted from bytes and sealed values, and refused above a share."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import verifier
from antifaz.tables.labels.same import exposed_share
from publication.library import Table, protect, verify
from publication.library.release import Release
from tests.oracles.exposure import copied_records, exposed_records, read_csv
from verifier import Artifact
from verifier.evidence.unchanged import MOST_RECORDS
from verifier.verdict.verdict import Missing

ROLES = {"age": {"role": "quasi_identifier"}, "town": {"role": "quasi_identifier"}, "ill": {"role": "sensitive"}}
POLICY: dict[str, Any] = {"kind": "table", "attributes": ROLES, "method": {"name": "suppress"}}


def sealed(columns: dict[str, list[str]], **more: Any) -> dict[str, Any]:
    """The original cells of every released row."""
    held = {}
    for name, cells in columns.items():
        texts = sorted(set(cells))
        kind = "integer" if all(text.isdigit() for text in texts) else "text"
        held[name] = {"codes": np.array([texts.index(cell) for cell in cells]), "texts": texts, "type": kind}
    return {"original_records": {"follows": True, "columns": held, "paths": {}, **more}}


def found(content: str, known: dict[str, Any], **policy: Any) -> verifier.Finding:
    verdict = verifier.verify({**POLICY, **policy}, [Artifact("csv", "table", content.encode())], known)
    assert verdict.faults == ()
    (finding,) = verdict.outcome
    assert verdict.holds == finding.holds
    return finding


AGES = {"age": ["31", "32", "33", "34"], "town": ["a", "a", "b", "b"], "ill": ["x", "y", "x", "y"]}


def csv_of(ages: list[str]) -> str:
    rows = zip(ages, AGES["town"], AGES["ill"], strict=True)
    return "age,town,ill\n" + "".join(
        ",".join(f'"{cell}"' if "," in cell else cell for cell in row) + "\n" for row in rows
    )


@pytest.mark.parametrize(
    ("ages", "share"),
    [
        (["31", "32", "33", "34"], 1.0),
        (["31.0", "[32, 32]", "33", "33"], 0.5),
        (["*", "*", "*", "34"], 0.25),
        (["[30, 32]", "[31, 32]", "[33, 34]", "[33, 34]"], 0.0),
        (["31.001", "32", "40", "41"], 0.5),
        (["32", "31", "34", "33"], 0.0),
    ],
)
def test_the_share_counts_cells_that_mean_the_original_value_and_no_other(ages: list[str], share: float) -> None:
    finding = found(csv_of(ages), sealed(AGES))
    assert finding.achieved["share"] == share
    assert finding.holds == (share <= MOST_RECORDS)
    assert finding.evidence == "bytes+sealed_map"


def test_a_release_above_the_share_is_refused_unless_it_is_waived() -> None:
    waived = [{"rule": "no_guarantee", "reason": "a test"}]
    refused, accepted = (found(csv_of(AGES["age"]), sealed(AGES), waivers=w) for w in ([], waived))
    assert not refused.holds
    assert refused.detail == "too many records are as in the original and alone"
    assert accepted.holds
    assert accepted.achieved == refused.achieved


def test_a_group_of_a_hierarchy_with_one_value_is_that_value() -> None:
    towns = AGES | {"town": ["a", "b", "c", "d"]}
    shown = "".join(f"{40 + row},{town}-town,x\n" for row, town in enumerate("ABCD"))
    paths = {"town": [[town, f"{town.upper()}-town", "*"] for town in "abcd"]}
    assert found("age,town,ill\n" + shown, sealed(towns, paths=paths)).achieved["share"] == 1.0
    wide = {"town": [["a", "A-town", "*"], ["b", "A-town", "*"]]}
    merged = "age,town,ill\n" + "".join(f"{40 + row},A-town,x\n" for row in range(4))
    assert found(merged, sealed(towns, paths=wide)).achieved["share"] == 0.0


def test_a_record_counts_if_its_unchanged_cells_single_it_out_whatever_its_others_show() -> None:
    hidden = csv_of(AGES["age"]).replace(",a,", ",*,").replace(",b,", ",*,")
    assert found(hidden, sealed(AGES)).achieved["share"] == 1.0
    # Each row shows one of its cells, and only two of these belong to one row.
    mixed = csv_of(["31", "32", "50", "51"]).replace("31,a", "31,z").replace("32,a", "32,y")
    assert found(mixed, sealed(AGES)).achieved["share"] == 0.5


def test_two_rows_of_one_person_are_alone_together() -> None:
    content = csv_of(["31", "31", "33", "34"]).replace("\n33,b", "\n33,b")
    originals = AGES | {"age": ["31", "31", "33", "34"]}
    attributes = {"who": {"role": "identifier"}, **ROLES}
    people = {"units": np.array([0, 0, 1, 2]), "unit_texts": ["p", "q", "r"]}
    finding = found(content, sealed(originals) | people, attributes=attributes, privacy_unit="who")
    assert finding.achieved["share"] == 1.0
    assert found(content, sealed(originals)).achieved["share"] == 0.5


def test_columns_that_single_people_out_as_they_are_are_stated_whatever_their_role() -> None:
    roles = {"age": {"role": "insensitive"}, "town": {"role": "quasi_identifier"}, "ill": {"role": "sensitive"}}
    content = csv_of(AGES["age"]).replace(",a,", ",*,").replace(",b,", ",*,")
    promised = [{"model": "k_anonymity", "k": 2}]
    finding = found(content, sealed(AGES), attributes=roles, guarantees=promised)
    assert (finding.achieved["share"], finding.achieved["alone_in_unchanged_columns"], finding.holds) == (0, 1, True)
    bare = found(content, sealed(AGES), attributes=roles)
    assert (bare.achieved["insensitive"], bare.holds) == (1, False)


def test_without_the_originals_nothing_is_claimed() -> None:
    verdict = verifier.verify(POLICY, [Artifact("csv", "table", csv_of(AGES["age"]).encode())])
    assert verdict.outcome == ()


METHODS: list[dict[str, Any]] = [
    {"name": "suppress"},
    {"name": "suppress", "attributes": ["town"], "rarer_than": 2},
    {"name": "rounding", "base": 5},
    {"name": "additive_noise", "amount": 0.01},
    {"name": "rank_swapping", "percent": 20},
    {"name": "pram", "change": 0.3},
    {"name": "top_bottom_coding", "share": 0.2},
    {"name": "microaggregation", "size": 2, "variant": "univariate"},
    {"name": "mondrian"},
    {"name": "synthetic"},
]


@st.composite
def releases(draw: Any) -> tuple[pd.DataFrame, Release]:
    rows = draw(st.integers(4, 14))
    numbers = st.lists(st.sampled_from([20, 21, 25, 30, 47, 60]), min_size=rows, max_size=rows)
    texts = st.lists(st.sampled_from(["a", "A", "b", "c d", "é"]), min_size=rows, max_size=rows)
    frame = pd.DataFrame({"age": draw(numbers), "town": draw(texts), "ill": draw(texts)})
    known = draw(st.sampled_from([["age", "town"], ["age"], ["town"], []]))
    roles = {name: {"role": "quasi_identifier" if name in known else "sensitive"} for name in frame.columns}
    method = draw(st.sampled_from(METHODS if known == ["age", "town"] else METHODS[:1]))
    recoding = draw(st.sampled_from([None, "bounds", "mean"])) if method["name"] == "mondrian" else None
    if recoding:
        roles["age"] = {"role": "quasi_identifier", "recoding": recoding}
    loose = [{"model": "t_closeness", "t": 0.99, "distance": "equal", "attribute": "ill"}]
    policy = {
        "kind": "table",
        "attributes": roles,
        "method": method,
        "guarantees": loose if method["name"] == "mondrian" else [],
        "gate": {"max_linkage_rate": 0.5},
        "formats": ["csv"],
    }
    return frame, protect(Table.from_pandas(frame), policy, np.random.default_rng(draw(st.integers(0, 99))))


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(releases())
def test_engine_verifier_and_brute_force_count_the_same_records(case: tuple[pd.DataFrame, Release]) -> None:
    frame, release = case
    table, released = release.checked.table, release.protected.table
    follows = release.policy.follows_records()
    names = [a.name for a in table.quasi_identifiers] or list(frame.columns)
    rows = read_csv(release.artifacts()[0].content)
    texts = frame.astype(str).to_dict("records")
    verdict = verify(release)
    (finding,) = verdict.outcome
    share = exposed_share(table, released, names, follows)
    if follows:
        expected = exposed_records(rows, [texts[row] for row in released.records], names)
    else:
        expected = copied_records(rows, texts, names)
    assert share == pytest.approx(expected)
    assert finding.achieved["share"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("units", "detail"),
    [
        (None, "there is no sealed map that says which rows belong to one person"),
        ([0, 1, 2], "the sealed map and the release have different numbers of rows"),
        ([0, 1, 2, 3, 4], "the sealed map and the release have different numbers of rows"),
    ],
)
def test_people_who_are_not_told_or_are_those_of_other_rows_are_no_share(units: list[int] | None, detail: str) -> None:
    known = sealed(AGES) | ({} if units is None else {"units": np.array(units)})
    finding = found(csv_of(["*"] * 4), known, privacy_unit="person")
    assert (finding.holds, finding.achieved, finding.detail) == (False, {}, detail)
    assert isinstance(finding.detail, Missing) == (units is None)
    assert found(csv_of(["*"] * 4), sealed(AGES) | {"units": np.arange(4)}, privacy_unit="person").holds


@pytest.mark.parametrize("rows", [3, 5])
def test_originals_of_other_rows_are_no_share(rows: int) -> None:
    other = {name: (cells * 2)[:rows] for name, cells in AGES.items()}
    finding = found(csv_of(["*"] * 4), sealed(other))
    assert (finding.holds, finding.achieved) == (False, {})
    assert finding.detail == "the sealed map and the release have different numbers of rows"
