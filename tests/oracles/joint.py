"""Random series of releases of one table, or of its versions; the definition judges their intersections.

Every release has its own promise; all promises must hold for all releases together.
"""

import itertools
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tests.oracles import definitions as by
from verifier.joint.joint import EarlierRelease, joint_findings
from verifier.joint.promises import Promise, Values
from verifier.joint.versions import Version, joint_findings_of_versions
from verifier.verdict.verdict import Finding

TREE = {letter: (letter, group, "*") for letter, group in zip("Aabcd", ("cd", "ab", "ab", "cd", "cd"), strict=True)}
LETTERS = "abcd"
SPELLED = "Aabcd"
"""One letter in two spellings, which a hierarchy has in two places."""
_STEP, _DOUBT = 1.1e-6, 1e-8
_FORGOTTEN = "nothing is found where the definition says that something was promised"
FIGURES = {"l_diversity": "l", "t_closeness": "t", "alpha_k": "alpha", "beta_likeness": "beta"}
Figure = int | Fraction | Decimal
Guarantee = dict[str, Any]


# --- what is promised ------------------------------------------------------------------------------------------------


def draw_guarantee(rng: random.Random, model: str) -> Guarantee:
    """A promise about the attribute s, which about half of the tables drawn here keep."""
    about: Guarantee = {"model": model, "attribute": "s"}
    match model:
        case "l_diversity":
            variant = rng.choice(("distinct", "entropy", "recursive"))
            ratio = {"c": rng.choice((1, 1.5, 3))} if variant == "recursive" else {}
            return about | {"variant": variant, "l": rng.choice((1, 2, 2, 3))} | ratio
        case "t_closeness":
            distance = rng.choice(("equal", "ordered", "hierarchical"))
            return about | {"distance": distance, "t": rng.choice((0.1, 0.25, 0.3, 0.5, 0.75))}
        case "alpha_k":
            return about | {"alpha": rng.choice((0.25, 0.5, 0.6, 0.75, 1)), "k": rng.choice((2, 2, 3))}
        case _:
            return about | {"variant": rng.choice(("basic", "enhanced")), "beta": rng.choice((0.25, 0.5, 1, 2, 3))}


def reached(guarantee: Guarantee, inside: Sequence[str], everyone: Sequence[str], order: str) -> tuple[Figure, bool]:
    """The figure that one class reaches for a promise, and whether that is enough."""
    bound = Fraction(str(guarantee[FIGURES[guarantee["model"]]]))
    match guarantee["model"]:
        case "l_diversity":
            return _diversity(guarantee, inside, bound)
        case "alpha_k":
            share = max(by.shares(inside).values())
            return share, share <= bound
        case "t_closeness":
            distance = by.earth_movers_distance(inside, everyone, _cost(guarantee, everyone, order))
            return distance, distance <= bound
        case _:
            gains = by.gains(inside, everyone)
            enough = all(gain <= bound for gain, _ in gains)
            if guarantee["variant"] == "enhanced":
                enough = enough and all(by.below_content(gain, share) for gain, share in gains)
            return max(gain for gain, _ in gains), enough


def _diversity(guarantee: Guarantee, inside: Sequence[str], bound: Fraction) -> tuple[Figure, bool]:
    match guarantee["variant"]:
        case "entropy":
            return by.entropy_l(inside), by.entropy_reaches(inside, bound)
        case "recursive":
            found = by.recursive_l(inside, Fraction(str(guarantee["c"])))
        case _:
            found = by.distinct_l(inside)
    return found, found >= bound


def _cost(guarantee: Guarantee, everyone: Sequence[str], order: str) -> Callable[[Any, Any], Fraction]:
    match guarantee["distance"]:
        case "equal":
            return by.equal_cost
        case "ordered":
            return by.ordered_cost(everyone, order.index)
        case _:
            return by.tree_cost(TREE)


def differs(found: Finding, guarantee: Guarantee, figures: Sequence[tuple[Figure, bool]]) -> str:
    """Differences between a finding and the figures of the single classes."""
    name, holds = FIGURES[guarantee["model"]], all(enough for _, enough in figures)
    worst = (min if name == "l" else max)(figure for figure, _ in figures)
    told, sign = found.achieved.get(name), -1 if name == "l" else 1
    if found.holds is not holds:
        return f"{found} where the definition says {holds}"
    if told is None or not -_DOUBT <= sign * (told - float(worst)) <= _STEP:
        return f"{name} is {told} where the definition says {float(worst)}"
    return ""


