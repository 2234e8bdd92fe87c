"""Random small tables, judged by the definitions."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tests.oracles import definitions as by
from tests.oracles.trial import Expected, Trial
from tests.oracles.writers import TABLE_FORMATS, seen, write_table
from verifier import Artifact

TEXTS = (
    *("*", "", "1", "1 ", " 1", "01", "a", "A", "é", "e\u0301", "NA", "nan", "[20, 29]", '["a", "b"]', 'x,"y"'),
    *("l\nm", "r\rs", "=1+1", "-5", "\u00a0", "ß", "ss", "\t", "+", "*a", "1.0", "\uff21", "a\u200b", "-05", "'=1+1"),
    *("2020-01-31 10:00", "2020-01-31T12:00:00+02:00", "31.1.2020 10:00 AM", "Jan 31st, 2020, 10:00"),
    *("2345", "2,345", "2.345.000", "2\u202f345,0", "2345000", "8 %", "8%", "7 mg", "7,0mg"),
)
MEANINGS: dict[Any, str] = {
    **dict.fromkeys(("1 ", " 1", "01", "1.0"), "1"),
    **dict.fromkeys(("A", "\uff21", "a\u200b"), "a"),
    **dict.fromkeys((None, "\u00a0", "\t"), ""),
    "e\u0301": "é",
    "ss": "ß",
    "-05": "-5",
    "'=1+1": "=1+1",
    "B": "b",
    "Flu ": "flu",
    "MILD": "mild",
    **dict.fromkeys(("2020-01-31T12:00:00+02:00", "31.1.2020 10:00 AM", "Jan 31st, 2020, 10:00"), "2020-01-31 10:00"),
    **dict.fromkeys(("2,345", "2\u202f345,0"), "2345"),
    **dict(zip(("2.345.000", "8%", "7,0mg"), ("2345000", "8 %", "7 mg"), strict=True)),
}
"""Spellings of one value, listed by hand."""
WHOLES = (0, 1, 2, -5, 20, 10**17, 10**17 + 1)
PARTS = (0.5, 1.0, -2.25, 1e300, 0.1, 1e-7)
TREE = (
    *(("flu", "airways", "body", "*"), ("cold", "airways", "body", "*"), ("ulcer", "stomach", "body", "*")),
    *(("colic", "stomach", "body", "*"), ("fear", "mood", "mind", "*"), ("grief", "mood", "mind", "*")),
    ("Flu ", "fever", "mind", "*"),
)
STAGES = ("none", "MILD", "fatal", "mild", "=lost", "grave")
AMOUNTS = ("1", "2", "10", "2.5", "2.50", "-3", "1e1", "30")
MOMENTS = ("2020-01-31 10:00", "2020-01-31T09:00", "2019-12-01T00:00:00", "2020-01-31T11:00+02:00")
BOUNDS = (0.02, 0.05, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 1 / 3, 0.4, 0.5)
SHARES = (0.3, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.75, 0.9, 1.0)


@dataclass(frozen=True)
class Release:
    """A table with its formats; the last column is the sensitive one, those before are quasi-identifiers."""

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    formats: tuple[str, ...]
    pool: tuple[Any, ...]
    """The values that the sensitive column draws from."""
    units: tuple[int, ...] | None = None

    def keys(self, form: str) -> list[tuple[Any, ...]]:
        """An attacker's knowledge, as a file of this format shows it."""
        return [tuple(seen(form, cell) for cell in row[:-1]) for row in self.rows]

    def values(self, form: str) -> list[Any]:
        """The sensitive values, as a file of this format shows them."""
        return [seen(form, row[-1]) for row in self.rows]

    def meanings(self) -> list[Any]:
        """The sensitive values, whatever their spelling."""
        return [MEANINGS.get(row[-1], row[-1]) for row in self.rows]

    def first_spellings(self, before: Callable[[Any], Any]) -> list[Any]:
        """The sensitive values, each by the first of its spellings that the release shows."""
        meanings = self.meanings()
        spellings = [{row[-1] for row, other in zip(self.rows, meanings, strict=True) if other == m} for m in meanings]
        return [min(found, key=before) for found in spellings]

    def classes(self, form: str, values: Sequence[Any]) -> list[list[Any]]:
        """The values of every class, one for each row."""
        return [[values[place] for place in alike] for alike in by.classes(self.keys(form))]


Expect = Callable[[Release, dict[str, Any]], Expected]


