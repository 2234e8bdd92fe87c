"""The curves of the literature: what k, a share of perturbation and epsilon cost, each as one table.

The first two are comparisons of the service: trials on a stored dataset, nothing is released. ANTIFAZ_URL and
ANTIFAZ_TOKEN say where and who. Epsilon cannot be tried there, since whoever chooses among draws of a mechanism learns
from all of them: its curve is made with the library, on data that may be looked at.

    python examples/curves.py k share epsilon
"""

import sys
from pathlib import Path
from typing import Any

import networkx as nx
from antifaz_client import Client

import antifaz

FOLDER = Path(__file__).parent
TABLE = {
    "kind": "table",
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi_identifier"},
        "zip": {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "postal_codes", "country": "ES"}},
        "sex": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
    },
    "guarantees": [{"model": "k_anonymity", "k": 2}],
    "method": {"name": "mondrian"},
    "report": {"utility": ["ncp", "average_class_size"], "attacks": ["record_linkage"]},
}
GRAPH = {
    "kind": "graph",
    "method": {"name": "random_perturbation", "share": 0.05},
    "waivers": [
        {"rule": "no_guarantee", "reason": "A trial: the curve shows what perturbation alone is worth."},
        {"rule": "naive", "reason": "A trial: a small share leaves most nodes as they were."},
    ],
    "report": {"utility": ["average_distance", "edge_jaccard", "louvain"], "attacks": ["degree"]},
}


def k_curve(client: Client) -> list[dict[str, Any]]:
    """k against information lost and the risk that is left."""
    vary = {"/guarantees/0/k": [2, 3, 5, 8]}
    found = client.compare(FOLDER / "patients.csv", TABLE, vary=vary, repeats=2, name="curve of k")
    return [_row("k", row, "ncp", "prosecutor") for row in found["rows"]]


def share_curve(client: Client) -> list[dict[str, Any]]:
    """The share of perturbed edges against distances, agreement of communities, and k."""
    vary = {"/method/share": [0.05, 0.1, 0.2, 0.4]}
    found = client.compare(FOLDER / "friends.edges", GRAPH, vary=vary, repeats=3, name="curve of shares")
    return [_row("share", row, "edge_jaccard", "average_distance", "louvain", "degree") for row in found["rows"]]


def epsilon_curve() -> list[dict[str, Any]]:
    """Epsilon against how many edges stay, by the library on a public graph."""
    graph = antifaz.Graph.from_networkx(nx.Graph(nx.karate_club_graph().edges()))
    rows = []
    for epsilon in (1.0, 3.0, 6.0, 12.0):
        density = {"declared": 0.14}
        guarantee = {"model": "edge_local_dp", "epsilon": epsilon, "density": density}
        method = {"name": "edge_local_dp", "least_survival": 0}
        # From about 4 on, so little noise leaves most of 34 people as they are: only a waiver accepts that.
        waivers = [{"rule": "naive", "reason": "this graph is public, and nothing of it is published again"}]
        policy = {"kind": "graph", "guarantees": [guarantee], "method": method, "waivers": waivers}
        report = antifaz.protect(graph, policy).report()
        rows.append({"epsilon": epsilon, "edge_jaccard": report["utility"]["edge_jaccard"]["value"]})
    return rows


def _row(setting: str, row: dict[str, Any], *figures: str) -> dict[str, Any]:
    shown = {setting: next(iter(row["settings"].values()))}
    for name in figures:
        found = row["figures"].get(name) or {}
        shown |= {name: found.get("mean"), f"{name} ±": found.get("standard_error")}
    return shown


def _print(rows: list[dict[str, Any]]) -> None:
    print("  ".join(rows[0]))
    for row in rows:
        print("  ".join("-" if value is None else f"{value:.4g}" for value in row.values()))


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["k", "share", "epsilon"]
    with Client() as service:
        for curve, rows in (("k", k_curve), ("share", share_curve)):
            if curve in wanted:
                _print(rows(service))
    if "epsilon" in wanted:
        _print(epsilon_curve())
