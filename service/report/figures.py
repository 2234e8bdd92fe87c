"""Figures: the charts of a report, only from data that its reader may see.

Three of them open the page: how many people look alike, how often attacks succeed compared with guessing, and what was
lost. A report reduced to a reader's view may lack figures computed from the original; then only the release is drawn.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from service.report.attacks import QUESTION_WORDS, answers_of, attack_title, measured
from service.report.befores import success_before
from service.report.charts import BOTH, Bar, Drawing, Value, bar_chart, line_chart
from service.report.losses import measure_changes
from service.report.numbers import is_number, percent, show
from service.report.temporal_charts import temporal_drawings

Figures = Mapping[str, Any]

MOST_BARS = 10
LEAST_COUNT = 10
"""Counts of the original below this are withheld."""
_ATTACKED = (("before", "original"), ("after", "release"), ("guess", "guessing"))
_RELEASE = (("after", "release"),)
CENTRALITIES = {
    "degree_centrality": "Degree",
    "closeness_centrality": "Closeness",
    "betweenness_centrality": "Betweenness",
}


def opening_charts(report: Figures) -> list[Drawing]:
    """The charts of the first screen, at most three."""
    found = [_crowds(report) or _release_histogram(report), _attacks(report), _losses(report)]
    return [chart for chart in found if chart is not None]


def further_charts(report: Figures) -> list[Drawing]:
    """The charts of the section on utility, and of the release itself."""
    utility = _part(report, "utility")
    degrees = _release_histogram(report) if report.get("kind") == "graph" and _crowds(report) else None
    found = [degrees, *_centralities(utility), _path_lengths(utility, _part(report, "dataset").get("nodes"))]
    return [chart for chart in found if chart is not None] + temporal_drawings(report)


def _crowds(report: Figures) -> Drawing | None:
    """How many people look alike, before and after."""
    risk = _part(report, "risk")
    before, after = _part(risk, "before"), _part(risk, "after")
    if report.get("kind") == "table":
        sizes = [_class_sizes(side) for side in (before, after)]
        title, what = "Classes by size", "Number of classes of people who look alike, by class size."
        return _both(title, what, sizes, "People in the class", show)
    if "candidate_sets" in _part(after, "degree"):
        sets = [_part(_part(side, "degree"), "candidate_sets") for side in (before, after)]
        title, what = "People by how many are like them", "Number of people, by how many share their contact count."
        return _both(title, what, sets, "People alike", show)
    shares = [_part(_part(side, "trajectory"), "shares") for side in (before, after)]
    title = "People by how many are like them"
    what = "Share of people, by how many share their contact counts at all times."
    return _both(title, what, shares, "People alike", percent)


def _class_sizes(side: Figures) -> dict[str, Any]:
    sizes = _part(side, "prosecutor").get("class_sizes")
    return {str(each["size"]): each["classes"] for each in sizes} if isinstance(sizes, Sequence) else {}


def _both(title: str, what: str, sides: Sequence[Figures], heading: str, text: Any) -> Drawing | None:
    before, after = sides
    if not after and not before:
        return None
    bins = sorted({*before, *after}, key=_begins)
    bars = [Bar(_crowd(each), {"before": before.get(each, 0), "after": after.get(each, 0)}) for each in bins]
    while len(bars) > 1 and not any(bars[-1].values.values()):
        bars.pop()
    return bar_chart(title, what, bars, BOTH, text, heading=heading)


def _begins(name: str) -> int:
    found = re.match(r"\d+", name)
    return int(found[0]) if found else 0


def _crowd(size: str) -> str:
    if size == "1":
        return "alone"
    return f"{size.replace('-', ' to ').replace('+', ' or more')} alike"


def _release_histogram(report: Figures) -> Drawing | None:
    """Class sizes or degrees of the release alone."""
    shape = _part(report, "release")
    histogram = shape.get("histogram")
    if not isinstance(histogram, Sequence) or not histogram:
        return None
    title, unit, what = "Classes by size", "people", "Number of released classes, by how many people look alike."
    if "degrees" in shape:
        title, unit, what = "People by number of contacts", "contacts", "Number of released nodes, by their degree."
    if "supernodes" in shape:
        title, unit, what = "Groups by size", "people", "Number of released groups, by how many people they have."
    bars = [Bar(f"{_range(each.get('bin', ''))} {unit}", {"after": each.get("count")}) for each in histogram]
    shown = [bar for bar in bars if bar.values["after"] != 0] or bars[:1]
    return bar_chart(title, what, shown, _RELEASE, show, public=True, heading=unit.capitalize())


def _range(name: Any) -> str:
    return str(name).replace("-", " to ").replace("+", " or more")


def _attacks(report: Figures) -> Drawing | None:
    attacks = measured(_part(report, "risk").get("attacks"))
    names = {attack.get("name") for attack in attacks}
    attacks += [each for each in measured(list(answers_of(report).values())) if each.get("name") not in names]
    attacks = sorted(attacks, key=lambda attack: float(attack["baseline"]) - float(attack["rate"]))[:MOST_BARS]
    attacks = sorted(attacks, key=lambda attack: list(QUESTION_WORDS).index(str(attack.get("question", "identity"))))
    if not attacks:
        return None
    befores = [success_before(attack, report) for attack in attacks]
    bars = [
        Bar(_asked(attack), _sides(before, attack["rate"]), float(attack["baseline"]))
        for attack, before in zip(attacks, befores, strict=True)
    ]
    what = (
        "How often each attack succeeds on the release, by its question: who it is, what they have, whether they are "
        "in it. The mark shows how often guessing does."
    )
    if any(before is not None for before in befores):
        what += " If the original's risk is known, it is the upper bar."
        return bar_chart("Attacks compared with guessing", what, bars, _ATTACKED, _brief, most=1.0, heading="Attack")
    return bar_chart("Attacks compared with guessing", what, bars, _ATTACKED[1:], percent, most=1.0, heading="Attack")


def _asked(attack: Figures) -> str:
    """The title of an attack with the word of its question."""
    short = {"identity": "who", "attribute": "what", "membership": "whether"}.get(str(attack.get("question")))
    return f"{short}: {attack_title(attack)}" if short else attack_title(attack)


def _brief(value: Value) -> str:
    """A share that fits next to the longest bar."""
    return percent(value).replace("at least", "≥")


def _sides(before: Value, after: Value) -> dict[str, Value]:
    return {"after": after} if before is None else {"before": before, "after": after}


def _losses(report: Figures) -> Drawing | None:
    """What each column lost; for a graph, how much each measure changed."""
    utility = _part(report, "utility")
    shares = {name: share for name, share in _part(_part(utility, "ncp"), "attributes").items() if is_number(share)}
    if shares:
        what = "Share of each quasi-identifier's detail that was lost."
        return _shares("Loss by column", what, sorted(shares.items(), key=lambda each: -each[1]), "Column")
    columns = _part(_part(utility, "distribution_distance"), "columns")
    moved = [(name, _part(columns, name).get("total_variation")) for name in columns]
    if moved:
        known = [(name, float(share)) for name, share in moved if is_number(share)]  # type: ignore[arg-type]
        what = "How much the distribution of each column changed (total variation)."
        return _shares("Change by column", what, sorted(known, key=lambda each: -each[1]), "Column")
    what = "Relative change of each property of the graph."
    return _shares("Change by property", what, measure_changes(utility), "Property")


def _shares(title: str, what: str, shares: Sequence[tuple[str, float]], heading: str) -> Drawing | None:
    if not shares:
        return None
    bars = [Bar(name, {"after": share}) for name, share in shares[:MOST_BARS]]
    most = 1.0 if max(share for _, share in shares) > 0.5 else None
    return bar_chart(title, what, bars, (("after", "change"),), percent, most=most, heading=heading)


def _centralities(utility: Figures) -> list[Drawing]:
    """Means of groups of nodes of equal size: no group is small enough to show one node."""
    drawings = []
    for name, title in CENTRALITIES.items():
        groups = _part(_part(utility, name), "quantiles")
        lines = {"original": groups.get("original"), "release": groups.get("released")}
        if all(isinstance(each, list) and len(each) > 1 for each in lines.values()):
            count = len(lines["original"] or ())
            labels = ["least central", *(f"group {number}" for number in range(2, count)), "most central"]
            what = f"{title} centrality: means of {count} groups of equal size, from the least to the most central."
            drawings.append(line_chart(f"{title} centrality", what, lines, labels, heading="Group"))  # type: ignore[arg-type]
    return drawings


def _path_lengths(utility: Figures, nodes: Any) -> Drawing | None:
    lengths = _part(utility, "path_length_distribution")
    before, after = lengths.get("original"), lengths.get("released")
    if not isinstance(before, list) or not isinstance(after, list) or not is_number(nodes):
        return None
    longest = min(MOST_BARS, max(len(before), len(after)))
    bars = [
        Bar(_steps(steps), {"before": _veiled(before, steps, nodes), "after": _at(after, steps)})
        for steps in range(longest)
    ]
    what = "Share of pairs of people, by how many steps they are apart."
    return bar_chart("Pairs by distance", what, bars, BOTH, percent, heading="Distance")


def _steps(place: int) -> str:
    return "1 step" if place == 0 else f"{place + 1} steps"


def _veiled(shares: list[Any], place: int, nodes: int) -> Value:
    """A share of the original's pairs, withheld if it covers fewer than ten of them."""
    pairs, share = max(1, nodes * (nodes - 1) // 2), _at(shares, place)
    return f"<{LEAST_COUNT / pairs:.3g}" if 0 < share * pairs < LEAST_COUNT else share


def _at(shares: list[Any], place: int) -> float:
    return shares[place] if place < len(shares) else 0.0


def _part(section: Figures, name: str) -> Figures:
    found = section.get(name)
    return found if isinstance(found, Mapping) else {}