def draw_release(rng: random.Random, pool: Sequence[Any] = TEXTS, most: int = 4) -> Release:
    """Up to four classes of up to five rows, with quasi-identifiers that look alike to a careless reader."""
    columns = [_domain(rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))]
    kept = tuple(rng.sample(pool, min(len(pool), rng.randint(1, most))))
    rows = []
    for _ in range(rng.randint(1, 4)):
        key = tuple(rng.choice(column) for column in columns)
        rows += [(*key, rng.choice(kept)) for _ in range(rng.randint(1, 5))]
    rng.shuffle(rows)
    if rng.random() < 0.02:
        rows = []
    names = (*(f"q{place}" for place in range(len(columns))), "s")
    return Release(names, tuple(rows), tuple(rng.sample(TABLE_FORMATS, rng.choice((1, 1, 2, 3)))), tuple(pool))


def _domain(rng: random.Random) -> list[Any]:
    """A few cells of one type, some of them nothing."""
    pool: Sequence[Any] = rng.choice((TEXTS, TEXTS, WHOLES, PARTS))
    domain: list[Any] = rng.sample(pool, rng.randint(1, 3))
    if rng.random() < 0.3:  # null, and often the empty text as well, which csv cannot distinguish from it
        domain += [None, ""] if pool is TEXTS and rng.random() < 0.5 else [None]
    return domain


def table_trial(release: Release, guarantee: dict[str, Any], expect: Expect, **settings: Any) -> Trial:
    """The release as bytes, for the verifier and for the definition."""
    attributes: dict[str, Any] = {"name": {"role": "identifier"}}
    attributes |= {name: {"role": "quasi_identifier"} for name in release.names[:-1]}
    attributes["s"] = {"role": "sensitive", **settings}
    policy: dict[str, Any] = {"kind": "table", "attributes": attributes, "guarantees": [guarantee]}
    if release.units is not None:
        policy["privacy_unit"] = "name"
    return Trial(
        policy,
        lambda: [write_table(form, release.names, release.rows) for form in release.formats],
        expect(release, guarantee) if release.rows and len(release.names) > 1 else Expected(False),
        {"units": list(release.units)} if release.units is not None else None,
        spoil=lambda rng: spoilt(rng, release, guarantee, expect, settings),
    )


def spoilt(
    rng: random.Random, release: Release, guarantee: dict[str, Any], expect: Expect, settings: dict[str, Any]
) -> Trial | None:
    """The same with one row moved to another class, or one sensitive value changed."""
    rows = list(release.rows)
    place = rng.randrange(len(rows))
    key, value = rows[place][:-1], rows[place][-1]
    kind = rng.randrange(5)
    if kind < 2:
        key = rng.choice(rows)[:-1]
    else:
        value = rng.choice(rows)[-1] if kind < 4 else rng.choice(release.pool)
    rows[place] = (*key, value)
    changed = replace(release, rows=tuple(rows))
    return None if changed == release else table_trial(changed, guarantee, expect, **settings)


def near(rng: random.Random, figure: Fraction, bounds: Sequence[float] = BOUNDS) -> float:
    """A bound for a figure: often exactly the figure, if it is a finite decimal, otherwise one of these."""
    told = float(figure)
    if rng.random() < 0.5 and figure > 0 and Fraction(str(told)) == figure:
        return told
    return rng.choice(bounds)


# --- k-anonymity -----------------------------------------------------------------------------------------------------


def k_anonymity(rng: random.Random) -> Trial:
    release = draw_release(rng)
    k = max(2, _smallest(release) + rng.choice((-1, 0, 0, 1)))
    return table_trial(release, {"model": "k_anonymity", "k": k}, expect_k)


def k_anonymity_of_persons(rng: random.Random) -> Trial:
    release = draw_release(rng)
    crowd = rng.randint(2, 12)
    release = replace(release, units=tuple(rng.randrange(crowd) for _ in release.rows))
    k = max(2, _smallest(release) + rng.choice((-1, 0, 0, 1)))
    return table_trial(release, {"model": "k_anonymity", "k": k}, expect_k)


def expect_k(release: Release, guarantee: dict[str, Any]) -> Expected:
    smallest = _smallest(release)
    return Expected(smallest >= guarantee["k"], {"k": smallest})


def _smallest(release: Release) -> int:
    return min(by.k_of(release.keys(form), release.units) for form in release.formats)


def k_anonymity_in_bounds(rng: random.Random) -> Trial:
    """A quasi-identifier that the release shows in two columns, its lower and its upper bound."""
    release = replace(draw_release(rng), names=("s",))
    ends = [(rng.randint(0, 2), rng.randint(3, 4)) for _ in range(rng.randint(1, 3))]
    rows = tuple((*rng.choice(ends), row[-1]) for row in release.rows)
    release = replace(release, names=("age_min", "age_max", "s"), rows=rows)
    k = max(2, _smallest(release) + rng.choice((-1, 0, 0, 1)))
    plain = table_trial(release, {"model": "k_anonymity", "k": k}, expect_k)
    attributes = {"age": {"role": "quasi_identifier", "recoding": "bounds"}, "s": {"role": "sensitive"}}
    return replace(plain, policy=plain.policy | {"attributes": attributes}, spoil=None)


