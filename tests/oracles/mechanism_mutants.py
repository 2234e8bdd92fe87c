"""Mutants of the verifier's checks of populations and mechanisms. See `tests.oracles.mutants`."""

from tests.oracles.mutants import Mutant, mutant

SENSITIVE = "people/sensitive.py"
POPULATIONS = "people/populations.py"
COVERAGE = "people/coverage.py"
PAIRS = "mechanisms/pairs.py"
DOMAINS = "people/domains.py"
MARGINALS = "mechanisms/marginals.py"
CHARGED = "mechanisms/charged.py"

MECHANISM_MUTANTS: list[Mutant] = [
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
    mutant("an edge has one end", "edge_differential_privacy", "mechanisms/degree_noise.py", "_ENDS = 2", "_ENDS = 1"),
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
]
