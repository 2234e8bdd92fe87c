"""Promises in words: what a verified guarantee means for a person in the data, and against whom it holds."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from antifaz import catalogue
from service.report.numbers import is_number, percent, plain, show, words

Figures = Mapping[str, Any]
_MOST_NAMED = 4
"""How many columns a sentence names."""


def promise_in_words(guarantee: Figures, policy: Figures) -> str:
    """One sentence about a guarantee, with the figures that were verified; of an unknown one its catalogue's text."""
    # What was achieved can be more than was asked for; what it leaves out is as it was asked for.
    figures = {**(guarantee.get("required") or {}), **(guarantee.get("achieved") or {})}
    model = str(guarantee.get("model", ""))
    say = _SENTENCES.get(model)
    try:
        return say(figures, policy) if say else _summary(model, policy)
    except (KeyError, TypeError, ValueError):
        # A figure is missing, such as those of a finding against a population.
        return _summary(model, policy)


def headline(guarantee: Figures) -> str:
    """The guarantee's figure by its letter, such as ``k = 5``."""
    figures = {**(guarantee.get("required") or {}), **(guarantee.get("achieved") or {})}
    for name, letter in (("k", "k"), ("epsilon", "ε"), ("l", "l"), ("t", "t"), ("alpha", "α"), ("beta", "β")):
        if is_number(figures.get(name)):
            return f"{letter} = {show(figures[name])}"
    return words(guarantee.get("model", ""))


def against(guarantee: Figures) -> str:
    """Whom a guarantee holds against, as a sentence."""
    assumed = str(guarantee.get("assumes") or "").strip().rstrip(".")
    if not assumed:
        return ""
    if assumed.lower().startswith("nothing: "):
        assumed = assumed[len("nothing: ") :]
    else:
        assumed = f"assumed: {assumed}"
    return assumed[0].upper() + assumed[1:] + "."


def named(columns: list[str]) -> str:
    """Columns as a list in a sentence; of many only the first."""
    if not columns:
        return "nothing"
    if len(columns) > _MOST_NAMED + 1:
        return f"{', '.join(columns[:_MOST_NAMED])} and {len(columns) - _MOST_NAMED} more columns"
    return columns[0] if len(columns) == 1 else f"{', '.join(columns[:-1])} and {columns[-1]}"


def with_role(policy: Figures, role: str) -> list[str]:
    """The columns of a role, as far as the reader sees them."""
    attributes = policy.get("attributes")
    if not isinstance(attributes, Mapping):
        return []
    return [str(name) for name, about in attributes.items() if isinstance(about, Mapping) and about.get("role") == role]


def _known(policy: Figures) -> str:
    return named(with_role(policy, "quasi_identifier")) if with_role(policy, "quasi_identifier") else "what is public"


def _summary(model: str, policy: Figures) -> str:
    for part in catalogue.parts("guarantees", str(policy.get("kind"))):
        if part.wire_name() == model:
            return (part.__doc__ or "").partition("\n")[0]
    return words(model).capitalize() + "."


def _odds(epsilon: float) -> str:
    """How much a differentially private release can shift a belief of one half."""
    return percent(1 / (1 + math.exp(-min(50.0, float(epsilon)))))


def _k_anonymity(figures: Figures, policy: Figures) -> str:
    return (
        f"Whoever knows the {_known(policy)} of a person finds at least {show(figures['k'])} people in the release "
        "who fit equally well."
    )


def _l_diversity(figures: Figures, policy: Figures) -> str:
    return (
        f"Among the people who fit, {figures['attribute']} has at least {show(figures['l'])} different values"
        f"{_VARIANTS[figures.get('variant', 'distinct')]}, so knowing who fits does not tell it."
    )


_VARIANTS = {"distinct": "", "entropy": " of similar frequency (by entropy)", "recursive": ", none too frequent"}


def _differential_privacy(figures: Figures, policy: Figures) -> str:
    aside = f", but for a chance of {show(figures['delta'])}" if figures.get("delta") else ""
    return (
        "Whether one person's record is in the data hardly changes the release: whoever was undecided (50 to 50) is at "
        f"most {_odds(figures['epsilon'])} sure after seeing it, whatever else they know{aside}."
    )