def k_anonymity_in_bad_form(rng: random.Random) -> Trial:
    """Releases whose classes are large enough, half of which do not match the policy's columns."""
    release = replace(draw_release(rng, TEXTS[:8]), formats=tuple(rng.sample(TABLE_FORMATS, 2)))
    rows = [row for row in release.rows for _ in range(2)]
    release = replace(release, rows=tuple(rows or [(*("x" for _ in release.names),)] * 2))
    good = table_trial(release, {"model": "k_anonymity", "k": 2}, expect_k)
    return replace(good, spoil=None) if rng.random() < 0.5 else replace(bad_form(rng, release, good), spoil=None)


def bad_form(rng: random.Random, release: Release, good: Trial) -> Trial:
    names, rows = list(release.names), [list(row) for row in release.rows]
    match rng.randrange(6):
        case 0:  # an identifier among the columns, or an undeclared column
            named = [*names, rng.choice(("name", "Name", "extra"))]
            files = [write_table(form, named, [[*row, "x"] for row in rows]) for form in release.formats]
        case 1:  # a column missing
            gone = rng.randrange(len(names))
            left = [place for place in range(len(names)) if place != gone]
            kept, fewer = [names[place] for place in left], [[row[place] for place in left] for row in rows]
            files = [write_table(form, kept or ["t"], fewer if kept else rows) for form in release.formats]
        case 2:  # the formats do not show the same rows
            other = [[*rows[0][:-1], "another"], *rows[1:]]
            files = [
                write_table(form, names, shown) for form, shown in zip(release.formats, (rows, other), strict=True)
            ]
        case 3:  # a text that a spreadsheet would execute
            lines = [names, *([*("x" for _ in names[1:]), "=1+1"] for _ in rows)]
            text = "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)
            files = [Artifact("csv", "table", text.encode())]
        case 4:  # a piece that tables do not have
            written = list(good.write())
            files = [*written, replace(written[0], part=rng.choice(("nodes", "graph", "")))]
        case _:  # no table at all
            files = []
    return replace(good, write=lambda: files, expected=Expected(False))


# --- l-diversity -----------------------------------------------------------------------------------------------------


def l_diversity(variant: str) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        release = draw_release(rng, most=5)
        guarantee: dict[str, Any] = {"model": "l_diversity", "variant": variant, "attribute": "s"}
        if variant == "recursive":
            guarantee |= {"c": rng.choice((0.5, 1, 1.5, 2, 2.5, 3, 0.1)), "l": rng.choice((1, 2, 2, 3))}
        elif variant == "entropy":
            guarantee["l"] = rng.choice((1, 1.5, 1.75, 1.8, 2, 2, 3))
        else:
            guarantee["l"] = rng.choice((1, 2, 2, 3))
        return table_trial(release, guarantee, expect_l)

    return trial


def expect_l(release: Release, guarantee: dict[str, Any]) -> Expected:
    bound = Fraction(str(guarantee["l"]))
    found = [inside for form in release.formats for inside in release.classes(form, release.meanings())]
    if guarantee["variant"] == "entropy":
        holds = all(by.entropy_reaches(inside, bound) for inside in found)
        return Expected(holds, at_least={"l": min(by.entropy_l(inside) for inside in found)})
    if guarantee["variant"] == "recursive":
        reached = min(by.recursive_l(inside, Fraction(str(guarantee["c"]))) for inside in found)
    else:
        reached = min(by.distinct_l(inside) for inside in found)
    return Expected(reached >= bound, {"l": reached})


# --- t-closeness -----------------------------------------------------------------------------------------------------


def t_closeness(distance: str) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        pool, settings = _sensitive(rng, distance)
        release = draw_release(rng, pool, most=6)
        guarantee: dict[str, Any] = {"model": "t_closeness", "distance": distance, "attribute": "s"}

        def expect(shown: Release, asked: dict[str, Any]) -> Expected:
            figure = _farthest(shown, distance, settings)
            return Expected(figure <= Fraction(str(asked["t"])), at_most={"t": figure})

        figure = _farthest(release, distance, settings) if release.rows else Fraction(0)
        return table_trial(release, guarantee | {"t": near(rng, figure)}, expect, **settings)

    return trial


def _sensitive(rng: random.Random, distance: str) -> tuple[Sequence[Any], dict[str, Any]]:
    """The values of the sensitive column, and its settings in the policy."""
    if distance == "equal":
        return rng.choice(((*TEXTS, None), WHOLES)), {}
    if distance == "hierarchical":
        top = rng.choice((None, -1))  # the root may be left out
        rows = [list(row[:top]) for row in TREE]
        return (*(row[0] for row in TREE), ""), {"hierarchy": {"kind": "levels", "rows": rows}}
    return rng.choice(
        (
            (AMOUNTS, {"type": "decimal"}),
            (WHOLES, {"type": "integer"}),
            ((*AMOUNTS[:4], ""), {}),
            (STAGES, {"order": list(STAGES)}),
            (MOMENTS, {"type": "datetime"}),
            (("b", "a", "B", "é", "z", ""), {"type": "text"}),
        )
    )


