"""Codes: values that were assigned to people or things one by one, such as `P000417`, `badge-07` or `2023/00417`.

Codes of a classification (`E11.9`, `2221`) look similar, but few of them are used, by many records each, and they are
not numbered through. What is numbered through, or long enough to be drawn at random, was assigned.
"""

import re
from collections import Counter
from collections.abc import Sequence

FEWEST = 8
"""Smallest number of codes; a category may have a few numbered values."""
MOST = 0.9
"""Share of the values that must have the form of the most frequent one."""
MANY = 20
"""Smallest number of codes with a space: `Level 3` and `Room 7` may be categories."""
GAPS = 3
"""Largest ratio of the range of the numbers to their count, if values are numbered through."""
LONG_NUMBER = 5
"""Smallest number of digits: counting and classifying need fewer."""
LONG_MIX = 5
"""Smallest length of codes in which letters and digits take turns."""

_DIGITS = re.compile(r"[0-9]+")
_MIX = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9]+")


def are_assigned(texts: Sequence[str]) -> bool:
    """Whether the distinct values of a column are codes that were assigned one by one."""
    return len(texts) >= FEWEST and (_are_numbered(texts) or _are_mixed(texts))


def _are_numbered(texts: Sequence[str]) -> bool:
    """Whether the values are one form around numbers, which are long or leave few gaps."""
    forms = Counter(_DIGITS.sub("#", text) for text in texts)
    form, count = forms.most_common(1)[0]
    if count < MOST * len(texts) or "#" not in form or form == "#":
        return False
    if " " in form and len(texts) < MANY:
        return False
    numbers = [_DIGITS.findall(text) for text in texts if _DIGITS.sub("#", text) == form]
    longest = max(sum(map(len, runs)) for runs in numbers)
    return longest >= LONG_NUMBER or any(_leave_few_gaps(column) for column in zip(*numbers, strict=True))


def _leave_few_gaps(runs: Sequence[str]) -> bool:
    found = {int(run) for run in runs}
    return len(found) >= MOST * len(runs) and max(found) - min(found) < GAPS * len(found)


def _are_mixed(texts: Sequence[str]) -> bool:
    """Whether letters and digits take turns, as in codes that are drawn at random."""
    lengths = Counter(len(text) for text in texts)
    length, count = lengths.most_common(1)[0]
    mixed = sum(1 for text in texts if _MIX.fullmatch(text))
    return length >= LONG_MIX and min(count, mixed) >= MOST * len(texts)
