"""Verification: CPU seconds of the independent verifier on the bytes of a release of a million records.

python -m bench.verification
"""

import time
from typing import Any

import numpy as np

import verifier
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.table import ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import unwatched
from bench.results import write_section
from bench.tables import MILLION, adult_like
from formats.writing import render_table

SENSITIVE_VALUES = 14
GUARANTEES: tuple[dict[str, Any], ...] = (
    {"model": "k_anonymity", "k": 10},
    {"model": "l_diversity", "variant": "distinct", "l": 2, "attribute": "s"},
    {"model": "t_closeness", "t": 0.9, "distance": "equal", "attribute": "s"},
)


def main() -> None:
    """Release a million records, and verify one guarantee and all guarantees in each format."""
    table = adult_like(MILLION)
    released = Mondrian().apply(table, [KAnonymity(k=10)], np.random.default_rng(1), unwatched)
    labels = np.array([f"s{value:02d}" for value in range(SENSITIVE_VALUES)], dtype=object)
    codes = np.random.default_rng(2).integers(0, SENSITIVE_VALUES, MILLION).astype(np.int32)
    sensitive = ReleasedColumn("s", "s", Role.SENSITIVE, ValueType.TEXT, codes, labels)
    columns = (*released.columns, sensitive)
    attributes = {column.name: {"role": "quasi_identifier"} for column in released.columns}
    policy = {"kind": "table", "attributes": {**attributes, "s": {"role": "sensitive"}}}
    rows = []
    for form in ("csv", "parquet", "jsonl"):
        artifact = verifier.Artifact(form, "table", b"".join(render_table(columns, form)))
        for guarantees in (GUARANTEES[:1], GUARANTEES):
            start = time.process_time()
            verdict = verifier.verify({**policy, "guarantees": list(guarantees)}, [artifact])
            seconds = time.process_time() - start
            models = ", ".join(str(guarantee["model"]) for guarantee in guarantees)
            holds = all(finding.holds for finding in verdict.findings)
            rows.append(
                (form, f"{len(artifact.content) / 1e6:.0f}", models, "yes" if holds else "no", f"{seconds:.2f}")
            )
    header = ("format", "MB", "guarantees", "hold", "CPU s")
    introduction = f"{MILLION:,} records, nine quasi-identifiers and a sensitive column, read and checked."
    write_section("Verification", "python -m bench.verification", introduction, header, rows)


if __name__ == "__main__":
    main()
