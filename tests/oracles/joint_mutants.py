"""Mutants of the checks of several releases: see `tests.oracles.mutants`."""

from tests.oracles.mutants import Mutant, mutant

JOINT, PROMISES, VERSIONS = "joint/joint.py", "joint/promises.py", "joint/versions.py"
_K, _L, _T = "joint_releases k_anonymity", "joint_releases l_diversity", "joint_releases t_closeness"
_ALPHA, _BETA, _PEOPLE = "joint_releases alpha_k", "joint_releases beta_likeness", "joint_releases of versions"

_EACH = '        for guarantee in guarantees_of(promise):\n            if guarantee["model"] in _COUNTING'

JOINT_MUTANTS: list[Mutant] = [
    mutant(
        "absence tells nothing",
        _K,
        JOINT,
        "classes[release.records] = release.classes + 1",
        "classes[release.records] = release.classes",
    ),
    mutant(
        "only the newest release is judged",
        _K,
        JOINT,
        "for release in releases:\n        inside",
        "for release in releases[-1:]:\n        inside",
    ),
    mutant(
        "the first release is forgotten",
        _K,
        JOINT,
        "intersections(releases, n)[inside]",
        "intersections(releases[-2:], n)[inside]",
    ),
    mutant("k of the releases together", _K, PROMISES, "if reached >= k else", "if reached >= k - 1 else"),
    mutant(
        "only the newest k counts",
        _K,
        PROMISES,
        "for promise in promises:\n" + _EACH,
        "for promise in promises[-1:]:\n" + _EACH,
    ),
    mutant("k of alpha is forgotten", _K, PROMISES, '"alpha_k", "k_map")', '"k_map")'),
    mutant("k of a population is forgotten", _K, PROMISES, '"alpha_k", "k_map")', '"alpha_k")'),
    mutant(
        "the smallest k counts",
        _K,
        PROMISES,
        'guarantee["k"] > found.get(promise.unit, (0, promise))[0]',
        'guarantee["k"] < found.get(promise.unit, (9, promise))[0]',
    ),
    mutant(
        "people are rows",
        _K,
        JOINT,
        "if promise.unit and promise.units is not None:",
        "if not promise.policy:",
    ),
    mutant("rows and people are one k", _K, PROMISES, 'return self.policy.get("privacy_unit") or None', "return None"),
    *(
        mutant(
            f"only the newest promise of {model} counts",
            contest,
            PROMISES,
            "found: list[tuple[AboutValues, Promise]] = []\n    for promise in promises:",
            "found: list[tuple[AboutValues, Promise]] = []\n    for promise in promises[-1:]:",
        )
        for model, contest in (("l", _L), ("t", _T), ("alpha", _ALPHA), ("beta", _BETA), ("versions", _PEOPLE))
    ),
    mutant(
        "a promise with another order is the same",
        _T,
        PROMISES,
        "if about not in [known for known, _ in found]:",
        "if about.required not in [known.required for known, _ in found]:",
    ),
    mutant(
        "l of the releases together", _L, PROMISES, "return reached, reached >= bound", "return reached, reached >= 1"
    ),
    mutant("the best class decides", _L, PROMISES, "return min(reached)", "return max(reached) + 1"),
    mutant(
        "recursive is distinct",
        _L,
        PROMISES,
        "reached = recursive_l(tallies, ratio)",
        "reached = distinct_l(tallies)",
    ),
    mutant("any variant is distinct", _L, PROMISES, 'case "entropy":', 'case "Entropy":'),
    mutant("any distance is equal", _T, PROMISES, 'if distance == "equal":', "if distance:"),
    mutant(
        "a class is compared with itself",
        _T,
        JOINT,
        "[Sample(classes, codes, codes)]",
        "[Sample(classes, codes, codes[classes == classes[0]])]",
    ),
    mutant(
        "the whole table is the reference",
        _BETA,
        JOINT,
        "[Sample(classes, codes, codes)]",
        "[Sample(classes, codes, np.concatenate([codes, np.arange(len(texts))]))]",
    ),
    mutant("every spelling is a value", _L, PROMISES, "    if len(first) == len(texts):", "    if first:"),
    mutant(
        "spellings are never two values", _T, PROMISES, "[(sample, texts), (merged, first)] if", "[(merged, first)] if"
    ),
    mutant(
        "every spelling is a person",
        _K,
        JOINT,
        "folded_codes(promise.units.texts)[promise.units.codes[inside]]",
        "promise.units.codes[inside]",
    ),
    mutant("enhanced is basic", _BETA, PROMISES, 'variant == "enhanced")', 'variant == "Enhanced")'),
    mutant(
        "alpha is twice as large",
        _ALPHA,
        PROMISES,
        "largest_share(_counted(sample), bound)",
        "largest_share(_counted(sample), 2 * bound)",
    ),
    mutant(
        "whoever is not in a version is in its first class",
        _PEOPLE,
        VERSIONS,
        "intersections(version.releases, len(inside))[records] + 1",
        "intersections(version.releases, len(inside))[records]",
    ),
    mutant("versions of other people pass", _PEOPLE, VERSIONS, "if _strangers(versions, nobody):", "if not versions:"),
    mutant(
        "what did not change tells nothing",
        _PEOPLE,
        VERSIONS,
        "return samples if lasting is None else [*samples, lasting]",
        "return samples",
    ),
    mutant(
        "a person with two records is two",
        _PEOPLE,
        VERSIONS,
        "np.unique(np.concatenate([persons * bound + cells, absent * bound]), return_inverse=True)",
        "np.sort(np.concatenate([persons * bound + cells, absent * bound])), np.argsort(np.argsort(np.concatenate(["
        "persons * bound + cells, absent * bound])))",
    ),
    mutant(
        "only the newest version tells values",
        _PEOPLE,
        VERSIONS,
        "        if attribute not in version.sensitive:\n",
        "        if attribute not in version.sensitive or version is not versions[-1]:\n",
    ),
    mutant(
        "what did not change is compared with every place",
        _PEOPLE,
        VERSIONS,
        "everyone = distinct(places.persons[where] * np.int64(size) + values)",
        "everyone = values",
    ),
    mutant(
        "distances between versions are not asked for",
        _PEOPLE,
        PROMISES,
        "    if texts is None:\n",
        "    if texts is None:\n        return equal_distance(counted, bound)\n    if not texts:\n",
    ),
]
