"""Losses and refusals in words: what the release lost, why a release was refused, and what would work."""

import math
from collections.abc import Mapping
from typing import Any

from service.report.numbers import is_number, percent, show, words

Figures = Mapping[str, Any]

MEASURES = {
    "nodes": "number of people",
    "edges": "number of connections",
    "average_distance": "average distance",
    "harmonic_mean_distance": "harmonic mean distance",
    "diameter": "diameter",
    "transitivity": "transitivity",
    "average_clustering": "average clustering",
    "modularity": "modularity",
    "connected_components": "connected components",
    "largest_adjacency_eigenvalue": "largest eigenvalue",
    "second_smallest_laplacian_eigenvalue": "algebraic connectivity",
    "density": "density",
    "mean_degree": "mean degree",
    "median_degree": "median degree",
    "empty_snapshots": "empty snapshots",
    "subgraph_centrality": "subgraph centrality",
}
"""Measures of graphs with one figure before and one after."""


def loss_in_words(report: Figures) -> str:
    """One sentence about the loss; an empty text if the reader may not see it."""
    utility, changed = _part(report, "utility"), _part(report, "transformation")
    if report.get("kind") == "table":
        return _of_table(utility, changed)
    sentences = [_of_edges(changed, report), _of_measures(utility)]
    return " ".join(sentence for sentence in sentences if sentence)


def loss_headline(report: Figures) -> str:
    """The loss as one figure: lost detail of a table, or changed connections of a graph."""
    value = _part(_part(report, "utility"), "ncp").get("value")
    changed, edges = _part(report, "transformation"), _part(report, "dataset").get("edges")
    added, removed = changed.get("edges_added"), changed.get("edges_removed")
    if report.get("kind") != "table" and is_number(edges) and edges and is_number(added) and is_number(removed):
        value = (added + removed) / edges  # type: ignore[operator]
    return percent(value) if is_number(value) and value <= 1 else ""  # type: ignore[operator]


def _of_table(utility: Figures, changed: Figures) -> str:
    sentences = []
    ncp = _part(utility, "ncp")
    if is_number(ncp.get("value")):
        said = f"{percent(ncp['value'])} of the detail of the quasi-identifiers was lost"
        worst = _largest(_part(ncp, "attributes"))
        sentences.append(said + (f"; {worst[0]} lost the most ({percent(worst[1])})." if worst else "."))
    query = _part(utility, "query_error")
    if not sentences and is_number(query.get("value")):
        sentences.append(f"Counts of random groups are off by {percent(query['value'])} (median).")
    distance = _part(utility, "distribution_distance")
    if not sentences and is_number(distance.get("value")):
        sentences.append(f"Distributions of single columns differ by {percent(distance['value'])} on average.")
    sentences.append(_of_rows(changed))
    return " ".join(sentence for sentence in sentences if sentence)


def _of_rows(changed: Figures) -> str:
    left_out, rows = changed.get("rows_suppressed"), changed.get("rows_in")
    if left_out == 0:
        return "No row was left out."
    if is_number(left_out) and is_number(rows) and rows:
        return f"{show(left_out)} of {show(rows)} rows were left out."
    return "" if left_out is None else f"Rows left out: {left_out}."


def _of_edges(changed: Figures, report: Figures) -> str:
    added, removed = changed.get("edges_added"), changed.get("edges_removed")
    if added is None and removed is None:
        return ""
    said = f"{show(added or 0)} connections were added and {show(removed or 0)} removed"
    edges = _part(report, "dataset").get("edges")
    if is_number(edges) and edges and is_number(added) and is_number(removed):
        said += f", {percent((added + removed) / edges)} of the original connections"  # type: ignore[operator]
    return said + "."


def _of_measures(utility: Figures) -> str:
    changes = dict(measure_changes(utility))
    worst = _largest(changes)
    if worst is None:
        return ""
    if worst[1] < 0.0005:
        return "None of the measured properties changed noticeably."
    return f"Of the measured properties, {worst[0]} changed the most ({percent(worst[1])})."


