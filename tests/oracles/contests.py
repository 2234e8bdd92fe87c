"""Contests: the verifier against the definition, over any number of random releases."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.oracles import drawings, forms, graphs, mechanisms, moments, pairs, populations, structures, tables
from tests.oracles.joint import disagreement_on_joint_releases, disagreement_on_versions
from tests.oracles.trial import Trial, disagreement

CONTESTS: dict[str, Callable[[random.Random], Trial]] = {
    "k_anonymity": tables.k_anonymity,
    "k_anonymity of persons": tables.k_anonymity_of_persons,
    "k_anonymity in bounds": tables.k_anonymity_in_bounds,
    "k_anonymity in bad form": tables.k_anonymity_in_bad_form,
    "k_anonymity of nodes": graphs.k_anonymity_of_nodes,
    "l_diversity distinct": tables.l_diversity("distinct"),
    "l_diversity entropy": tables.l_diversity("entropy"),
    "l_diversity recursive": tables.l_diversity("recursive"),
    "t_closeness equal": tables.t_closeness("equal"),
    "t_closeness ordered": tables.t_closeness("ordered"),
    "t_closeness hierarchical": tables.t_closeness("hierarchical"),
    "alpha_k": tables.alpha_k,
    "alpha_k of persons": tables.alpha_k_of_persons,
    "beta_likeness basic": tables.beta_likeness("basic"),
    "beta_likeness enhanced": tables.beta_likeness("enhanced"),
    "k_map": populations.k_map,
    "delta_presence": populations.delta_presence,
    "local_differential_privacy": mechanisms.local_differential_privacy,
    "differential_privacy": drawings.differential_privacy,
    "k_degree_anonymity": graphs.k_degree(directed=False),
    "k_degree_anonymity directed": graphs.k_degree(directed=True),
    "k_degree_anonymity in bad form": graphs.k_degree_in_bad_form,
    "supernode_size": forms.supernode_size(directed=False),
    "supernode_size directed": forms.supernode_size(directed=True),
    "k_eps_obfuscation": forms.k_eps_obfuscation,
    "edge_local_dp": pairs.edge_local_dp,
    "edge_differential_privacy": drawings.edge_differential_privacy,
    "k_candidate_anonymity": structures.k_candidate(directed=False),
    "k_candidate_anonymity directed": structures.k_candidate(directed=True),
    "neighborhood_twins": structures.twins(directed=False),
    "neighborhood_twins directed": structures.twins(directed=True),
    "k_automorphism": structures.k_automorphism(directed=False),
    "k_automorphism directed": structures.k_automorphism(directed=True),
    "kl_anonymity indices": structures.kl("indices"),
    "kl_anonymity neighbors": structures.kl("neighbors"),
    "k_neighborhood_anonymity": structures.k_neighborhood(radius=1),
    "k_neighborhood_anonymity wider": structures.k_neighborhood(radius=2),
    "k_neighborhood_anonymity labeled": structures.k_neighborhood_labeled,
    "k_neighborhood_anonymity of circles": structures.k_neighborhood_of_circles,
    "temporal_k_degree_anonymity": moments.temporal_k_degree(False, "vector"),
    "temporal_k_degree_anonymity multiset": moments.temporal_k_degree(False, "multiset"),
    "temporal_k_degree_anonymity directed": moments.temporal_k_degree(True, "vector"),
    "temporal_k_degree_anonymity directed multiset": moments.temporal_k_degree(True, "multiset"),
    "temporal_k_degree_anonymity separate": moments.temporal_k_degree(True, "vector", "separate"),
    "degree_trajectory_anonymity": moments.degree_trajectory(directed=False),
    "degree_trajectory_anonymity directed": moments.degree_trajectory(directed=True),
}
JOINT: dict[str, Callable[[random.Random], tuple[str, bool]]] = {
    "joint_releases k_anonymity": disagreement_on_joint_releases("k_anonymity"),
    "joint_releases l_diversity": disagreement_on_joint_releases("l_diversity"),
    "joint_releases t_closeness": disagreement_on_joint_releases("t_closeness"),
    "joint_releases alpha_k": disagreement_on_joint_releases("alpha_k"),
    "joint_releases beta_likeness": disagreement_on_joint_releases("beta_likeness"),
    "joint_releases of versions": disagreement_on_versions,
}
_NEIGHBORS = 12


@dataclass
class Outcome:
    """The result of a contest."""

    releases: int = 0
    accepted: int = 0
    broken: int = 0
    """Releases that held, had one row, value or edge changed so that they no longer hold, and were refused."""
    disagreement: str = ""


def compete(name: str, releases: int, seed: int) -> Outcome:
    """Let verifier and definition judge a number of releases; the first disagreement ends the contest."""
    rng, outcome = random.Random(f"{name} {seed}"), Outcome()
    while outcome.releases < releases and not outcome.disagreement:
        outcome.releases += 1
        if name in JOINT:
            outcome.disagreement, holds = JOINT[name](rng)
        else:
            trial = CONTESTS[name](rng)
            outcome.disagreement, holds = disagreement(trial), trial.expected.holds
            if holds and not outcome.disagreement:
                _break(trial, rng, outcome)
        outcome.accepted += holds
    return outcome


def _break(trial: Trial, rng: random.Random, outcome: Outcome) -> None:
    """Change a release that holds until, by the definition, it does not; then the verifier must agree."""
    for _ in range(_NEIGHBORS if trial.spoil is not None else 0):
        neighbor = trial.spoil(rng) if trial.spoil is not None else None
        if neighbor is not None and not neighbor.expected.holds:
            outcome.disagreement = disagreement(neighbor)
            outcome.broken += not outcome.disagreement
            return
