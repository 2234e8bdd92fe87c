"""Attacks in words: the three questions of an attacker, and how often attacks and guessing answer them."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from antifaz import catalogue
from antifaz.answers import answers, counts
from antifaz.part import QUESTIONS, Attack, Risk, Story
from service.report.numbers import is_number, out_of, percent, show, words
from service.report.promises import named, with_role

Figures = Mapping[str, Any]
_CLEARLY = 0.01
"""How far above guessing an attack's rate must be to count as better."""
_CHANGED = ("interval_disclosure", "edge_presence")
"""Attacks that were measured on what their attacker knows, in reports without answers."""
QUESTION_WORDS = {"identity": "Who is it?", "attribute": "What do they have?", "membership": "Are they in it?"}


def answers_of(report: Figures) -> dict[str, Figures | None]:
    """The answers of a report to the three questions; an older report's are found from its attacks."""
    risk = report.get("risk")
    if not isinstance(risk, Mapping):
        return {}
    stored = risk.get("answers")
    if isinstance(stored, Mapping):
        return {question: each if isinstance(each := stored.get(question), Mapping) else None for question in QUESTIONS}
    return dict(answers(_asking(attack) for attack in measured(risk.get("attacks"))))


def _asking(attack: Figures) -> Figures:
    """An attack of an older report, with its question."""
    name = str(attack.get("attack") if attack.get("name") == "static" else attack.get("name"))
    about = _about().get(name)
    changed = {"supposes": "the attacker knew it already"} if name in _CHANGED else {}
    return {**attack, "question": None if about is None else about.question, **changed}


def question_rows(report: Figures) -> list[dict[str, Any]]:
    """The three questions with their answers in words, for a reader who may see them; empty for others."""
    found, policy = answers_of(report), report.get("policy")
    known = policy if isinstance(policy, Mapping) else {}
    return [
        {
            "question": question,
            "title": QUESTION_WORDS[question],
            "rate": None if answer is None else answer.get("rate"),
            "bound": None if answer is None else answer.get("bound"),
            "words": answer_in_words(question, answer, known),
            "bad": answer is not None and counts(answer) and _gain(answer) >= _CLEARLY,
        }
        for question, answer in found.items()
    ]


def answer_in_words(question: str, answer: Figures | None, policy: Figures) -> str:
    """The answer to a question: the strongest attack, the most exposed person, and the bound of a guarantee."""
    if answer is None:
        return _unanswered(question, policy)
    said = [attack_in_words(answer, policy)] if counts(answer) else []
    highest = answer.get("highest")
    if said and question == "identity" and is_number(highest) and float(highest) - float(answer["rate"]) >= _CLEARLY:  # type: ignore[arg-type]
        said.append(f"For the most exposed person the chance is {percent(highest)}.")
    certain = answer.get("certain")
    if said and is_number(certain) and certain:
        said.append(f"For {out_of(float(certain))} people there is no doubt: all who look like them have that value.")
    if is_number(answer.get("bound")):
        said.append(_bound_in_words(str(answer.get("bounded_by")), float(answer["bound"])))
    return " ".join(said)


def _unanswered(question: str, policy: Figures) -> str:
    if question == "membership":
        return "Not measured. That someone is in the data is not hidden unless a guarantee about presence is promised."
    if question == "attribute" and policy.get("kind") == "table" and not with_role(policy, "sensitive"):
        return "Not measured: the policy declares no column sensitive."
    return "Not measured."


def _bound_in_words(model: str, bound: float) -> str:
    if model == "delta_presence":
        return f"The probability that someone of the population is in it is at most {percent(bound)}."
    return _counted("If someone is in it as likely as not, no attacker is right more than {} times.", bound)


def _counted(text: str, share: float) -> str:
    """A text with a share in place of its braces, in the form that the next word needs: none, but no people."""
    said = out_of(share)
    if "{} times" in text:
        said = {"none": "0 of 100", "all": "100 of 100"}.get(said, said)
    elif "{} " in text and said == "none":
        said = "no"
    return text.replace("{}", said)


def measured(attacks: Any) -> list[Figures]:
    """The attacks that have a rate, a baseline and at least one target, and suppose nothing that the release hides."""
    return [
        attack
        for attack in (attacks if isinstance(attacks, Sequence) else ())
        if isinstance(attack, Mapping) and counts(attack)
    ]


def attack_in_words(attack: Figures, policy: Figures) -> str:
    """One sentence about an attack: the attacker, its rate out of a round number, and the rate of guessing."""
    name = str(attack["attack"]) if attack.get("name") == "static" else str(attack.get("name"))
    about = _about().get(name)
    story = Story("someone who tries " + words(name), "succeeds {} times") if about is None else about.story
    sentence = _filled(story.who, attack, policy)
    if attack.get("name") == "static":
        sentence += " (in all snapshots taken together)" if attack.get("on") == "aggregate" else " (in one snapshot)"
    does = _filled(_counted(story.does, float(attack["rate"])), attack, policy)
    guess = _counted(story.guess, float(attack["baseline"]))
    first = "No attack did clearly better than guessing. " if _gain(attack) < _CLEARLY else ""
    return f"{first}{sentence[0].upper()}{sentence[1:]} {does}; {guess}."


def _gain(attack: Figures) -> float:
    return float(attack["rate"]) - float(attack["baseline"])


def knows(name: str) -> str:
    """What the attacker of an attack or a risk knows."""
    about = _about().get(name)
    if about is None:
        return ""
    return about.knows if issubclass(about, Attack) else "the quasi-identifiers of a person who is in the table"


@cache
def _about() -> Mapping[str, type[Attack] | type[Risk]]:
    """Every attack, and every risk that gives an answer, by its name; an attack on snapshots runs one of them."""
    risks = {part.wire_name(): part for part in catalogue.parts("risk") if issubclass(part, Risk) and part.question}
    return risks | {part.wire_name(): part for part in catalogue.parts("attacks") if issubclass(part, Attack)}


def _filled(text: str, attack: Figures, policy: Figures) -> str:
    """A text with the attack's values in place of names in braces."""
    column, columns = attack.get("column"), attack.get("columns") or attack.get("attributes")
    listed = [str(column)] if column else [str(name) for name in columns] if isinstance(columns, Mapping) else []
    quasi = with_role(policy, "quasi_identifier")
    values = {
        "known": named(quasi),
        "others": named([name for name in quasi if name != column]),
        "column": named(listed) if listed else "the value",
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