def measure_changes(utility: Figures) -> list[tuple[str, float]]:
    """Measures of a graph with the share by which each changed, the most changed first."""
    found = [
        (MEASURES[name], float(figures["loss"]))
        for name, figures in utility.items()
        if name in MEASURES and isinstance(figures, Mapping) and is_number(figures.get("loss"))
    ]
    return sorted(found, key=lambda each: -each[1])


def _largest(shares: Figures) -> tuple[str, float] | None:
    known = {str(name): float(share) for name, share in shares.items() if is_number(share)}
    if not known or max(known.values()) <= 0:
        return None
    name = max(known, key=known.__getitem__)
    return name, known[name]


def _part(section: Figures, name: str) -> Figures:
    found = section.get(name)
    return found if isinstance(found, Mapping) else {}


_RULES = {
    "max_suppressed": "Too many rows would be left out",
    "max_prosecutor_risk": "An attacker who knows that a person is in the data would find them too easily",
    "max_journalist_risk": "An attacker who does not know who is in the data would find a person too easily",
    "max_marketer_risk": "Too many people would be found on average",
    "max_linkage_rate": "The linkage attack finds too many people",
    "max_homogeneous": "Too many people share their sensitive value with everyone who looks like them",
    "max_loss": "Too much detail would be lost",
    "max_edges_changed": "Too many connections would be changed",
    "max_reidentified": "The degree attack finds too many people",
    "min_candidate_set": "Too few people share a number of contacts",
    "max_link_posterior": "Some connection would be too certain",
    "max_plausibility_auc": "Added connections could be distinguished from real ones",
    "no_rows": "The table has no rows",
    "budget": "The budget of differential privacy does not cover it",
    "composition": "Together with earlier releases it would disclose too much",
    "whole_table": "Even all rows in one class do not satisfy a guarantee",
    "naive": "The release would be the original with new numbers",
    "no_guarantee": "The policy promises nothing",
    "population": "The guarantees do not hold against the population",
    "most_edges": "The noise would add too many connections",
    "least_survival": "The noise would leave too few real connections",
    "dense": "The graph has too many connections for this noise",
    "categories": "A column has too many values",
    "share": "Too few pairs of people are not connected",
    "release_form": "The sealed files do not have the form of a release",
}
_SHARES = frozenset(rule for rule in _RULES if rule.startswith("max_")) - {"max_plausibility_auc"}


def reason_in_words(reason: Figures) -> str:
    """Why a release was refused."""
    rule = str(reason.get("rule", ""))
    said = _RULES.get(rule) or _guarantee_in_words(rule)
    text = percent if rule in _SHARES else show
    limit, found = reason.get("limit"), reason.get("measured")
    figures = []
    if found is not None:
        figures.append(f"{text(found)} measured")
    if limit is not None:
        figures.append(f"the limit is {text(limit)}" if rule in _RULES else f"{text(limit)} required")
    sentence = said + (f": {', '.join(figures)}." if figures else ".")
    detail = str(reason.get("detail") or "")
    return f"{sentence} {detail[0].upper()}{detail[1:]}." if detail else sentence


def _guarantee_in_words(rule: str) -> str:
    model = rule.removeprefix("guarantee:")
    held = " did not verify" if rule.startswith("guarantee:") else " cannot be reached"
    return f"The guarantee {words(model)}{held}"


def nearest_in_words(setting: str, value: Any) -> str:
    """What would work: one changed setting."""
    if setting == "k":
        return f"Use k = {show(value)} instead."
    if setting in _SHARES:
        # Rounded up: the figure itself would pass, a smaller one would not.
        return f"Set {setting} of the gate to {show(math.ceil(10_000 * float(value)) / 10_000)} ({percent(value)})."
    return f"Set {words(setting)} to {show(value)}."
