"""Attacks in words: what the attacker knows, how often it succeeds, and what guessing alone would give."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.report.numbers import is_number, out_of, show, words
from service.report.promises import named, with_role

Figures = Mapping[str, Any]
_CLEARLY = 0.01
"""How far above guessing an attack must be to be worth more than a guess."""


@dataclass(frozen=True)
class _Story:
    """How an attack is described: who tries, what comes of it, and what a guess gives."""

    who: str
    does: str
    """With the share in braces."""
    guess: str = "guessing finds {}"


_STORIES = {
    "record_linkage": _Story("someone who knows the {known} of everybody", "links {} people to their rows"),
    "homogeneity": _Story(
        "someone who knows the {known} of a person",
        "names {column} rightly for {} people",
        "naming the commonest value is right for {}",
    ),
    "attribute_inference": _Story(
        "someone who knows the {known} of a person and learns from the release",
        "names {column} rightly for {} people",
        "naming the commonest value is right for {}",
    ),
    "interval_disclosure": _Story(
        "someone who reads a person's row", "estimates {column} closely for {} people", "a random row does so for {}"
    ),
    "composition": _Story(
        "someone who has all {releases} releases of these people",
        "picks the right row for {} people",
        "this release alone allows it for {}",
    ),
    "degree": _Story("someone who knows how many contacts everybody has", "finds {} people"),
    "noisy_degree": _Story(
        "someone who knows how many contacts everybody has and how much was changed", "finds {} people"
    ),
    "hub_fingerprint": _Story(
        "someone who knows how far people are from the {hubs} best connected ones", "finds {} people"
    ),
    "neighborhood": _Story("someone who knows how everybody's contacts are connected", "finds {} people"),
    "vertex_refinement": _Story("someone who knows the numbers of contacts around everybody", "finds {} people"),
    "seed_propagation": _Story(
        "someone who knows {known_people} people in it and the original's shape", "finds {} others"
    ),
    "auxiliary_graph": _Story(
        "someone who knows {known_people} people in it and has a similar graph of the same people", "finds {} others"
    ),
    "subgraph_queries": _Story("someone who knows some connections around a person", "finds {} people"),
    "cut_based": _Story("someone who planted a group of accounts before the release", "finds {} targets"),
    "walk_based": _Story("someone who planted a chain of accounts before the release", "finds {} targets"),
    "attribute_disclosure": _Story(
        "someone who knows a person's place in the graph",
        "names the sensitive attribute rightly for {} people",
        "naming the commonest value is right for {}",
    ),
    "link_disclosure": _Story(
        "someone who knows how many contacts two people have",
        "is sure of {} connections",
        "{} of all pairs are connected in the release",
    ),
    "reconstruction": _Story("someone who filters the noise out", "finds {} connections", "guessing finds {}"),
    "fake_edge_plausibility": _Story(
        "someone who compares an added connection with a real one", "tells them apart {} times", "a coin does so {}"
    ),
    "degree_trajectory": _Story(
        "someone who knows how many contacts everybody had at each of {snapshots_known} times", "finds {} people"
    ),
    "edge_presence": _Story(
        "someone who reads all snapshots", "says rightly {} times whether two people ever met", "a coin does so {}"
    ),
    "snapshot_linkage": _Story("someone who compares two snapshots", "links {} people"),
}


def strongest(attacks: Any) -> Figures | None:
    """The attack whose rate is farthest above guessing; none if nothing was measured."""
    known = measured(attacks)
    return max(known, key=lambda attack: float(attack["rate"]) - float(attack["baseline"])) if known else None


def measured(attacks: Any) -> list[Figures]:
    """The attacks that have a rate and a baseline, and somebody to attack."""
    return [
        attack
        for attack in (attacks if isinstance(attacks, Sequence) else ())
        if isinstance(attack, Mapping)
        and is_number(attack.get("rate"))
        and is_number(attack.get("baseline"))
        and attack.get("targets") != 0
    ]


def attack_in_words(attack: Figures, policy: Figures) -> str:
    """One sentence about an attack: who, how many of a round number, and what a guess gives."""
    name = str(attack["attack"]) if attack.get("name") == "static" else str(attack.get("name"))
    story = _STORIES.get(name) or _Story("someone who tries what is called " + words(name), "succeeds {} times")
    rate, baseline = float(attack["rate"]), float(attack["baseline"])
    sentence = _filled(story.who, attack, policy)
    if attack.get("name") == "static":
        sentence += " (in all snapshots taken together)" if attack.get("on") == "aggregate" else " (in one snapshot)"
    does = _filled(story.does.replace("{}", out_of(rate)), attack, policy)
    guess = story.guess.replace("{}", out_of(baseline))
    first = "No attack did clearly better than guessing. " if rate - baseline < _CLEARLY else ""
    return f"{first}{sentence[0].upper()}{sentence[1:]} {does}; {guess}."


def _filled(text: str, attack: Figures, policy: Figures) -> str:
    """A text with what the attack says of itself in place of names in braces."""
    columns = attack.get("columns") or attack.get("attributes")
    values = {
        "known": named(with_role(policy, "quasi_identifier")),
        "column": named([str(name) for name in columns]) if isinstance(columns, Mapping) and columns else "the value",
        "known_people": show(attack.get("known", "a few")),
    }
    for name in ("releases", "hubs", "snapshots_known"):
        values[name] = show(attack.get(name, "several"))
    # All at once: a column whose name is in braces stays as it is.
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], text)


def attack_title(attack: Figures) -> str:
    """The name of an attack in words; of one on a part of a temporal graph with the part."""
    if attack.get("name") == "static":
        return f"{words(attack.get('attack', 'static'))}, {words(attack.get('on', ''))}".rstrip(", ")
    return words(attack.get("name", ""))
