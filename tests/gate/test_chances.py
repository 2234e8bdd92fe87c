"""G1 for random mechanisms: one that never randomizes is refused by its bytes; an honest one is measured."""

import csv
import io
from typing import Any

import pytest
from scipy import stats

from antifaz.tables.masking.masking import write_column
from antifaz.tables.methods import randomized_response
from tests.gate import vault
from tests.system.conftest import Stack
from workers.run.context import Context

ROWS = 4_000
EPSILON = 1.0
KEEP = randomized_response.truth_chance(2, EPSILON)
POLICY: dict[str, Any] = {
    "kind": "table",
    "attributes": {"number": {"role": "insensitive"}, "answer": {"role": "sensitive"}},
    "guarantees": [{"model": "local_differential_privacy", "epsilon": EPSILON}],
    "method": {"name": "randomized_response", "values": {"answer": ["yes", "no"]}},
    "report": {"utility": [], "attacks": []},
    "formats": ["csv"],
    "waivers": [
        {"rule": rule, "reason": "numbers of invented rows, by which the test finds them again"}
        for rule in ("free_text", "no_guarantee")
    ],
}
CERTAIN = 5e-11
"""An honest count is beyond each limit in less than one run of 2 · 10^10. The limits are 2,740 and 3,102 of 4,000; a
mechanism that never lies always has 4,000; one with an epsilon of 1.5 has at most 3,102 once in 8 · 10^10."""


def survey(always: str | None = None) -> bytes:
    """Numbered answers, half of them yes; or all the same."""
    lines = (f"{number},{always or ('yes' if number % 2 else 'no')}\n" for number in range(ROWS))
    return ("number,answer\n" + "".join(lines)).encode()


def truthful(*given: Any) -> Any:
    """The result of randomized response if it never lied; its report claims the usual probabilities."""
    attribute, labels, codes, _, _ = given
    return write_column(attribute, codes, labels, "a value that may have been replaced at random")


def released_rows(stack: Stack, job: dict[str, Any]) -> list[dict[str, str]]:
    assert job["status"] == "released", job
    stored = vault.artifact(stack, job["release_id"])
    content = vault.plaintext(stack, stored.blob_id, stored.tenant_id)
    return list(csv.DictReader(io.StringIO(content.decode())))


def kept(rows: list[dict[str, str]]) -> int:
    """Number of released answers that are true."""
    return sum((row["answer"] == "yes") == bool(int(row["number"]) % 2) for row in rows)


def is_honest(count: int) -> bool:
    return bool(stats.binom.ppf(CERTAIN, ROWS, KEEP) <= count <= stats.binom.isf(CERTAIN, ROWS, KEEP))


def test_a_worker_lies_as_often_as_its_report_says(stack: Stack, context: Context) -> None:
    assert is_honest(kept(released_rows(stack, vault.run_here(stack, context, survey(), POLICY))))


def test_what_counts_lies_notices_one_who_never_lies_or_seldom(
    stack: Stack, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both answers are about as frequent as an honest mechanism might make them, so the bytes do not show it; we do."""
    honest = randomized_response._answer
    monkeypatch.setattr(randomized_response, "_answer", truthful)
    assert not is_honest(kept(released_rows(stack, vault.run_here(stack, context, survey(), POLICY))))
    monkeypatch.setattr(randomized_response, "_answer", lambda *given: honest(*given[:3], 1.5, given[4]))
    assert not is_honest(kept(released_rows(stack, vault.run_here(stack, context, survey(), POLICY))))


def test_a_mechanism_that_never_lies_is_refused_where_its_bytes_show_it(
    stack: Stack, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All answer yes: an honest mechanism shows about 1,076 of 4,000 as no, and fewer than 794 once in 2^64 runs."""
    assert vault.run_here(stack, context, survey("yes"), POLICY)["status"] == "released"
    monkeypatch.setattr(randomized_response, "_answer", truthful)
    job = vault.run_here(stack, context, survey("yes"), POLICY)
    vault.assert_not_released(stack, job)
    assert [reason["rule"] for reason in job["refusal"]["reasons"]] == ["guarantee:local_differential_privacy"]