# --- releases of one table -------------------------------------------------------------------------------------------


def disagreement_on_joint_releases(model: str) -> Callable[[random.Random], tuple[str, bool]]:
    """A contest over one model; the one for k covers every model that promises a k, of rows and of people."""

    def contest(rng: random.Random) -> tuple[str, bool]:
        n, count, whole = rng.randint(1, 14), rng.randint(1, 3), rng.choice((0.8, 1, 1))
        shown = [[rng.random() < whole for _ in range(n)] for _ in range(count)]
        shown = [each if any(each) else [True] * n for each in shown]
        sizes = [rng.choice((1, 1, 1, 2, 3)) for _ in range(count)]
        labels = [[rng.randrange(size) for _ in range(n)] for size in sizes]
        policies = [_policy(rng, model) for _ in range(count)]
        ranked = any(guarantee.get("distance") == "ordered" for each in policies for guarantee in each["guarantees"])
        letters = LETTERS if ranked or rng.random() < 0.5 else SPELLED
        values = [rng.choice(letters[: rng.choice((2, 3, 4, 5))]) for _ in range(n)]
        people = [rng.randrange(8) for _ in range(n)]
        promises = [_promise(policy, values, people) for policy in policies]
        releases = [_released(present, classes) for present, classes in zip(shown, labels, strict=True)]
        found = joint_findings(promises, releases, n)
        seen = [record for record in range(n) if any(present[record] for present in shown)]
        keys = [
            [classes[record] if present[record] else None for present, classes in zip(shown, labels, strict=True)]
            for record in seen
        ]
        persons, shown_values = [people[record] for record in seen], [values[record] for record in seen]
        return _compared(found, policies, keys, persons, shown_values)

    return contest


def _policy(rng: random.Random, model: str) -> dict[str, Any]:
    """The promise of one release; often nothing, so that only the other releases matter."""
    policy: dict[str, Any] = {"guarantees": [], "attributes": {"s": _settings(rng)}}
    if model == "k_anonymity":
        by_person = rng.random() < 0.2
        models = ("k_anonymity", "k_anonymity", "alpha_k", *(() if by_person else ("k_map",)))
        promised = rng.choice(models)
        guarantee = {"model": promised, "k": rng.choice((2, 2, 3, 4))}
        guarantee |= {"alpha": 1, "attribute": "s"} if promised == "alpha_k" else {}
        policy["guarantees"] = [guarantee] if rng.random() < 0.6 else []
        return policy | ({"privacy_unit": "person"} if by_person else {})
    if rng.random() < 0.6:
        policy["guarantees"] = [draw_guarantee(rng, model)]
    return policy


def _settings(rng: random.Random) -> dict[str, Any]:
    return {"role": "sensitive", "order": rng.sample(SPELLED, len(SPELLED))} if rng.random() < 0.5 else {}


def _promise(policy: dict[str, Any], values: Sequence[str], people: Sequence[int]) -> Promise:
    codes = np.array([SPELLED.index(value) for value in values], dtype=np.int64)
    known = {"s": Values(codes, list(SPELLED))}
    rows = [list(path) for path in TREE.values()]
    units = Values(np.array(people), [NAMES[person] for person in range(8)])
    return Promise(policy, known, units if "privacy_unit" in policy else None, {"s": rows})


NAMES = ("Ann", "ANN ", "Bob", "Cy", "Dee", "dee", "Eve", "Flo")
PERSON = {"ANN ": "Ann", "dee": "Dee"}
"""The person behind another spelling of a name."""


def _readings(guarantee: Guarantee, letters: Sequence[str], order: str) -> list[list[str]]:
    """Two spellings of one letter are one value, the first; distances and gains must also stay small if they count as
    two."""
    spellings = sorted({"A", "a"} & set(letters), key=order.index)
    folded = [spellings[0] if letter in spellings else letter for letter in letters]
    return [folded, list(letters)] if guarantee["model"] in ("t_closeness", "beta_likeness") else [folded]


def _released(present: Sequence[bool], classes: Sequence[int]) -> EarlierRelease:
    records = np.array([record for record, there in enumerate(present) if there])
    return EarlierRelease(records, np.array([classes[record] for record in records]))


