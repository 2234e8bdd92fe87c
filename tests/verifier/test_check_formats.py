"""The verifier on tables in several formats, against a comparison of all pairs of rows."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.checking import (
    FORMATS,
    HOSPITAL,
    HOSPITAL_NAMES,
    Write,
    achieved_k,
    hospital_policy,
    k_anonymity,
    l_diversity,
    table_policy,
)
from tests.verifier.conftest import released_parquet
from verifier import Artifact, verify

# the oracle

CELLS = st.one_of(
    st.none(),
    st.sampled_from(
        ["", "*", "a", "a ", "A", "1", "01", "=1+1", "'=1+1", "-x", "é", "e\u0301", 'q"q', "a,b", "l\nm", "\r"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=3),
)
VALUES = st.one_of(
    st.none(),
    st.sampled_from(["*", "a", "b", "1", "2", "=1+1", "-x", "é", 'q"q', "a,b", "l\nm"]),
    st.text("xyzж", min_size=1, max_size=3),
)
"""Sensitive values: no two are one value in two notations, which the verifier counts as one."""
TABLES = st.lists(st.tuples(CELLS, CELLS, VALUES), min_size=1, max_size=9).flatmap(
    lambda rows: st.lists(st.sampled_from(rows), min_size=1, max_size=14)
)


def seen(form: str, cell: str | None) -> str | None:
    """What one format can distinguish: csv writes a missing cell as an empty one, and marks formulas."""
    if form != "csv":
        return cell
    if cell is not None and cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell:
        return "'" + cell
    return cell or ""


def oracle(rows: Sequence[tuple[Any, ...]], l_bound: Fraction, c: Fraction) -> tuple[int, int, bool, bool]:
    """Smallest class, fewest distinct values, entropy and recursive l-diversity, by comparing all pairs of rows."""
    smallest, distinct, entropy, recursive = len(rows), len(rows), True, True
    for row in rows:
        members = [other[2] for other in rows if other[:2] == row[:2]]
        counts = sorted(Counter(members).values(), reverse=True)
        size, product = len(members), 1
        for count in counts:
            product *= count**count
        smallest, distinct = min(smallest, size), min(distinct, len(counts))
        entropy = entropy and Fraction(size) ** size >= l_bound**size * product
        recursive = recursive and counts[0] < c * sum(counts[int(l_bound) - 1 :])
    return smallest, distinct, entropy, recursive


@settings(deadline=None, max_examples=5 * settings().max_examples // 2)
@given(TABLES, st.integers(2, 4), st.integers(2, 3), st.sampled_from([0.5, 1, 1.1, 2, 3]))
def test_agrees_with_the_comparison_of_all_pairs_of_rows(
    write: Write, rows: list[tuple[Any, ...]], k: int, bound: int, c: float
) -> None:
    variants = (l_diversity(bound, "s"), l_diversity(bound, "s", "entropy"), l_diversity(bound, "s", "recursive", c=c))
    policy = table_policy(["p", "q"], k_anonymity(k), *variants, sensitive="s")
    for form in FORMATS:
        verdict = verify(policy, [write(form, ("p", "q", "s"), rows)])
        shown = [tuple(seen(form, cell) for cell in row) for row in rows]
        smallest, distinct, entropy, recursive = oracle(shown, Fraction(bound), Fraction(str(c)))
        assert verdict.faults == ()
        assert [finding.holds for finding in verdict.findings] == [smallest >= k, distinct >= bound, entropy, recursive]
        assert verdict.findings[0].achieved == {"k": smallest}
        assert verdict.findings[1].achieved["l"] == distinct


@settings(deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_formats_of_one_table_agree_in_any_order_of_rows(
    write: Write, rows: list[tuple[Any, ...]], shuffler: Any
) -> None:
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    names = ("p", "q", "s")
    artifacts = [write("csv", names, rows), write("parquet", names, shuffled), write("jsonl", names, rows[::-1])]
    assert verify(table_policy(names[:2], sensitive="s"), artifacts).faults == ()


@settings(deadline=None, max_examples=3 * settings().max_examples // 2)
@given(TABLES, st.data())
def test_one_changed_cell_in_one_format_is_found(
    write: Write, rows: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    place, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 2))
    changed = [list(row) for row in rows]
    changed[place][column] = (changed[place][column] or "") + "!"
    names = ("p", "q", "s")
    for form in ("parquet", "jsonl"):
        artifacts = [write("csv", names, rows), write(form, names, changed)]
        assert verify(table_policy(names[:2], sensitive="s"), artifacts).faults


# broken releases


def test_one_row_moved_to_another_class_breaks_k(write: Write) -> None:
    moved = [("1485*", ">40", "*", "arrhythmia"), *HOSPITAL[1:]]
    assert verify(hospital_policy(k_anonymity(4)), [write("csv", HOSPITAL_NAMES, HOSPITAL)]).holds
    assert achieved_k(verify(hospital_policy(k_anonymity(4)), [write("csv", HOSPITAL_NAMES, moved)])) == 3


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_must_satisfy_the_guarantee_by_itself(write: Write, form: str) -> None:
    broken = [("1485*", ">40", "x", "arrhythmia"), *HOSPITAL[1:]]
    others = [write(other, HOSPITAL_NAMES, HOSPITAL) for other in FORMATS if other != form]
    verdict = verify(hospital_policy(k_anonymity(4)), [*others, write(form, HOSPITAL_NAMES, broken)])
    assert achieved_k(verdict) == 1
    assert verdict.faults


@pytest.mark.parametrize("form", FORMATS)
def test_an_unreadable_artifact_spoils_the_findings_of_the_others(write: Write, form: str) -> None:
    bad = Artifact(form, "table", b"\xff\xfe")
    verdict = verify(hospital_policy(k_anonymity(4)), [write("csv", HOSPITAL_NAMES, HOSPITAL), bad])
    assert verdict.faults
    assert not verdict.findings[0].holds


@pytest.mark.parametrize("form", FORMATS)
def test_columns_must_be_those_of_the_policy(write: Write, form: str) -> None:
    policy = hospital_policy(k_anonymity(4))
    policy["attributes"]["name"] = {"role": "identifier"}

    def faults(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
        verdict = verify(policy, [write(form, names, rows)])
        assert not verdict.holds
        return verdict.faults

    with_name = [(*row, "Ana") for row in HOSPITAL]
    assert faults((*HOSPITAL_NAMES, "name"), with_name) == (f"{form} table: the identifier column 'name' is present",)
    assert faults((*HOSPITAL_NAMES, "ward"), with_name) == (f"{form} table: column 5 is not named by the policy",)
    assert faults(HOSPITAL_NAMES[:3], [row[:3] for row in HOSPITAL]) == (
        f"{form} table: the column 'disease' is missing",
    )
    missing = verify(policy, [write(form, HOSPITAL_NAMES[1:], [row[1:] for row in HOSPITAL])])
    assert not missing.findings[0].holds


def test_bounds_are_two_columns(write: Write) -> None:
    policy = table_policy(["age"], k_anonymity(2))
    policy["attributes"]["age"]["recoding"] = "bounds"
    rows = [(20, 29), (20, 29), (30, 31), (30, 31)]
    pair = [write(form, ("age_min", "age_max"), rows) for form in FORMATS]
    assert verify(policy, pair).holds
    assert not verify(policy, [write("csv", ["age"], [["20"], ["20"]])]).holds
    assert achieved_k(verify(policy, [write("csv", ("age_min", "age_max"), [*rows[:3], (30, 32)])])) == 1


def test_a_part_that_the_kind_does_not_have_is_a_fault(write: Write) -> None:
    good = write("csv", HOSPITAL_NAMES, HOSPITAL)
    extra = Artifact("csv", "nodes", good.content)
    assert verify(hospital_policy(k_anonymity(4)), [good, extra]).faults


def test_numbers_may_be_spelled_differently_but_must_be_equal(write: Write) -> None:
    def agree(csv_text: str, number: float) -> bool:
        csv_artifact = Artifact("csv", "table", f"q\n{csv_text}\n".encode())
        return verify(table_policy(["q"]), [csv_artifact, write("parquet", ["q"], [[number]])]).holds

    assert agree("1.50", 1.5)
    assert agree("-5", -5)
    assert agree("1", 1.0)
    assert not agree("1.50", 1.51)
    assert not agree("5", -5)
    assert not agree("5.0", 5)


def test_a_csv_cell_that_a_spreadsheet_would_run_is_a_fault() -> None:
    for cell in ("=1+1", "@x", "+a", "-a", '"\t"', '"\r"'):
        assert verify(table_policy(["q"]), [Artifact("csv", "table", f"q\n{cell}\n".encode())]).faults
    for cell in ("-5", "+5", "-1.5e3", "'=1+1"):
        assert verify(table_policy(["q"]), [Artifact("csv", "table", f"q\n{cell}\n".encode())]).holds


def test_no_text_of_a_verdict_repeats_a_cell_or_an_unknown_name(write: Write) -> None:
    canary = "cnry_7f3a"
    artifacts = [
        write("csv", [canary, "q"], [[canary, canary]]),
        write("parquet", ["q"], [["x"]]),
        Artifact("jsonl", "table", f'{{"q": "{canary}"'.encode()),
    ]
    verdict = verify(table_policy(["q"], k_anonymity(2)), artifacts)
    assert len(verdict.faults) >= 3
    assert canary not in repr(verdict)


def test_a_suppressed_value_that_stays_in_a_parquet_dictionary_is_a_fault() -> None:
    labels = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array(["a", "suppressed"]))
    content = released_parquet(pa.table({"q": labels}))
    verdict = verify(table_policy(["q"], k_anonymity(2)), [Artifact("parquet", "table", content)])
    assert verdict.faults == ("parquet table: a dictionary with values that no row shows",)
    assert not verdict.findings[0].holds
