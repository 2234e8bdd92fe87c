"""Losses by brute force: what a reader of a release cannot know, from the two files and the stated steps alone.

Both tables are lists of rows of texts, record by record. Nothing here is shared with the engine, and nothing is asked
of the method: a step that flatters its release is found out by the true values of the records that show a label.
"""

import json
from collections.abc import Sequence
from fractions import Fraction

Cell = str
Span = tuple[Fraction, Fraction]


def numbers_loss(original: Sequence[Cell], released: Sequence[Cell | None], stated: Sequence[Span | None]) -> Fraction:
    """The mean penalty of a column of numbers; ``released`` has None for a record that is left out, and ``stated`` the
    range of numbers that the steps give for each record."""
    known = [Fraction(cell) for cell in original if cell]
    low, high = min(known), max(known)
    lost = Fraction(0)
    for cell in released:
        lost += 1 if cell is None or cell == "*" else _range_loss(cell, original, released, stated, (low, high))
    return lost / len(original)


def _range_loss(
    cell: Cell,
    original: Sequence[Cell],
    released: Sequence[Cell | None],
    stated: Sequence[Span | None],
    domain: Span,
) -> Fraction:
    alike = [place for place, other in enumerate(released) if other == cell]
    truths = [original[place] for place in alike]
    if all(not truth for truth in truths) and cell == "":
        return Fraction(0)
    if any(not truth for truth in truths) or cell == "":
        return Fraction(1)
    ends = [Fraction(truth) for truth in truths]
    said = [Fraction(end) for end in (json.loads(cell, parse_int=str, parse_float=str) if cell[0] == "[" else [cell])]
    ends += said if len(said) == 1 else [min(max(end, domain[0]), domain[1]) for end in said]
    for place in alike:
        ends += [min(max(end, domain[0]), domain[1]) for end in stated[place] or ()]
    width = domain[1] - domain[0]
    return min(Fraction(1), (max(ends) - min(ends)) / width) if width else Fraction(0)


def texts_loss(original: Sequence[Cell], released: Sequence[Cell | None]) -> Fraction:
    """The mean penalty of a column of texts without a hierarchy, whose labels are values, lists of values, or stars."""
    values = sorted(set(original))
    lost = Fraction(0)
    for cell in released:
        if cell is None or cell == "*":
            lost += 1
            continue
        said = [cell] if cell in values else json.loads(cell)
        truths = [truth for truth, other in zip(original, released, strict=True) if other == cell]
        wrong = Fraction(sum(truth not in said for truth in truths), len(truths))
        chance = Fraction(sum(truth not in said for truth in original), len(original))
        share = Fraction(len(said), len(values)) if len(said) > 1 else Fraction(0)
        lost += max(share, min(Fraction(1), wrong / chance) if wrong else Fraction(0))
    return lost / len(original)
