"""Attacks in words: what the attacker knows, how often it succeeds, and how often guessing would."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from antifaz import catalogue
from antifaz.part import Attack, Story
from service.report.numbers import is_number, out_of, show, words
from service.report.promises import named, with_role

Figures = Mapping[str, Any]
_CLEARLY = 0.01
"""How far above guessing an attack's rate must be to count as better."""


def strongest(attacks: Any) -> Figures | None:
    """The attack whose rate is farthest above guessing; none if nothing was measured."""
    known = measured(attacks)
    return max(known, key=lambda attack: float(attack["rate"]) - float(attack["baseline"])) if known else None


def measured(attacks: Any) -> list[Figures]:
    """The attacks that have a rate, a baseline and at least one target."""
    return [
        attack
        for attack in (attacks if isinstance(attacks, Sequence) else ())
        if isinstance(attack, Mapping)
        and is_number(attack.get("rate"))
        and is_number(attack.get("baseline"))
        and attack.get("targets") != 0
    ]


def attack_in_words(attack: Figures, policy: Figures) -> str:
    """One sentence about an attack: the attacker, its rate out of a round number, and the rate of guessing."""
    name = str(attack["attack"]) if attack.get("name") == "static" else str(attack.get("name"))
    story = _stories().get(name) or Story("someone who tries " + words(name), "succeeds {} times")
    rate, baseline = float(attack["rate"]), float(attack["baseline"])
    sentence = _filled(story.who, attack, policy)
    if attack.get("name") == "static":
        sentence += " (in all snapshots taken together)" if attack.get("on") == "aggregate" else " (in one snapshot)"
    does = _filled(story.does.replace("{}", out_of(rate)), attack, policy)
    guess = story.guess.replace("{}", out_of(baseline))
    first = "No attack did clearly better than guessing. " if rate - baseline < _CLEARLY else ""
    return f"{first}{sentence[0].upper()}{sentence[1:]} {does}; {guess}."


@cache
def _stories() -> Mapping[str, Story]:
    """The story of every attack; an attack on snapshots uses the story of the attack that it runs on each."""
    return {
        part.wire_name(): part.story
        for part in catalogue.parts("attacks")
        if issubclass(part, Attack) and hasattr(part, "story")
    }


def _filled(text: str, attack: Figures, policy: Figures) -> str:
    """A text with the attack's values in place of names in braces."""
    columns = attack.get("columns") or attack.get("attributes")
    values = {
        "known": named(with_role(policy, "quasi_identifier")),
        "column": named([str(name) for name in columns]) if isinstance(columns, Mapping) and columns else "the value",
        "known_people": show(attack.get("known", "a few")),
    }
    for name in ("releases", "hubs", "snapshots_known"):
        values[name] = show(attack.get(name, "several"))
    # In one pass, so that a column whose name has braces is not replaced again.
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], text)


def attack_title(attack: Figures) -> str:
    """The name of an attack in words; for a part of a temporal graph, with that part."""
    if attack.get("name") == "static":
        return f"{words(attack.get('attack', 'static'))}, {words(attack.get('on', ''))}".rstrip(", ")
    return words(attack.get("name", ""))
