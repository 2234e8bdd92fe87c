"""Answers: what the measured attacks say about the three questions of an attacker, each compared with guessing.

Who is it (identity), what does he have (attribute), is he in it (membership)? Headline, list, filter, chart and the
front of comparisons all read these answers. The answer to a question is the figure that is farthest above guessing: a
rate of 98 % where guessing reaches 97 % is no risk, 25 % where guessing reaches 0.1 % is one. Figures of different
questions are never combined.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from antifaz.part import QUESTIONS, Guarantee, Part

Figures = Mapping[str, Any]
Answers = dict[str, dict[str, Any] | None]

NAMED_NODES = "the attacker knows which node is whom, which this release does not show"
"""Why an attack counts for no question: its attacker would have to know the answer to another one first."""


def answers(measured: Iterable[Figures], guarantees: Sequence[Part] = ()) -> Answers:
    """Return the answer to each question, or None if nothing measured or promised gives one.

    An answer has the figures of the attack or risk (``name``, ``rate``, ``baseline``, ``highest`` for the most exposed
    person, if known); ``bound`` is what a guarantee allows at most. With a bound alone, there is no rate.
    """
    counted = [figures for figures in measured if counts(figures)]
    found: Answers = {
        question: strongest(f for f in counted if f.get("question") == question) for question in QUESTIONS
    }
    bounds = [(limit, g.wire_name()) for g in guarantees if isinstance(g, Guarantee) and (limit := g.hides_presence())]
    if bounds:
        limit, name = min(bounds)
        measured_too = found["membership"] or {"rate": None, "baseline": None}
        found["membership"] = {**measured_too, "question": "membership", "bound": limit, "bounded_by": name}
    return found


def counts(figures: Figures) -> bool:
    """Whether an attack has a rate, a baseline and people to attack, and supposes nothing that the release hides."""
    return (
        is_number(figures.get("rate"))
        and is_number(figures.get("baseline"))
        and figures.get("targets") != 0
        and not figures.get("supposes")
    )


def strongest(measured: Iterable[Figures]) -> dict[str, Any] | None:
    """Return the simple figures of the attack whose rate is farthest above guessing; of equals, the higher rate."""
    found = max(measured, key=lambda each: (advantage(each), each["rate"]), default=None)
    return None if found is None else {name: value for name, value in found.items() if not _is_nested(value)}


def headline(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the answer that is farthest above guessing; None if no question has a measured answer."""
    return strongest(answer for answer in found.values() if isinstance(answer, Mapping) and counts(answer))


def advantage(figures: Figures) -> float:
    """How far a rate is above guessing."""
    return float(figures["rate"]) - float(figures["baseline"])


def rate_of(measured: Iterable[Figures], *names: str, figure: str = "rate") -> float | None:
    """Return the rate, or another figure, of the first of the named attacks that was measured, for limits on it; of an
    attack that was measured twice, the later one."""
    found = {figures["name"]: figures.get(figure) for figures in measured}
    return next((found[name] for name in names if name in found), None)


def mean_answers(runs: Sequence[Answers]) -> Answers:
    """Return the answers of several runs of one policy: for each question the means of what the strongest attack of
    each run found, which may be another one from run to run, under the name of the strongest of all."""
    return {question: _mean_answer([run.get(question) for run in runs]) for question in QUESTIONS}


def _mean_answer(given: Sequence[dict[str, Any] | None]) -> dict[str, Any] | None:
    measured = [answer for answer in given if answer is not None and counts(answer)]
    if not measured:
        return next((answer for answer in given if answer is not None), None)
    named = strongest(measured) or {}
    for figure in ("rate", "baseline", "highest"):
        known = [float(answer[figure]) for answer in measured if is_number(answer.get(figure))]
        named |= {figure: sum(known) / len(known)} if known else {}
    return named


def is_number(value: Any) -> bool:
    """Whether a figure is a number, as opposed to a withheld or missing one."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str))