def _compared(
    found: Sequence[Finding], policies: Sequence[dict[str, Any]], keys: Any, persons: Any, letters: Sequence[str]
) -> tuple[str, bool]:
    """Every promise, one at a time, against every class of records that look alike in all releases."""
    holds, told = True, list(found)
    wanted = {bool(policies[-1].get("privacy_unit")): 2}
    for policy in policies:
        for guarantee in policy["guarantees"]:
            by_person = bool(policy.get("privacy_unit"))
            wanted[by_person] = max(wanted.get(by_person, 0), guarantee.get("k", 0))
    for by_person, k in wanted.items():
        if k and not told:
            return _FORGOTTEN, holds
        if k:
            people = [NAMES.index(PERSON.get(NAMES[person], NAMES[person])) for person in persons]
            figure, finding = by.k_of(keys, people if by_person else None), told.pop(0)
            holds = holds and figure >= k
            if (finding.required, finding.achieved, finding.holds) != ({"k": k}, {"k": figure}, figure >= k):
                return f"{finding} where the definition says {figure} for {k}", holds
    seen: list[Any] = []
    for policy in policies:
        for guarantee in policy["guarantees"]:
            if guarantee["model"] in FIGURES and (guarantee, policy["attributes"]) not in seen:
                seen.append((guarantee, policy["attributes"]))
                order = "".join(policy["attributes"]["s"].get("order", SPELLED))
                figures = [
                    reached(guarantee, [read[place] for place in alike], read, order)
                    for read in _readings(guarantee, letters, order)
                    for alike in by.classes(keys)
                ]
                holds = holds and all(enough for _, enough in figures)
                problem = differs(told.pop(0), guarantee, figures) if told else _FORGOTTEN
                if problem:
                    return problem, holds
    return (f"{told} where the definition says nothing" if told else ""), holds


# --- versions --------------------------------------------------------------------------------------------------------

NOBODY = 0
Row = tuple[int, tuple[int | None, ...], int]
"""A record: its person, its class in each release of its version (None if not released), its sensitive value."""


def disagreement_on_versions(rng: random.Random) -> tuple[str, bool]:
    """Differences between verifier and definition on releases of versions of one table; and the definition's result."""
    crowd = list(range(rng.choice((0, 1, 1)), rng.randint(3, 7)))
    tables = [_version(rng, crowd) for _ in range(rng.randint(2, 3))]
    promised = [_promised_of_people(rng) if rng.random() < 0.5 else [] for _ in tables]
    told = [rng.random() < 0.9 for _ in tables]
    versions = [_as_arrays(rows, shown) for rows, shown in zip(tables, told, strict=True)]
    promises = [Promise({"guarantees": guarantees, "privacy_unit": "person"}) for guarantees in promised]
    found = joint_findings_of_versions(promises, versions, NOBODY)
    return _compared_versions(found, tables, told, [guarantee for each in promised for guarantee in each])


def _promised_of_people(rng: random.Random) -> list[Guarantee]:
    model = rng.choice(("k_anonymity", "l_diversity", "t_closeness", "alpha_k", "beta_likeness"))
    if model == "k_anonymity":
        return [{"model": model, "k": rng.choice((2, 3))}]
    # Their classes have few people, so only weak promises are kept.
    weak = {"l": rng.choice((1, 1, 2)), "t": rng.choice((0.5, 0.75, 1)), "alpha": rng.choice((0.5, 0.75, 1)), "k": 2}
    guarantee = draw_guarantee(rng, model) | {"beta": rng.choice((1, 2, 3))}
    return [{name: weak.get(name, value) for name, value in guarantee.items() if name != "beta" or "beta" in model}]


def _version(rng: random.Random, crowd: list[int]) -> list[Row]:
    """One or two releases of a few records of some of the people; each record is in at least one of them."""
    people = [person for person in crowd if rng.random() < 0.7] if rng.random() < 0.3 else crowd
    people, releases, classes = people or crowd, rng.choice((1, 1, 2)), rng.choice((1, 1, 1, 2))
    rows: list[Row] = []
    for person in people:
        for _ in range(rng.choice((1, 1, 1, 2))):
            stands = [rng.randrange(classes) if rng.random() < 0.95 else None for _ in range(releases)]
            rows.append((person, tuple(stands), rng.randrange(3)))
    return [row for row in rows if any(stand is not None for stand in row[1])] or [(crowd[-1], (0,) * releases, 0)]


