"""Promises in words: what a verified guarantee means for a person in the data, and against whom it holds."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from antifaz import catalogue
from service.report.numbers import is_number, percent, plain, show, words

Figures = Mapping[str, Any]
_MOST_NAMED = 4
"""Number of columns that a sentence names."""


def promise_in_words(guarantee: Figures, policy: Figures) -> str:
    """One sentence about a guarantee, with the verified figures; for an unknown one the text of the catalogue."""
    # The achieved figures may be better than the required ones; those that it leaves out are as required.
    figures = {**(guarantee.get("required") or {}), **(guarantee.get("achieved") or {})}
    model = str(guarantee.get("model", ""))
    sentence = SENTENCES.get(model)
    try:
        return _filled(sentence, figures, policy) if sentence else _summary(model, policy)
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
    """Columns as a list in a sentence; only the first ones if there are many."""
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
    return (
        named(with_role(policy, "quasi_identifier")) if with_role(policy, "quasi_identifier") else "quasi-identifiers"
    )


def _summary(model: str, policy: Figures) -> str:
    for part in catalogue.parts("guarantees", str(policy.get("kind"))):
        if part.wire_name() == model:
            return (part.__doc__ or "").partition("\n")[0]
    return words(model).capitalize() + "."


SENTENCES: dict[str, str] = {
    "k_anonymity": "Anyone who knows the {known} of a person finds at least {k} people in the release who match "
    "equally well.",
    "l_diversity": "Among the people who match, {attribute} has at least {l} different values{evenly}, so knowing who "
    "matches does not disclose it.",
    "t_closeness": "Among the people who match, {attribute} is distributed nearly as in the whole release (distance at "
    "most {t}).",
    "alpha_k": "Anyone who knows the {known} of a person finds at least {k} people who match, and no value of "
    "{attribute} is shared by more than {alpha} of them.",
    "beta_likeness": "For anyone who finds the people who match, a value of {attribute} is at most {times} times as "
    "likely as before.",
    "k_map": "Every released row matches at least {k} people of the population.",
    "delta_presence": "The chance that a person of the population is in the data stays between {minimum} and "
    "{maximum}.",
    "differential_privacy": "Whether one person's record is in the data hardly changes the release: anyone who was "
    "undecided (50 to 50) is at most {odds} sure after seeing it, whatever else they know{aside}.",
    "local_differential_privacy": "Every {sensitive} was randomized, so people can deny theirs: anyone who was "
    "undecided (50 to 50) is at most {odds} sure of a value after seeing the release.",
    "edge_differential_privacy": "Whether two people are connected{in_one} hardly changes the release: anyone who was "
    "undecided (50 to 50) is at most {odds} sure after seeing it, whatever else they know. Who takes part is not "
    "hidden.",
    "k_degree_anonymity": "Anyone who knows how many contacts a person has{at_one} finds at least {k} people with that "
    "number.",
    "k_neighborhood_anonymity": "Anyone who knows how a person's contacts are connected{and_labels} finds at least {k} "
    "people with the same.",
    "k_candidate_anonymity": "Anyone who knows the numbers of contacts around a person finds at least {k} people who "
    "match.",
    "k_automorphism": "Whatever is known about the connections around a person, at least {k} people match: the graph "
    "is symmetric.",
    "neighborhood_twins": "Every person has exactly the same contacts as at least {others} others: no pattern of "
    "connections distinguishes them.",
    "supernode_size": "People are shown in groups of at least {k}; only the size and the numbers of connections of a "
    "group are shown.",
    "kl_anonymity": "Anyone who knows {l} contacts of a person finds at least {k} people who have them all.",
    "k_eps_obfuscation": "For all but {share} of people, knowing their number of contacts leaves as much doubt as "
    "among {k} people.",
    "degree_trajectory_anonymity": "Anyone who knows how many contacts a person had at every time finds at least {k} "
    "people with the same numbers.",
    "temporal_k_degree_anonymity": "At any one time, anyone who knows how many contacts a person has finds at least "
    "{k} people with that number, and no time stands out.",
}
"""The promise of each guarantee. The console's pages fill in the same sentences while a policy is written
(``guarantees.js``), so every name in braces is a parameter or one of `DERIVED`."""
SENTENCES["edge_local_dp"] = SENTENCES["edge_differential_privacy"]

VARIANTS = {"distinct": "", "entropy": " of similar frequency (by entropy)", "recursive": ", none too frequent"}
IN_ONE = {"in_one": " in one snapshot", "at_one": " at one time"}
"""Phrases for temporal graphs only."""
_SHARES = ("alpha", "minimum", "maximum")


def _filled(sentence: str, figures: Figures, policy: Figures) -> str:
    """A sentence with its figures, in one pass, so that a column whose name has braces is not replaced again."""
    return re.sub(r"\{(\w+)\}", lambda found: _value(found[1], figures, policy), sentence)


def _value(name: str, figures: Figures, policy: Figures) -> str:
    if name in DERIVED:
        return DERIVED[name](figures, policy)
    if name in _SHARES:
        return percent(figures[name])
    return show(figures[name])


def _odds(epsilon: Any) -> str:
    """How sure someone who was undecided can be after a differentially private release."""
    return percent(1 / (1 + math.exp(-min(50.0, float(epsilon)))))


DERIVED: dict[str, Callable[[Figures, Figures], str]] = {
    "known": lambda figures, policy: _known(policy),
    "sensitive": lambda figures, policy: named(with_role(policy, "sensitive")),
    "odds": lambda figures, policy: _odds(figures["epsilon"]),
    "aside": lambda figures, policy: (
        f", except with probability {show(figures['delta'])}" if figures.get("delta") else ""
    ),
    "evenly": lambda figures, policy: VARIANTS[figures.get("variant", "distinct")],
    "times": lambda figures, policy: show(1 + float(figures["beta"])),
    "others": lambda figures, policy: show(int(figures["k"]) - 1),
    "share": lambda figures, policy: percent(figures["epsilon"]),
    "in_one": lambda figures, policy: IN_ONE["in_one"] if policy.get("kind") == "temporal_graph" else "",
    "at_one": lambda figures, policy: IN_ONE["at_one"] if policy.get("kind") == "temporal_graph" else "",
    "and_labels": lambda figures, policy: (
        f", and the {_known(policy)} of all of them," if figures.get("labels") == "compared" else ""
    ),
}
"""Values of a sentence that are not parameters."""


def shown_figures(figures: Any) -> str:
    """Required or achieved figures, as a line of a table."""
    return plain(figures) if isinstance(figures, Mapping) else "–"
