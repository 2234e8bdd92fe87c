"""Policies that try to release an original: every gate, guarantee, kind and parameter that a steward may invent.

A policy is built from numbers (genes), one for each choice. Policies that released most of an original are changed in
one gene and tried again, so the search climbs towards bad releases. Each release is judged by brute force on its files.
"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from antifaz import protection
from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy
from publication.library import Graph, Table, TemporalGraph, protect
from publication.library.release import Release
from tests.oracles.exposure import copied_records, exposed_nodes, exposed_records, read_csv

Genes = dict[str, int]
KINDS = ("table", "table", "graph", "temporal_graph")
NAMES = ("kind", "data", "roles", "types", "method", "more", "guarantee", "gate", "report", "unit", "waiver", "draw")
POOL = 24
DRAWS = 30
"""How often noise on edges is drawn to judge it: whether there is a release must not depend on one draw."""
STRUCTURAL = (
    "k_degree_anonymity",
    "k_candidate_anonymity",
    "k_eps_obfuscation",
    "neighborhood_twins",
    "supernode_size",
    "k_automorphism",
    "k_neighborhood_anonymity",
    "kl_anonymity",
    "temporal_k_degree_anonymity",
    "degree_trajectory_anonymity",
)


@dataclass
class Search:
    """The outcome of a search: what ended policies, and the worst share that was released."""

    tried: int = 0
    invalid: int = 0
    released: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    worst: float = 0.0
    worst_policy: dict[str, Any] = field(default_factory=dict)


def search(policies: int, seed: int, model: str = "") -> Search:
    """Try policies until this number was released or refused; invalid ones are counted apart. With a model, only those
    that promise it are tried."""
    rng, found = random.Random(seed), Search()
    pool: list[tuple[float, Genes]] = []
    while found.tried < policies:
        genes = {name: rng.randrange(10**6) for name in NAMES}
        if pool and rng.random() < 0.6:
            genes = {**rng.choice(pool)[1], rng.choice(NAMES): rng.randrange(10**6)}
        if model and all(each["model"] != model for each in build(genes)[1]["guarantees"]):
            continue
        share = _try(genes, found)
        if share is not None:
            pool = sorted([*pool, (share, genes)], key=lambda entry: -entry[0])[:POOL]
    return found


def _try(genes: Genes, found: Search) -> float | None:
    """How bad a policy is: the share that it would release unchanged and alone; None if it is invalid."""
    dataset, policy = build(genes)
    try:
        release = protect(dataset, policy, np.random.default_rng(genes["draw"]))
    except (InvalidPolicy, InvalidDataset):
        found.invalid += 1
        return None
    except Infeasible as error:
        found.tried += 1
        found.refused[error.reasons[0].rule] += 1
        return 0.0
    found.tried += 1
    report = release.report(np.random.default_rng(1))
    share = judged(release)
    if report["status"] == "released":
        found.released += 1
        if share > found.worst:
            found.worst, found.worst_policy = share, policy
        return 1.0 + share
    found.refused[" ".join(sorted({reason["rule"] for reason in report["reasons"]}))] += 1
    return share


# --- policies --------------------------------------------------------------------------------------------------------


def build(genes: Genes) -> tuple[Any, dict[str, Any]]:
    """The dataset and the policy of some genes."""

    def of(name: str) -> random.Random:
        return random.Random(f"{name} {genes[name]}")

    kind = of("kind").choice(KINDS)
    frame = _frame(of("data"))
    attributes = _attributes(frame, of("roles"), of("types"))
    policy: dict[str, Any] = {
        "kind": kind,
        "guarantees": _guarantees(kind, of("guarantee")),
        "gate": _gate(kind, of("gate")),
        "report": _report(kind, of("report")),
        "method": (_table_method if kind == "table" else _graph_method)(of("method"), of("more")),
    }
    if any(each["model"] == "local_differential_privacy" for each in policy["guarantees"]):
        # It allows no gate, and every sensitive column needs a declared domain.
        named = [name for name, settings in attributes.items() if settings["role"] == "sensitive"]
        values = {name: sorted({str(value) for value in frame[name]}) for name in named}
        policy |= {"gate": {}, "method": {"name": "randomized_response", "values": values}}
    if any(each["model"] == "edge_local_dp" for each in policy["guarantees"]):
        # An exact density needs a waiver; a noisy one would be drawn by no generator that a test can seed.
        exact = "exact" in policy["guarantees"][0]["density"]
        policy |= {"gate": {}, "method": {"name": "edge_local_dp", "least_survival": 0}}
        policy |= {"waivers": [{"rule": "exact_density", "reason": "tried"}]} if exact else {}
    if of("waiver").random() < 0.8:
        tried = [{"rule": rule, "reason": "tried"} for rule in ("free_text", "pram_invariant")]
        policy["waivers"] = policy.get("waivers", []) + tried
    if kind == "table":
        policy |= {"attributes": attributes, "formats": ["csv"]}
        if of("unit").random() < 0.3:
            policy["privacy_unit"] = "id"
        return Table.from_pandas(frame), policy
    if of("roles").random() < 0.4:
        policy["attributes"] = attributes
        if of("more").random() < 0.5:
            policy["node_method"] = _table_method(of("types"), of("more"))
    else:
        frame = frame[[]]
    policy["formats"] = ["edgelist"] if kind == "graph" else ["csv"]
    return _network(kind, frame, of("data")), policy


def _frame(rng: random.Random) -> pd.DataFrame:
    """People of whom nearly all are unique, in one column or in several together."""
    n = rng.choice([20, 24, 30])
    ages = [20 + row if rng.random() < 0.9 else 30 for row in range(n)]
    return pd.DataFrame(
        {
            "id": [f"p{row if rng.random() < 0.8 else 0}" for row in range(n)],
            "age": ages,
            "pay": [round(1000 + 137.31 * row, 2) for row in range(n)],
            "town": [rng.choice(["Vic", "Olot", "Reus", f"t{row}"]) for row in range(n)],
            "sex": [rng.choice("mf") for _ in range(n)],
            "ill": ["rare" if not row else rng.choice(["flu", "flu", "flu", "cold"]) for row in range(n)],
        }
    )


def _attributes(frame: pd.DataFrame, rng: random.Random, types: random.Random) -> dict[str, Any]:
    """Roles that hide what is known, or name one harmless column; hierarchies that merge nothing."""
    roles: dict[str, Any] = {"id": {"role": "identifier"}}
    style = rng.choice(["all", "harmless", "some", "none"])
    for name in ("age", "pay", "town", "sex"):
        known = style == "all" or (style == "harmless" and name == "sex") or (style == "some" and rng.random() < 0.5)
        other = rng.choice(["insensitive", "sensitive", "identifier", "insensitive"])
        roles[name] = {"role": "quasi_identifier" if known else other}
        if known and types.random() < 0.35:
            roles[name] |= _recoding(name, frame, types)
    return roles | {"ill": {"role": "sensitive"}}


def _recoding(name: str, frame: pd.DataFrame, rng: random.Random) -> dict[str, Any]:
    values = sorted({str(value) for value in frame[name]})
    renamed = {"kind": "levels", "rows": [[value, f"about {value}", "*"] for value in values]}
    choices: list[dict[str, Any]] = [{"type": "text"}, {"hierarchy": renamed}, {"recoding": "set"}]
    if name in ("age", "pay"):
        width = rng.choice([1, 0.5, 10])
        choices += [{"recoding": each} for each in ("bounds", "mean", "median", "range")]
        choices.append({"hierarchy": {"kind": "intervals", "widths": [width, 10 * width]}})
    return rng.choice(choices)


def _table_method(rng: random.Random, more: random.Random) -> dict[str, Any]:
    little = rng.choice([1e-9, 0.001, 0.01, 0.03, 0.1])
    columns = rng.choice([None, ["age"], ["sex"], ["ill"], ["pay"], ["age", "pay"]])
    named = {} if columns is None else {"attributes": columns}
    steps: list[dict[str, Any]] = [
        {"name": "suppress", **named},
        {"name": "suppress", "attributes": ["sex"], "rarer_than": 2},
        {"name": "rounding", "base": rng.choice([0.01, 1, 2, 10]), **named},
        {"name": "additive_noise", "amount": little, **named},
        {"name": "rank_swapping", "percent": 100 * little, **named},
        {"name": "pram", "change": little, **named},
        {"name": "top_bottom_coding", "share": little, **named},
        {"name": "microaggregation", "size": 2, "variant": rng.choice(["univariate", "multivariate"]), **named},
        {"name": "generalize", "levels": {name: rng.choice([0, 1]) for name in columns or ["age"]}},
        {"name": "synthetic", "model": rng.choice(["copula", "marginals"])},
        {"name": "mu_argus", "threshold": 2, "unsafe": 1},
        *({"name": name} for name in ("mondrian", "mondrian", "datafly", "optimal")),
    ]
    # One column is changed in every record, and a method that gives any guarantee follows.
    whole: list[dict[str, Any]] = [
        {"name": "suppress", "attributes": [rng.choice(["sex", "town", "age"])]},
        {"name": "rank_swapping", "percent": 100, "attributes": [rng.choice(["sex", "age"])]},
        {"name": "additive_noise", "amount": 5, "attributes": ["age"]},
    ]
    steps += [{"name": "pipeline", "steps": [step, {"name": "mondrian"}]} for step in whole]
    chosen = rng.choice(steps)
    if more.random() < 0.2:
        before = chosen.get("steps", [chosen])[:1]
        return {"name": "pipeline", "steps": [*before, more.choice(steps[: -len(whole)])]}
    return chosen


def _graph_method(rng: random.Random, more: random.Random) -> dict[str, Any]:
    share = {"share": rng.choice([0.001, 0.02, 0.05, 0.1, 0.3, 1])}
    names = ("random_perturbation", "random_switch", "edge_rotation", "edge_relevance", "spectral_switch")
    moves = [{"name": name, **share} for name in (*names, "spectral_perturbation", "feature_preserving_switch")]
    given = (
        "k_degree",
        "uncertain",
        "supernodes",
        "sangreea",
        "k_neighborhood",
        "k_automorphism",
        "neighborhood_twins",
    )
    chosen = rng.choice([*moves, *moves, *({"name": name} for name in (*given, "kl_anonymity", "temporal_k_degree"))])
    return {"name": "pipeline", "steps": [more.choice(moves), chosen]} if more.random() < 0.15 else chosen


def _guarantees(kind: str, rng: random.Random) -> list[dict[str, Any]]:
    """None, or those with the loosest parameters."""
    loose: list[dict[str, Any]] = [
        {"model": "t_closeness", "t": rng.choice([0.5, 0.9, 0.99, 1]), "distance": "equal", "attribute": "ill"},
        {"model": "beta_likeness", "beta": 1_000_000, "attribute": "ill"},
        {"model": "k_anonymity", "k": 2},
        {"model": "l_diversity", "l": 2, "attribute": "ill"},
        {"model": "l_diversity", "variant": "recursive", "l": 2, "c": 1000, "attribute": "ill"},
        {"model": "alpha_k", "alpha": 0.99, "k": 2, "attribute": "ill"},
        {"model": "local_differential_privacy", "epsilon": rng.choice([1, 20, 100])},
    ]
    shape: list[dict[str, Any]] = [
        {"model": "k_degree_anonymity", "k": 2},
        {"model": "k_candidate_anonymity", "k": 2},
        {"model": "k_eps_obfuscation", "k": 2, "epsilon": rng.choice([0.1, 0.5, 0.6])},
        {"model": "neighborhood_twins", "k": 2},
        {"model": "k_neighborhood_anonymity", "k": 2},
        {"model": "k_automorphism", "k": 2},
        {"model": "kl_anonymity", "k": 2, "l": 1},
        {"model": "supernode_size", "k": 2},
        {"model": "temporal_k_degree_anonymity", "k": 2},
    ]
    if kind != "table" and rng.random() < 0.35:
        density: dict[str, Any] = rng.choice([*({"declared": each} for each in (0.03, 0.14, 0.4)), {"exact": True}])
        epsilon = rng.randint(1, rng.choice([5, 20]))
        noise = {"model": "edge_local_dp", "epsilon": epsilon, "density": density}
        return [noise, *([rng.choice(loose)] if rng.random() < 0.3 else [])]
    some = [] if rng.random() < 0.5 else [rng.choice(loose if kind == "table" else shape)]
    return some + ([rng.choice(loose)] if kind != "table" and rng.random() < 0.3 else [])


def _gate(kind: str, rng: random.Random) -> dict[str, float]:
    limit = rng.choice([0.5, 0.5, 0.1])
    tables = ("max_prosecutor_risk", "max_journalist_risk", "max_marketer_risk", "max_linkage_rate")
    if kind == "table" or rng.random() < 0.1:
        gate = {rng.choice(tables): limit}
        return gate | rng.choice([{}, {"max_loss": 1}, {"max_suppressed": 1}, {"max_homogeneous": 1}])
    more = {"max_edges_changed": 5, "min_candidate_set": 1, "max_link_posterior": 1, "max_plausibility_auc": 1}
    return {"max_reidentified": limit} | rng.choice([{}, {}, *({rule: value} for rule, value in more.items())])


def _report(kind: str, rng: random.Random) -> dict[str, Any]:
    quiet: dict[str, Any] = {"utility": [], "attacks": []}
    if kind != "table":
        known = [{"name": "hub_fingerprint", "hubs": 1, "reach": 1}, {"name": "link_disclosure", "threshold": 1}]
        return quiet | ({"attacks": [rng.choice(known)]} if kind == "graph" and rng.random() < 0.2 else {})
    invented = {"sampling_fraction": rng.choice([1e-9, 0.001, 0.1]), "threshold": rng.choice([0.2, 1])}
    attacks = rng.choice([[], [{"name": "record_linkage", "targets": 1}]])
    return quiet | {"attacks": attacks} | (invented if rng.random() < 0.7 else {})


def _network(kind: str, frame: pd.DataFrame, rng: random.Random) -> Any:
    n, seed = len(frame), rng.randrange(1000)
    made: Callable[[int], nx.Graph] = rng.choice(
        [
            lambda s: nx.gnm_random_graph(n, 2 * n, seed=s),
            lambda s: nx.gnm_random_graph(n, n, seed=s, directed=True),
            lambda s: nx.barabasi_albert_graph(n, 2, seed=s),
            lambda s: nx.watts_strogatz_graph(n, 4, 0.3, seed=s),
            lambda s: nx.random_labeled_tree(n, seed=s),
        ]
    )
    drawn = made(seed)
    if kind == "graph":
        drawn.add_nodes_from(
            (row, {k: str(v) for k, v in cells.items()}) for row, cells in enumerate(frame.to_dict("records"))
        )
        return Graph.from_networkx(drawn)
    timed = nx.MultiDiGraph() if drawn.is_directed() else nx.MultiGraph()
    timed.add_nodes_from(
        (row, {k: str(v) for k, v in cells.items()}) for row, cells in enumerate(frame.to_dict("records"))
    )
    for t in range(3):
        timed.add_edges_from((u, v, {"time": t}) for u, v in made(seed + t).edges)
    return TemporalGraph.from_networkx(timed)


# --- the judge -------------------------------------------------------------------------------------------------------


def judged(release: Release) -> float:
    """The largest share of records or nodes that the released files show unchanged and alone.

    A structural guarantee is about an attacker who knows less than all surroundings: with one, only attributes of nodes
    are judged here, and the guarantee by the verifier. Noise on edges is judged by what it releases on average.
    """
    kind, files = release.policy.kind, {(a.part, a.format): bytes(a.content) for a in release.artifacts()}
    if kind == "table":
        return _of_records(release, read_csv(files["table", "csv"]), release.checked, release.protected.table)
    promised = any(each.wire_name() in STRUCTURAL and each.can_fail() for each in release.policy.guarantees)
    share = 0.0 if promised else max(_of_nodes(release, files))
    if any(each.wire_name() == "edge_local_dp" for each in release.policy.guarantees):
        share = max(np.mean([_of_nodes(*_drawn(release, seed)) for seed in range(DRAWS)], axis=0).tolist())
    nodes = release.protected.nodes
    if release.checked.nodes is not None and nodes is not None and not (nodes.records < 0).any():
        share = max(share, _of_records(release, read_csv(files["nodes", "csv"]), release.checked.nodes, nodes))
    return share


def _of_records(release: Release, rows: list[dict[str, str]], checked: Any, released: Any) -> float:
    table = checked.table
    originals = [
        {a.name: str(a.column.values[a.column.codes[row]]) for a in table.attributes} for row in range(table.n)
    ]
    known = [a.name for a in table.attributes if a.role.value == "quasi_identifier"]
    names = known or [a.name for a in table.attributes if a.role.value != "identifier"]
    if release.policy.kind == "table" and not release.policy.follows_records():
        return copied_records(rows, originals, names)
    people = [originals[row]["id"] for row in released.records] if release.policy.unit() else None
    return exposed_records(rows, [originals[row] for row in released.records], names, people)


def _drawn(release: Release, seed: int) -> tuple[Release, dict[tuple[str, str], bytes]]:
    """The same release with other noise, and its files."""
    made = protection.protect(release.checked, release.policy, np.random.default_rng(seed))
    other = replace(release, protected=made)
    return other, {(a.part, a.format): bytes(a.content) for a in other.artifacts()}


def _of_nodes(release: Release, files: dict[tuple[str, str], bytes]) -> list[float]:
    """The share of exposed nodes, for each snapshot if there are several."""
    if release.policy.kind == "temporal_graph":
        snapshots, origin = release.checked.snapshots, release.protected.structure.origin.tolist()
        shown = read_csv(files["graph", "csv"])
        shares = []
        for t, graph in enumerate(snapshots.graphs()):
            pairs = [(int(row["source"]), int(row["target"])) for row in shown if row["snapshot"] == str(t)]
            shares.append(_share(graph, pairs, origin))
        return shares
    graph = release.checked.graph
    if release.protected.graph.members is not None:
        return [sum(row["size"] == "1" for row in read_csv(files["nodes", "csv"])) / graph.n]
    rows = [row for row in read_csv(files["graph", "edgelist"]) if float(row.get("probability", 1)) > 0.5]
    pairs = [(int(row["source"]), int(row["target"])) for row in rows]
    return [_share(graph, pairs, release.protected.graph.origin.tolist())]


def _share(graph: Any, pairs: list[tuple[int, int]], origin: list[int]) -> float:
    before = list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    if not graph.directed:
        before, pairs = before + [(v, u) for u, v in before], pairs + [(v, u) for u, v in pairs]
    return len(exposed_nodes(graph.n, before, len(origin), pairs, origin)) / graph.n