def _farthest(release: Release, distance: str, settings: dict[str, Any]) -> Fraction:
    """The distance of the farthest class, in the format in which it is farthest."""
    return max(_distance(release, form, distance, settings) for form in release.formats)


def _distance(release: Release, form: str, distance: str, settings: dict[str, Any]) -> Fraction:
    if distance == "equal":
        return max(
            _moved(release, form, values, by.equal_cost) for values in (release.values(form), release.meanings())
        )
    if distance == "hierarchical":
        cost = by.tree_cost({row[0]: row for row in TREE} | {"": ("", "*", "*", "*")})
        spelled = [row[-1] for row in release.rows]
        return max(_moved(release, form, values, cost) for values in (spelled, release.first_spellings(str)))
    rank = _rank(settings)
    values = [rank(value) for value in release.first_spellings(rank)]
    return _moved(release, form, values, by.ordered_cost(values, lambda value: value))


def _moved(release: Release, form: str, values: Sequence[Any], cost: Any) -> Fraction:
    """The distance of the farthest class."""
    return max(by.earth_movers_distance(inside, values, cost) for inside in release.classes(form, values))


def _rank(settings: dict[str, Any]) -> Callable[[Any], Any]:
    """The sort key of values; a missing one comes before all others."""
    if "order" in settings:
        return settings["order"].index
    if settings.get("type") == "datetime":
        minutes = dict(zip(MOMENTS, (600, 540, -(10**6), 540), strict=True))
        return lambda value: minutes[value]
    if settings.get("type") == "text":
        return lambda value: value
    return lambda value: (value != "", Fraction(str(value)) if value != "" else 0)


# --- (α, k) and β ----------------------------------------------------------------------------------------------------


def alpha_k(rng: random.Random) -> Trial:
    release = draw_release(rng)
    figure = _largest_share(release) if release.rows else Fraction(1)
    k = max(2, _smallest(release) + rng.choice((-1, -1, 0, 1)))
    guarantee = {"model": "alpha_k", "alpha": near(rng, figure, SHARES), "k": k, "attribute": "s"}
    return table_trial(release, guarantee, expect_alpha)


def alpha_k_of_persons(rng: random.Random) -> Trial:
    """k counts people, α the rows of a class."""
    release = draw_release(rng)
    crowd = rng.randint(2, 12)
    release = replace(release, units=tuple(rng.randrange(crowd) for _ in release.rows))
    figure = _largest_share(release) if release.rows else Fraction(1)
    k = max(2, _smallest(release) + rng.choice((-1, -1, 0, 1)))
    guarantee = {"model": "alpha_k", "alpha": near(rng, figure, SHARES), "k": k, "attribute": "s"}
    return table_trial(release, guarantee, expect_alpha)


def expect_alpha(release: Release, guarantee: dict[str, Any]) -> Expected:
    figure, smallest = _largest_share(release), _smallest(release)
    holds = figure <= Fraction(str(guarantee["alpha"])) and smallest >= guarantee["k"]
    return Expected(holds, {"k": smallest}, at_most={"alpha": figure})


def _largest_share(release: Release) -> Fraction:
    return max(
        max(by.shares(inside).values())
        for form in release.formats
        for inside in release.classes(form, release.meanings())
    )


def beta_likeness(variant: str) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        release = draw_release(rng)
        figure = max((gain for gain, _ in _gains(release)), default=Fraction(0))
        guarantee = {
            "model": "beta_likeness",
            "beta": near(rng, figure, (*BOUNDS, *SHARES, 1.5, 2, 3)),
            "attribute": "s",
        }
        return table_trial(release, guarantee | {"variant": variant}, expect_beta)

    return trial


def expect_beta(release: Release, guarantee: dict[str, Any]) -> Expected:
    bound, found = Fraction(str(guarantee["beta"])), _gains(release)
    holds = all(gain <= bound for gain, _ in found)
    if guarantee["variant"] == "enhanced":
        holds = holds and all(by.below_content(gain, share) for gain, share in found)
    return Expected(holds, at_most={"beta": max(gain for gain, _ in found)})


def _gains(release: Release) -> list[tuple[Fraction, Fraction]]:
    """The gains of all values, by spelling and by meaning."""
    return [
        pair
        for form in release.formats
        for values in (release.values(form), release.meanings())
        for inside in release.classes(form, values)
        for pair in by.gains(inside, values)
    ]
