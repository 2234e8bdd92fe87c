"""Peers: other programs on the same table in the same run, measured by the same evaluator.

They are installed into a temporary environment; none of them is a dependency.

    python -m bench.peers
"""

import json
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import verifier
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.methods.optimal import Optimal
from antifaz.tables.table import ProtectedTable
from antifaz.watch import unwatched
from bench.results import write_section
from bench.tables import ADULT, Columns, Hierarchies, build, label_prices, protect, read_adult, read_rows
from formats.writing import render_table

PEERS = ("anonypy", "anjana", "pycanon")
K = 10
SCRIPT = Path(__file__).with_name("peer_runs.py")


def main() -> None:
    """Run every peer and ours, and write the section."""
    if not ADULT.exists():
        print("Adult is not next to the checkout: skipped.")
        return
    columns = read_adult()
    hierarchies = {name: read_rows(f"adult_hierarchy_{name}.csv") for name in columns}
    with tempfile.TemporaryDirectory() as folder:
        python = _install(Path(folder))
        theirs = {name: _run_peer(python, name) for name in PEERS}
    rows = [*_compare_sets(columns, theirs["anonypy"]), *_compare_levels(columns, hierarchies, theirs["anjana"])]
    rows += _compare_checks(columns, theirs["pycanon"])
    header = ("task", "program", "CPU s", "loss", "rows left out", "ours is faster by")
    introduction = f"Adult, k = {K}; loss by one evaluator, a row that is left out loses everything."
    write_section("Peers", "python -m bench.peers", introduction, header, rows)


def _install(folder: Path) -> Path:
    venv.create(folder / "peers", with_pip=True)
    python = folder / "peers" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
    return python


def _run_peer(python: Path, name: str) -> dict[str, Any]:
    answer = subprocess.check_output([python, SCRIPT, name, ADULT / "adult.csv", str(K)], text=True)
    return dict(json.loads(answer.splitlines()[-1]))


def _compare_sets(columns: Columns, theirs: Mapping[str, Any]) -> list[Sequence[object]]:
    """Local recoding with ranges and sets."""
    table = build(columns, {})
    protect(table, Mondrian(), K)
    released, seconds = protect(table, Mondrian(), K)
    cells = {name: [_as_label(name, row[name]) for row in theirs["rows"]] for name in columns}
    counts = np.array([int(row["count"]) for row in theirs["rows"]])
    return _two_lines("local recoding, sets", "anonypy", theirs["seconds"], _loss(columns, {}, cells, counts), 0,
                      "mondrian", seconds, _loss_of(columns, {}, released), 0)  # fmt: skip


def _compare_levels(columns: Columns, hierarchies: Hierarchies, theirs: Mapping[str, Any]) -> list[Sequence[object]]:
    """Full-domain generalization with up to five percent left out."""
    table, method = build(columns, hierarchies), Optimal(suppression=0.05)
    method.apply(table, [KAnonymity(k=K)], np.random.default_rng(1), unwatched)
    start = time.process_time()
    released = method.apply(table, [KAnonymity(k=K)], np.random.default_rng(1), unwatched)
    seconds = time.process_time() - start
    counts = np.array([int(row["count"]) for row in theirs["rows"]])
    cells = {name: [row[name] for row in theirs["rows"]] for name in columns}
    missing, ours = table.n - int(counts.sum()), table.n - len(released.records)
    return _two_lines("full-domain levels, 5 %", "anjana", theirs["seconds"],
                      _loss(columns, hierarchies, cells, counts, missing), missing,
                      "optimal", seconds, _loss_of(columns, hierarchies, released, ours), ours)  # fmt: skip


def _compare_checks(columns: Columns, theirs: Mapping[str, Any]) -> list[Sequence[object]]:
    """Checks of k, l and t on a table; ours also parses the bytes."""
    released = protect(build({name: columns[name] for name in columns}, {}), Mondrian(), 2)[0]
    attributes = {name: {"role": "sensitive" if name == "occupation" else "quasi_identifier"} for name in columns}
    guarantees = [
        {"model": "k_anonymity", "k": 2},
        {"model": "l_diversity", "variant": "distinct", "l": 2, "attribute": "occupation"},
        {"model": "t_closeness", "t": 0.5, "distance": "equal", "attribute": "occupation"},
    ]
    policy = {"kind": "table", "attributes": attributes, "guarantees": guarantees}
    artifact = verifier.Artifact("csv", "table", b"".join(render_table(released.columns, "csv")))
    verifier.verify(policy, [artifact])
    start = time.process_time()
    verifier.verify(policy, [artifact])
    seconds = time.process_time() - start
    return _two_lines("checks of k, l, t", "pycanon", theirs["seconds"], None, 0, "verifier", seconds, None, 0)


def _two_lines(
    task: str,
    peer: str,
    their_seconds: float,
    their_loss: float | None,
    their_missing: int,
    own: str,
    seconds: float,
    loss: float | None,
    missing: int,
) -> list[Sequence[object]]:
    shown = ["–" if value is None else f"{value:.4f}" for value in (their_loss, loss)]
    return [
        (task, peer, f"{their_seconds:.2f}", shown[0], their_missing, ""),
        (task, f"**{own}**", f"{seconds:.2f}", shown[1], missing, f"{their_seconds / seconds:.0f} ×"),
    ]


def _as_label(name: str, cell: str) -> str:
    """Another program's set or range as our label."""
    if name == "age":
        low, _, high = cell.partition("-")
        return json.dumps([int(low), int(high)]) if high else low
    members = cell.split(",")
    return members[0] if len(members) == 1 else json.dumps(sorted(members))


def _loss(
    columns: Columns,
    hierarchies: Hierarchies,
    cells: Mapping[str, Sequence[str]],
    counts: np.ndarray,
    missing: int = 0,
) -> float:
    losses = []
    for name in columns:
        prices = label_prices(columns[name], hierarchies.get(name, ()), cells[name])
        losses.append((float(np.array(prices) @ counts) + missing) / (int(counts.sum()) + missing))
    return float(np.mean(losses))


def _loss_of(columns: Columns, hierarchies: Hierarchies, released: ProtectedTable, missing: int = 0) -> float:
    losses = []
    for column in released.columns:
        prices = np.array(label_prices(columns[column.name], hierarchies.get(column.name, ()), column.labels))
        losses.append((float(prices[column.codes].sum()) + missing) / (len(released.records) + missing))
    return float(np.mean(losses))


if __name__ == "__main__":
    sys.exit(main())
