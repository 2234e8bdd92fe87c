"""Mutants: the verifier's source with one mistake in it, each of a kind that a tired hand makes.

A mutant is killed where a contest finds it disagreeing with the definition. The first six are those by which a
verifier of k is commonly tried out: more than k for at least k, the largest class for the smallest, one
quasi-identifier forgotten, an empty release let through, the average class, labels tidied before they are compared.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEED = "5"
DISAGREES = "where the definition says"


@dataclass(frozen=True)
class Mutant:
    """One mistake: what stands in the files of the verifier, and what is put in its place."""

    name: str
    contests: tuple[str, ...]
    changes: tuple[tuple[str, str, str], ...]
    """File, text, other text."""


def mutant(name: str, contest: str, file: str, text: str, other: str) -> Mutant:
    return Mutant(name, (contest,), ((file, text, other),))


def applies(each: Mutant) -> bool:
    """Whether every text of a mutant stands exactly once where it should."""
    return all((ROOT / "verifier" / file).read_text().count(text) == 1 for file, text, _ in each.changes)


def either(*ways: Mutant) -> Mutant:
    """One mistake in a line that may be written in several ways: the one that is there."""
    return next((way for way in ways if applies(way)), ways[0])


MODELS, FINDINGS, CHECK, TABLES = "models.py", "findings.py", "check.py", "tables.py"
CLOSENESS, SENSITIVE, POPULATIONS, NETWORKS = "closeness.py", "sensitive.py", "populations.py", "networks.py"
COVERAGE, PARQUET = "coverage.py", "parquet.py"
COLUMNS, CELLS, PAIRS, DOMAINS, PARTS = "columns.py", "cells.py", "pairs.py", "domains.py", "release_parts.py"
MARGINALS, CHARGED = "marginals.py", "charged.py"
STRUCTURE, SUBSETS, NEIGHBORHOODS = "structure.py", "subsets.py", "neighborhoods.py"
GENERALIZED, UNCERTAIN, FOLDING = "generalized.py", "uncertain.py", "folding.py"
MOMENTS = "temporal_degrees.py"

MUTANTS: list[Mutant] = [
    either(
        mutant("k is not enough", "k_anonymity", FINDINGS, 'reached < guarantee["k"]', 'reached <= guarantee["k"]'),
        mutant("k is not enough", "k_anonymity", FINDINGS, 'smallest >= guarantee["k"]', 'smallest > guarantee["k"]'),
    ),
    mutant("the largest class", "k_anonymity", MODELS, "int(classes.sizes.min())", "int(classes.sizes.max())"),
    mutant(
        "a quasi-identifier is forgotten",
        "k_anonymity",
        FINDINGS,
        "_classes_of(cells, quasi_identifiers(self.policy))",
        "_classes_of(cells, quasi_identifiers(self.policy)[1:])",
    ),
    Mutant(
        "an empty release is let through",
        ("k_anonymity",),
        (
            (PARTS, "if any(not cells.rows for cells in tables):", "if not len(tables):"),
            (COLUMNS, "if not cells.rows:", "if cells.rows < 0:"),
            (
                MODELS,
                "    if not classes.count:\n        return 0\n    if units",
                "    if not classes.count:\n        return 99\n    if units",
            ),
        ),
    ),
    mutant("the average class", "k_anonymity", MODELS, "int(classes.sizes.min())", "round(classes.sizes.mean())"),
    mutant(
        "labels are trimmed",
        "k_anonymity",
        TABLES,
        "return Column(np.concatenate(chunks).astype(np.int64), texts, TEXT * len(texts))",
        "return encoded(np.concatenate(chunks).astype(np.int64), [t.strip() for t in texts], TEXT * len(texts))",
    ),
    mutant(
        "upper and lower case are one",
        "k_anonymity",
        TABLES,
        "return Column(np.concatenate(chunks).astype(np.int64), texts, TEXT * len(texts))",
        "return encoded(np.concatenate(chunks).astype(np.int64), [t.lower() for t in texts], TEXT * len(texts))",
    ),
    mutant(
        "nothing and the empty text are one",
        "k_anonymity",
        PARQUET,
        'return encoded(codes, [*labels, ""], kind * len(labels) + NOTHING)',
        'return encoded(codes, [*labels, ""], kind * (len(labels) + 1))',
    ),
    mutant(
        "zeros at the end of a number do not count",
        "t_closeness equal",
        CELLS,
        "    return cell if isinstance(cell, tuple) else (TEXT, cell)",
        '    return (TEXT, cell[1].rstrip("0")) if isinstance(cell, tuple) else (TEXT, cell)',
    ),
    mutant(
        "only the first format is read",
        "k_anonymity",
        FINDINGS,
        "for cells in self.tables]",
        "for cells in self.tables[:1]]",
    ),
    mutant(
        "rows instead of persons",
        "k_anonymity of persons",
        MODELS,
        "    if units is None:",
        "    if units is None or True:",
    ),
    mutant(
        "persons are mixed up",
        "k_anonymity of persons",
        MODELS,
        "bound = np.int64(persons.max() + 1)",
        "bound = np.int64(persons.max())",
    ),
    mutant(
        "only the lower bound is looked at",
        "k_anonymity in bounds",
        COLUMNS,
        'return f"{name}_min", f"{name}_max"',
        'return (f"{name}_min",)',
    ),
    mutant("identifiers may stay", "k_anonymity in bad form", COLUMNS, "if name in expected:", "if True:"),
    mutant(
        "a missing column is not missed",
        "k_anonymity in bad form",
        COLUMNS,
        "for name in expected if name not in cells.names]",
        "for name in expected[:-1] if name not in cells.names]",
    ),
    mutant(
        "formats may differ",
        "k_anonymity in bad form",
        PARTS,
        "[] if same_rows(tables, in_order) else",
        "[] if True else",
    ),
    mutant(
        "formulas may run",
        "k_anonymity in bad form",
        COLUMNS,
        'if cells.format != "csv":\n        return []',
        'if cells.format == "csv":\n        return []',
    ),
    mutant(
        "other parts may come along",
        "k_anonymity in bad form",
        CHECK,
        'faults = foreign_parts(artifacts, ("table",))',
        "faults: list[str] = []",
    ),
    mutant(
        "the most distinct values",
        "l_diversity distinct",
        MODELS,
        "int(np.bincount(tallies.class_of).min())",
        "int(np.bincount(tallies.class_of).max())",
    ),
    mutant(
        "l is not enough",
        "l_diversity distinct",
        FINDINGS,
        "    reached = distinct_l(tallies)\n    return reached, reached >= required",
        "    reached = distinct_l(tallies)\n    return reached, reached > required",
    ),
    mutant(
        "the highest entropy",
        "l_diversity entropy",
        MODELS,
        "math.exp(float(entropies.min()))",
        "math.exp(float(entropies.max()))",
    ),
    mutant(
        "entropy without weights",
        "l_diversity entropy",
        MODELS,
        "tallies.counts * np.log(tallies.counts)",
        "np.log(tallies.counts)",
    ),
    mutant(
        "entropy must exceed l",
        "l_diversity entropy",
        MODELS,
        "** size >= required.numerator**size",
        "** size > required.numerator**size",
    ),
    mutant("entropy in doubt passes", "l_diversity entropy", MODELS, "(gaps > -_DOUBT).all()", "(gaps > -0.1).all()"),
    mutant(
        "at most c times",
        "l_diversity recursive",
        MODELS,
        "most[place]) * c.denominator < c.numerator",
        "most[place]) * c.denominator <= c.numerator",
    ),
    mutant(
        "the tail begins late",
        "l_diversity recursive",
        MODELS,
        "(running - tallies.counts - before[position])",
        "(running - before[position])",
    ),
    mutant(
        "the rarest value first",
        "l_diversity recursive",
        MODELS,
        "np.lexsort((-counts, class_of))",
        "np.lexsort((counts, class_of))",
    ),
    mutant("the best class", "l_diversity recursive", MODELS, "tallies.starts).min())", "tallies.starts).max())"),
    mutant(
        "t must not be reached",
        "t_closeness equal",
        CLOSENESS,
        "decide(int(number)) <= bound",
        "decide(int(number)) < bound",
    ),
    mutant(
        "the nearest class",
        "t_closeness equal",
        CLOSENESS,
        "float(distances.max()), holds",
        "float(distances.min()), holds",
    ),
    mutant(
        "distances are halved",
        "t_closeness equal",
        CLOSENESS,
        "weights=np.maximum(excess, 0.0), minlength",
        "weights=np.maximum(excess, 0.0) / 2, minlength",
    ),
    mutant(
        "ranks over the number of values",
        "t_closeness ordered",
        CLOSENESS,
        ".sum(axis=1) / (values - 1)",
        ".sum(axis=1) / values",
    ),
    mutant(
        "an exact distance is not normalized",
        "t_closeness ordered",
        CLOSENESS,
        "Fraction(moved, size * counted.rows * (values - 1))",
        "Fraction(moved, size * counted.rows * values)",
    ),
    mutant(
        "numbers are ordered as texts",
        "t_closeness ordered",
        SENSITIVE,
        "keys = {text: Fraction(text) for text in known}",
        "keys = {text: text for text in known}",
    ),
    mutant(
        "the stated order is not used",
        "t_closeness ordered",
        SENSITIVE,
        'if settings.get("order") is not None:',
        'if settings.get("order") == []:',
    ),
    mutant(
        "the missing value is in the middle",
        "t_closeness ordered",
        SENSITIVE,
        "start=1 if missing else 0",
        "start=0",
    ),
    mutant(
        "spellings are values",
        "l_diversity distinct",
        FINDINGS,
        "tally(classes, numbers[values.codes], len(numbers))",
        "tally(classes, values.codes, len(values.texts))",
    ),
    mutant(
        "upper and lower case are two values",
        "l_diversity entropy",
        FOLDING,
        "return visible.casefold()",
        "return visible",
    ),
    mutant(
        "a number is as it is written",
        "l_diversity recursive",
        FOLDING,
        "return _by_size(read) or _by_moment(read) or read",
        "return _by_moment(read) or read",
    ),
    mutant(
        "a time is as it is written",
        "alpha_k",
        FOLDING,
        "return _by_size(read) or _by_moment(read) or read",
        "return _by_size(read) or read",
    ),
    mutant(
        "the mark of a csv cell is part of the value",
        "l_diversity distinct",
        FOLDING,
        'text[1:] if text[:1] == "\'" and text[1:2] in _RUNNABLE else text',
        "text",
    ),
    mutant(
        "a class is compared by its spellings alone",
        "beta_likeness enhanced",
        SENSITIVE,
        "return [spelled] if len(folded.texts) == len(spelled.texts) else [spelled, folded]",
        "return [spelled]",
    ),
    mutant(
        "a class is compared by its values alone",
        "t_closeness equal",
        SENSITIVE,
        "return [spelled] if len(folded.texts) == len(spelled.texts) else [spelled, folded]",
        "return [folded]",
    ),
    mutant(
        "a value stands where its last spelling does",
        "t_closeness hierarchical",
        SENSITIVE,
        "        first.setdefault(number, text)",
        "        first[number] = text",
    ),
    mutant(
        "a value ranks as its last spelling does",
        "t_closeness ordered",
        SENSITIVE,
        "least[number] = min(",
        "least[number] = max(",
    ),
    mutant(
        "every level costs the same",
        "t_closeness hierarchical",
        CLOSENESS,
        "distances += level / height *",
        "distances += 1 / height *",
    ),
    mutant(
        "an exact tree is flat",
        "t_closeness hierarchical",
        CLOSENESS,
        "Fraction(level, height) * _moved",
        "Fraction(1) * _moved",
    ),
    mutant(
        "what leaves a group is forgotten",
        "t_closeness hierarchical",
        CLOSENESS,
        "moved = np.minimum(surplus, surplus - _excess(above))",
        "moved = surplus",
    ),
    mutant("k is forgotten", "alpha_k", SENSITIVE, 'if smallest >= guarantee["k"] else', "if smallest else"),
    mutant(
        "a share of the release",
        "alpha_k",
        CLOSENESS,
        "    shares = counted.counts / counted.sizes[counted.class_of]\n\n    def decide",
        "    shares = counted.counts / counted.rows\n\n    def decide",
    ),
    mutant(
        "gain against the class",
        "beta_likeness basic",
        CLOSENESS,
        "_excess(counted) / reference",
        "_excess(counted) / np.maximum(reference, _excess(counted))",
    ),
    mutant(
        "gain is not relative",
        "beta_likeness basic",
        CLOSENESS,
        "gains = np.asarray(_excess(counted) / reference",
        "gains = np.asarray(_excess(counted)",
    ),
    mutant(
        "beta alone",
        "beta_likeness enhanced",
        CLOSENESS,
        "limits = np.minimum(float(bound), -np.log(reference))",
        "limits = np.full(len(reference), float(bound))",
    ),
    mutant(
        "content alone",
        "beta_likeness enhanced",
        CLOSENESS,
        "limits = np.minimum(float(bound), -np.log(reference))",
        "limits = -np.log(reference)",
    ),
    mutant(
        "content to another base", "beta_likeness enhanced", CLOSENESS, "-np.log(reference))", "-np.log2(reference))"
    ),
    mutant(
        "the class with most people", "k_map", POPULATIONS, "min(int(crowd.people.min())", "min(int(crowd.people.max())"
    ),
    mutant(
        "rows instead of people", "k_map", POPULATIONS, "min(int(crowd.people.min())", "min(int(crowd.records.min())"
    ),
    mutant(
        "a range leaves its end out",
        "k_map",
        COVERAGE,
        "bisect_left(sizes, ends[0]), bisect_right(sizes, ends[-1])",
        "bisect_left(sizes, ends[0]), bisect_left(sizes, ends[-1])",
    ),
    mutant(
        "a star covers nothing",
        "k_map",
        COVERAGE,
        '(0, len(values)) if label == "*" else self._range(label, sizes)',
        "self._range(label, sizes)",
    ),
    mutant("groups cover nothing", "k_map", COVERAGE, "for code in grouped.get(label, ())", "for code in ()"),
    mutant(
        "more rows than people",
        "k_map",
        POPULATIONS,
        "if any((crowd.records > crowd.people).any() for crowd in crowds):",
        "if not crowds and not flaw:",
    ),
    mutant(
        "one class alone",
        "delta_presence",
        POPULATIONS,
        "np.add.at(most, combinations",
        "np.maximum.at(most, combinations",
    ),
    mutant(
        "chances add up to a presence",
        "delta_presence",
        POPULATIONS,
        "np.maximum.at(least, combinations",
        "np.add.at(least, combinations",
    ),
    mutant(
        "the absent are forgotten",
        "delta_presence",
        POPULATIONS,
        "np.zeros(len(crowd.sizes)), np.zeros(len(crowd.sizes))",
        "np.zeros(len(crowd.sizes)), np.ones(len(crowd.sizes))",
    ),
    mutant(
        "the minimum is forgotten", "delta_presence", POPULATIONS, "elif (least[sure] < float(low)).any() or", "elif"
    ),
    mutant(
        "columns do not add up",
        "local_differential_privacy",
        SENSITIVE,
        "total = sum(loss for loss in losses",
        "total = max(loss for loss in losses",
    ),
    mutant(
        "impossible outputs pass",
        "local_differential_privacy",
        SENSITIVE,
        'if min(column) <= 0 < max(column):\n            return "a released value rules a true one out"',
        "if min(column) <= 0:\n            continue",
    ),
    mutant(
        "rows instead of columns",
        "local_differential_privacy",
        SENSITIVE,
        "for column in zip(*rows, strict=True):",
        "for column in rows:",
    ),
    mutant(
        "chances need not add up",
        "local_differential_privacy",
        SENSITIVE,
        "abs(keep + (values - 1) * other - 1) > Fraction(1, 10**9)",
        "False",
    ),
    mutant(
        "the smallest matrix will do",
        "local_differential_privacy",
        SENSITIVE,
        "or values < max(released, 1):",
        "or values < 1:",
    ),
    mutant(
        "a domain need not be declared",
        "local_differential_privacy",
        DOMAINS,
        'if declared is None and not waives(evidence.policy, "observed_domain"):',
        "if False:",
    ),
    mutant(
        "the matrix may speak of other values",
        "local_differential_privacy",
        DOMAINS,
        "if declared is not None and size != len(declared):",
        "if False:",
    ),
    mutant(
        "values that were not declared pass",
        "local_differential_privacy",
        DOMAINS,
        "any(folded(text) not in declared for",
        "any(False for",
    ),
    mutant(
        "randomized response may never lie",
        "local_differential_privacy",
        DOMAINS,
        "if not all(_may_be_drawn(cells, name, size, low, high) for cells in tables):",
        "if False:",
    ),
    mutant(
        "drawings of a synthetic table do not add up",
        "differential_privacy",
        MARGINALS,
        "sum((loss for loss in losses if loss is not None), Fraction(0))",
        "max(loss for loss in losses if loss is not None)",
    ),
    mutant(
        "a choice costs half", "differential_privacy", MARGINALS, "2 * contributions / scale", "contributions / scale"
    ),
    mutant(
        "a person is one record",
        "differential_privacy",
        MARGINALS,
        "        ratio = contributions / scale",
        "        ratio = 1 / scale",
    ),
    mutant(
        "concentrated losses are epsilons",
        "differential_privacy",
        MARGINALS,
        "    if delta == 0:\n        return float(loss)",
        "    if delta >= 0:\n        return float(loss)",
    ),
    mutant(
        "synthetic values need not be declared",
        "differential_privacy",
        MARGINALS,
        "if name not in cells.names or not _is_declared(cells, name, method, stated[0]):",
        "if name not in cells.names:",
    ),
    mutant(
        "numbers may be beyond their bounds",
        "differential_privacy",
        MARGINALS,
        "low <= Fraction(match[0]) <= high",
        "low <= Fraction(match[0])",
    ),
    mutant(
        "any number of records counts",
        "differential_privacy",
        MARGINALS,
        'sealed.get("contributions") != contributions',
        "False",
    ),
    mutant(
        "a synthetic table is charged by its word",
        "differential_privacy",
        CHARGED,
        "charged >= epsilon * _MICRO",
        "charged > 0",
    ),
    mutant("an edge has one end", "edge_differential_privacy", "degree_noise.py", "_ENDS = 2", "_ENDS = 1"),
    mutant(
        "a graph is charged by its word",
        "edge_differential_privacy",
        CHARGED,
        "charged >= epsilon * _MICRO",
        "charged > 0",
    ),
    mutant("an edge may stay as it likes", "edge_local_dp", PAIRS, "((mechanism.keep, least), ", "("),
    mutant(
        "an absent edge may stay absent as it likes", "edge_local_dp", PAIRS, "(1 - least, 1 - mechanism.keep), ", ""
    ),
    mutant(
        "parts of epsilon need not add up", "edge_local_dp", PAIRS, "mechanism.structure + mechanism.counted >", "0 >"
    ),
    mutant(
        "any density will do",
        "edge_local_dp",
        PAIRS,
        "if abs(kept - mechanism.density) <= _CLOSE",
        "if kept is not None",
    ),
    mutant("a budget is charged by its word", "edge_local_dp", CHARGED, "charged >= epsilon * _MICRO", "charged > 0"),
    mutant(
        "the largest group of nodes",
        "k_degree_anonymity",
        FINDINGS,
        "min(int(sizes.min()) for sizes in groups)",
        "min(int(sizes.max()) for sizes in groups)",
    ),
    mutant(
        "k of a graph is not enough",
        "k_degree_anonymity",
        FINDINGS,
        'achieved["k"] >= guarantee["k"] else "a group',
        'achieved["k"] > guarantee["k"] else "a group',
    ),
    mutant(
        "edges count at one end",
        "k_degree_anonymity",
        MODELS,
        "else [(inward + outward, 2 * n + 1)]",
        "else [(outward, 2 * n + 1)]",
    ),
    mutant(
        "the direction is forgotten",
        "k_degree_anonymity directed",
        MODELS,
        "[(inward, n + 1), (outward, n + 1)] if directed",
        "[(inward + outward, 2 * n + 1)] if directed",
    ),
    mutant(
        "in-degrees alone",
        "k_degree_anonymity directed",
        MODELS,
        "[(inward, n + 1), (outward, n + 1)] if directed",
        "[(inward, n + 1)] if directed",
    ),
    mutant(
        "loops may stay",
        "k_degree_anonymity in bad form",
        NETWORKS,
        "if (network.sources == network.targets).any():",
        "if False:",
    ),
    mutant(
        "repeated edges may stay",
        "k_degree_anonymity in bad form",
        NETWORKS,
        "if (keys[1:] == keys[:-1]).any():",
        "if False:",
    ),
    mutant(
        "graphs may differ",
        "k_degree_anonymity in bad form",
        CHECK,
        'return [] if agree else ["the artifacts show different edges"]',
        "return []",
    ),
    mutant(
        "nodes may be missing",
        "k_degree_anonymity in bad form",
        PARTS,
        "if any(len(nodes) != n for _, nodes in lists):",
        "if False:",
    ),
    mutant(
        "k snapshots are too few",
        "temporal_k_degree_anonymity",
        MOMENTS,
        'snapshots < guarantee["k"]',
        'snapshots <= guarantee["k"]',
    ),
    mutant(
        "k nodes of a moment are too few",
        "temporal_k_degree_anonymity",
        MOMENTS,
        'nodes >= guarantee["k"]',
        'nodes > guarantee["k"]',
    ),
    mutant(
        "snapshots need not recur",
        "temporal_k_degree_anonymity",
        MOMENTS,
        'if not flaw and snapshots < guarantee["k"]:',
        "if False:",
    ),
    mutant(
        "nodes without edges are nobody",
        "temporal_k_degree_anonymity",
        MOMENTS,
        "int(min(sizes.min(initial=timeline.n), idle[idle > 0].min(initial=timeline.n)))",
        "int(sizes.min(initial=timeline.n))",
    ),
    mutant(
        "degrees of two moments count together",
        "temporal_k_degree_anonymity",
        MOMENTS,
        "(np.diff(times, prepend=-1) != 0) | (np.diff(values, prepend=-1) != 0)",
        "np.diff(values, prepend=-1) != 0",
    ),
    mutant(
        "the multiset does for the vector",
        "temporal_k_degree_anonymity",
        MOMENTS,
        'recurrence == "vector") for',
        "False) for",
    ),
    mutant(
        "the vector does for the multiset",
        "temporal_k_degree_anonymity multiset",
        MOMENTS,
        'recurrence == "vector") for',
        "True) for",
    ),
    mutant(
        "who has edges and not how many",
        "temporal_k_degree_anonymity",
        MOMENTS,
        "seen[(nodes.tobytes(), values.tobytes()) if by_node",
        'seen[(nodes.tobytes(), b"") if by_node',
    ),
    mutant(
        "pairs of degrees are judged apart",
        "temporal_k_degree_anonymity directed",
        MOMENTS,
        '_layers(timeline, directions == "pairs")',
        "_layers(timeline, False)",
    ),
    mutant(
        "out-degrees alone",
        "temporal_k_degree_anonymity separate",
        MOMENTS,
        "        yield _counted(timeline.n, outward)\n        yield _counted(timeline.n, inward)",
        "        yield _counted(timeline.n, outward)",
    ),
    mutant(
        "two pairs of degrees are one number",
        "degree_trajectory_anonymity directed",
        MOMENTS,
        "sent * (received.max(initial=0) + 1) + received",
        "sent + received",
    ),
    mutant(
        "k nodes of a trajectory are too few",
        "degree_trajectory_anonymity",
        MOMENTS,
        'smallest >= guarantee["k"]',
        'smallest > guarantee["k"]',
    ),
    mutant(
        "the last moment alone",
        "degree_trajectory_anonymity",
        MOMENTS,
        "keys = members[nodes] * np.int64(stop - start) + ranks",
        "keys = ranks",
    ),
    mutant(
        "the most common trajectory",
        "degree_trajectory_anonymity",
        MOMENTS,
        "int(sizes.min()) if sizes.size",
        "int(sizes.max()) if sizes.size",
    ),
    mutant(
        "degrees may change while they are above zero",
        "degree_trajectory_anonymity",
        MOMENTS,
        "keys = members[nodes] * np.int64(stop - start) + ranks",
        "keys = members[nodes] * np.int64(stop - start)",
    ),
    mutant(
        "k nodes are too few",
        "supernode_size",
        GENERALIZED,
        'achieved["k"] < guarantee["k"]',
        'achieved["k"] <= guarantee["k"]',
    ),
    mutant("the largest supernode", "supernode_size", GENERALIZED, "int(sizes.min())", "int(sizes.max())"),
    mutant("edges inside have room", "supernode_size", GENERALIZED, "(inside > room).any() or ", ""),
    mutant(
        "edges between have room",
        "supernode_size",
        GENERALIZED,
        " or (between > sizes[network.sources] * sizes[network.targets]).any()",
        "",
    ),
    mutant("both ways are one", "supernode_size directed", GENERALIZED, "(1 if directed else 2)", "2"),
    mutant("one way is two", "supernode_size", GENERALIZED, "(1 if directed else 2)", "1"),
    mutant(
        "half an edge",
        "supernode_size",
        GENERALIZED,
        "within.all() and (numbers == np.floor(numbers)).all()",
        "within.all()",
    ),
    mutant(
        "one more may be told",
        "k_eps_obfuscation",
        UNCERTAIN,
        "float(bits[spared])",
        "float(bits[min(spared + 1, len(bits) - 1)])",
    ),
    mutant("nobody may be told", "k_eps_obfuscation", UNCERTAIN, "float(bits[spared])", "float(bits[0])"),
    mutant("doubt to another base", "k_eps_obfuscation", UNCERTAIN, "np.log2(np.where", "np.log(np.where"),
    mutant("an edge changes no other chance", "k_eps_obfuscation", UNCERTAIN, "*= 1.0 - there", "*= 1.0"),
    mutant(
        "the largest degree is forgotten",
        "k_eps_obfuscation",
        UNCERTAIN,
        "known < chances.shape[1]",
        "known < chances.shape[1] - 1",
    ),
    mutant(
        "whom nobody resembles is safe",
        "k_eps_obfuscation",
        UNCERTAIN,
        "np.full(len(known), -np.inf)",
        "np.full(len(known), 9.0)",
    ),
    mutant(
        "doubt is not shared out",
        "k_eps_obfuscation",
        UNCERTAIN,
        "weighted[possible] / totals[possible]",
        "weighted[possible]",
    ),
    mutant(
        "one end of an edge",
        "k_eps_obfuscation",
        UNCERTAIN,
        "owners = np.concatenate([network.sources, network.targets])",
        "owners = np.concatenate([network.sources, network.sources])",
    ),
    mutant(
        "refinement ends one step too early",
        "k_candidate_anonymity",
        STRUCTURE,
        "for _ in range(depth):",
        "for _ in range(depth - 1):",
    ),
    mutant(
        "answers are not sorted",
        "k_candidate_anonymity",
        STRUCTURE,
        "np.asarray(values[np.lexsort((values, around.nodes))])",
        "values",
    ),
    mutant(
        "those that point to a node are forgotten",
        "k_candidate_anonymity directed",
        STRUCTURE,
        "for each in around]\n        answer",
        "for each in around[:1]]\n        answer",
    ),
    mutant(
        "twins in one direction",
        "neighborhood_twins directed",
        STRUCTURE,
        "_row_numbers(each.bounds, each.others) for each in around]",
        "_row_numbers(each.bounds, each.others) for each in around[1:]]",
    ),
    mutant(
        "as many neighbors make twins",
        "neighborhood_twins",
        STRUCTURE,
        "inverse, count = np.zeros(len(rows), np.int64), 1\n        if length:",
        "inverse, count = np.zeros(len(rows), np.int64), 1\n        if False:",
    ),
    mutant(
        "functions may leave a node",
        "k_automorphism",
        STRUCTURE,
        "np.sort(np.vstack([everyone, functions]), axis=0)",
        "np.sort(functions, axis=0)",
    ),
    mutant(
        "functions need not keep edges",
        "k_automorphism",
        STRUCTURE,
        "if not np.array_equal(np.sort(first * n + second), keys):",
        "if len(first) != len(keys):",
    ),
    mutant(
        "one function is enough",
        "k_automorphism",
        STRUCTURE,
        'len(functions) + 1 < guarantee["k"]',
        "len(functions) < 1",
    ),
    mutant(
        "a function may turn edges round",
        "k_automorphism directed",
        STRUCTURE,
        "if not evidence.directed:\n                first, second",
        "if True:\n                first, second",
    ),
    mutant(
        "who is joined to one of two does not count",
        "kl_anonymity indices",
        SUBSETS,
        "np.stack([shared, one - shared, other - shared, len(degrees) - one - other + shared])",
        "np.stack([shared, shared, shared, len(degrees) - one - other + shared])",
    ),
    mutant(
        "non-neighbors of one node do not count",
        "kl_anonymity indices",
        SUBSETS,
        "_least_positive(np.concatenate([degrees, n - degrees]), n), True",
        "_least_positive(degrees, n), True",
    ),
    mutant(
        "sets of three are sets of two",
        "kl_anonymity neighbors",
        SUBSETS,
        "for other in chosen[1:]:",
        "for other in chosen[1:2]:",
    ),
    mutant(
        "too few neighbors are enough",
        "kl_anonymity neighbors",
        SUBSETS,
        "if int(degrees.min()) < l:",
        "if int(degrees.min()) < 0:",
    ),
    mutant(
        "k + l may be more than all",
        "kl_anonymity indices",
        SUBSETS,
        'required["k"] + required["l"] > evidence.n',
        'required["k"] > evidence.n',
    ),
    mutant(
        "edges between neighbors do not count",
        "k_neighborhood_anonymity",
        NEIGHBORHOODS,
        "inside = keys[found] == wanted",
        "inside = (keys[found] == wanted) & ((node[place] == middles[ball[place]]) | (other == middles[ball[place]]))",
    ),
    mutant(
        "the radius is one",
        "k_neighborhood_anonymity wider",
        NEIGHBORHOODS,
        "for _ in range(min(radius, n)):",
        "for _ in range(1):",
    ),
    mutant(
        "labels do not count",
        "k_neighborhood_anonymity labeled",
        NEIGHBORHOODS,
        "labels = np.zeros(n, np.int64) if labels is None else labels",
        "labels = np.zeros(n, np.int64)",
    ),
    mutant(
        "the middle's label alone counts",
        "k_neighborhood_anonymity labeled",
        NEIGHBORHOODS,
        "balls = _Balls(middles, ball, color, labels[node], (place[inside], found[inside]))",
        "balls = _Balls(middles, ball, color, labels[middles[ball]], (place[inside], found[inside]))",
    ),
    mutant(
        "isomorphic in one order only",
        "k_neighborhood_anonymity of circles",
        NEIGHBORHOODS,
        "        if len(kinds) > 1:\n            drawn",
        "        if len(kinds) < 1:\n            drawn",
    ),
    mutant(
        "a hash is taken for an isomorphism",
        "k_neighborhood_anonymity of circles",
        NEIGHBORHOODS,
        "done[left[ball]] = first[left[ball]].tobytes() + text",
        "done[left[ball]] = first[left[ball]].tobytes() + text[:0]",
    ),
]


def survives(each: Mutant | None, folder: Path, releases: int) -> str:
    """Run a mutant's contests on a changed copy of the verifier; what they printed if it came through."""
    shutil.copytree(ROOT / "verifier", folder / "verifier", ignore=shutil.ignore_patterns("__pycache__"))
    for file, text, other in each.changes if each else ():
        path = folder / "verifier" / file
        path.write_text(path.read_text().replace(text, other))
    told = subprocess.run(
        [sys.executable, "-m", "tests.oracles", str(releases), SEED, *(each.contests if each else ("k_anonymity",))],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if told.returncode == 1 and DISAGREES in told.stdout else told.stdout + told.stderr