def _as_arrays(rows: list[Row], told: bool) -> Version:
    releases = []
    for place in range(len(rows[0][1])):
        shown = [(number, row[1][place]) for number, row in enumerate(rows) if row[1][place] is not None]
        records = np.array([number for number, _ in shown], dtype=np.int64)
        releases.append(EarlierRelease(records, np.array([class_ for _, class_ in shown], dtype=np.int64)))
    persons, values = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
    return Version(releases, persons, {"s": values} if told else {})


def _compared_versions(
    found: Sequence[Finding], tables: list[list[Row]], told: list[bool], guarantees: list[Guarantee]
) -> tuple[str, bool]:
    """Person by person and combination by combination, as in the definition."""
    k = max([2, *(guarantee.get("k", 0) for guarantee in guarantees)])
    if any(not _people(tables[-1]) & _people(other) for other in tables[:-1]):
        agree = [(finding.achieved, finding.holds) for finding in found] == [({}, False)]
        return ("" if agree else f"{found} where the definition says that nobody is in common"), False
    everybody = set().union(*({row[0] for row in rows} for rows in tables))
    cells: dict[tuple[Any, ...], list[int]] = {}
    for person in everybody:
        for combination in itertools.product(*(_stands(rows, person) for rows in tables)):
            cells.setdefault(combination, []).append(person)
    smallest = min(len(people) for people in cells.values())
    if (found[0].required, found[0].achieved, found[0].holds) != ({"k": k}, {"k": smallest}, smallest >= k):
        return f"{found[0]} where the definition says {smallest} for {k}", smallest >= k
    holds, judged = smallest >= k, list(found[1:])
    for place, guarantee in enumerate(guarantees):
        if guarantee["model"] in FIGURES and guarantee not in guarantees[:place]:
            if not judged:
                return _FORGOTTEN, holds
            finding = judged.pop(0)
            figures = _figures_of_people(tables, told, cells, guarantee)
            holds = holds and bool(figures) and all(enough for _, enough in figures)
            if not figures and finding.holds:
                return f"{finding} where the definition says that it cannot be judged", holds
            problem = differs(finding, guarantee, figures) if figures else ""
            if problem:
                return problem, holds
    return (f"{judged} where the definition says nothing" if judged else ""), holds


def _figures_of_people(
    tables: list[list[Row]], told: list[bool], cells: dict[tuple[Any, ...], list[int]], guarantee: Guarantee
) -> list[tuple[Figure, bool]]:
    """The figure of each list of values; none if no version shows values, or the distance is not `equal`."""
    if guarantee.get("distance", "equal") != "equal":
        return []
    lists = [
        (where, values)
        for combination, people in cells.items()
        for where, values in _value_lists(tables, told, combination, people)
    ]
    everyone: dict[Any, list[Any]] = {place: [LETTERS[row[2]] for row in rows] for place, rows in enumerate(tables)}
    pairs = {pair for where, values in lists if where == LASTING for pair in values}
    everyone[LASTING] = [LETTERS[value] for _, value in pairs]
    return [
        reached(guarantee, [LETTERS[value] for _, value in values], everyone[where], LETTERS)
        for where, values in lists
        if values
    ]


def _people(rows: list[Row]) -> set[int]:
    return {row[0] for row in rows} - {NOBODY}


def _stands(rows: list[Row], person: int) -> list[tuple[int | None, ...] | None]:
    """The classes of a person's records in one version, or a mark that there are none."""
    return list({row[1] for row in rows if row[0] == person}) or [None]


LASTING = "lasting"


def _value_lists(
    tables: list[list[Row]], told: list[bool], combination: tuple[Any, ...], people: list[int]
) -> list[tuple[Any, list[tuple[int, int]]]]:
    """The values of the people of one combination in each version that shows it, and in all of these, as pairs of a
    person and a value."""
    lists: list[tuple[Any, list[tuple[int, int]]]] = []
    seen: dict[int, list[set[int]]] = {person: [] for person in people}
    for place, (rows, shown, stand) in enumerate(zip(tables, told, combination, strict=True)):
        if shown and stand is not None:
            values = {person: {row[2] for row in rows if row[:2] == (person, stand)} for person in people}
            lists.append((place, [(person, value) for person in people for value in values[person]]))
            for person in people:
                seen[person].append(values[person])
    lasting = [(p, value) for p, each in seen.items() if len(each) > 1 for value in set.intersection(*each)]
    return [*lists, (LASTING, lasting)]