def _edge_privacy(figures: Figures, policy: Figures) -> str:
    where = " in one snapshot" if policy.get("kind") == "temporal_graph" else ""
    return (
        f"Whether two people are connected{where} hardly changes the release: whoever was undecided (50 to 50) is at "
        f"most {_odds(figures['epsilon'])} sure after seeing it, whatever else they know. Who takes part is not hidden."
    )


Sentence = Callable[[Figures, Figures], str]

_SENTENCES: dict[str, Sentence] = {
    "k_anonymity": _k_anonymity,
    "l_diversity": _l_diversity,
    "differential_privacy": _differential_privacy,
    "edge_differential_privacy": _edge_privacy,
    "edge_local_dp": _edge_privacy,
    "local_differential_privacy": lambda f, p: (
        f"Every {named(with_role(p, 'sensitive'))} was randomized, so its owner can deny it: whoever was undecided "
        f"(50 to 50) is at most {_odds(f['epsilon'])} sure of a value after seeing the release."
    ),
    "t_closeness": lambda f, p: (
        f"Among the people who fit, {f['attribute']} is distributed nearly as in the whole release "
        f"(distance at most {show(f['t'])})."
    ),
    "alpha_k": lambda f, p: (
        f"Whoever knows the {_known(p)} of a person finds at least {show(f['k'])} people who fit, and no value of "
        f"{f['attribute']} is shared by more than {percent(f['alpha'])} of them."
    ),
    "beta_likeness": lambda f, p: (
        f"Whoever finds the people who fit believes in a value of {f['attribute']} at most "
        f"{show(1 + float(f['beta']))} times as much as before."
    ),
    "k_map": lambda f, p: f"Every released row fits at least {show(f['k'])} people of the population.",
    "delta_presence": lambda f, p: (
        f"The chance that a person of the population is in the data stays between {percent(f['minimum'])} and "
        f"{percent(f['maximum'])}."
    ),
    "k_degree_anonymity": lambda f, p: (
        f"Whoever knows how many contacts a person has{_at_a_time(p)} finds at least {show(f['k'])} with as many."
    ),
    "k_neighborhood_anonymity": lambda f, p: (
        f"Whoever knows how a person's contacts are connected finds at least {show(f['k'])} people with the same."
    ),
    "k_candidate_anonymity": lambda f, p: (
        f"Whoever knows the numbers of contacts around a person finds at least {show(f['k'])} people who fit."
    ),
    "k_automorphism": lambda f, p: (
        f"Whatever is known of the connections around a person, at least {show(f['k'])} people fit: the graph is "
        "symmetric."
    ),
    "neighborhood_twins": lambda f, p: (
        f"Every person has exactly the contacts of at least {int(f['k']) - 1} others: no pattern of connections tells "
        "them apart."
    ),
    "supernode_size": lambda f, p: (
        f"People are shown in groups of at least {show(f['k'])}; of a group only its size and numbers of connections "
        "are shown."
    ),
    "kl_anonymity": lambda f, p: (
        f"Whoever knows {show(f['l'])} contacts of a person finds at least {show(f['k'])} people who have them all."
    ),
    "k_eps_obfuscation": lambda f, p: (
        f"For all but {percent(f['epsilon'])} of people, knowing their number of contacts leaves a doubt as large as "
        f"among {show(f['k'])} people."
    ),
    "degree_trajectory_anonymity": lambda f, p: (
        f"Whoever knows how many contacts a person had at every time finds at least {show(f['k'])} people with as many."
    ),
    "temporal_k_degree_anonymity": lambda f, p: (
        f"At any one time, whoever knows how many contacts a person has finds at least {show(f['k'])} people with as "
        "many, and no time stands out."
    ),
}


def _at_a_time(policy: Figures) -> str:
    return " at one time" if policy.get("kind") == "temporal_graph" else ""


def shown_figures(figures: Any) -> str:
    """Required or achieved figures, as a line of a table."""
    return plain(figures) if isinstance(figures, Mapping) else "–"
