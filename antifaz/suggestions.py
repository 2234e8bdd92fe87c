"""Suggestions: "did you mean" for unknown names."""

import json
from collections.abc import Iterable
from difflib import get_close_matches

_MOST_NAMES = 2_000
_LONGEST = 60
_SHORT = 3
"""Names of at most this length are also compared by single typing errors: in short names, one error lowers the share of
common letters below the cutoff."""


def suggest(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: the most similar known name; empty if none is similar.

    Only known names are repeated, never the input. A name that is known, but belongs elsewhere, is not misspelled.
    """
    given = name[:_LONGEST].casefold()
    names = [each for each in known if len(each) <= _LONGEST][:_MOST_NAMES]
    if name in names:
        return ""
    by_folding = {each.casefold(): each for each in names}
    close = get_close_matches(given, by_folding, n=1, cutoff=0.7)
    if not close and len(given) <= _SHORT:
        close = sorted(each for each in by_folding if _is_one_slip(given, each))
    return f"; did you mean {json.dumps(by_folding[close[0]], ensure_ascii=False)}?" if close else ""


def _is_one_slip(given: str, meant: str) -> bool:
    """Whether two adjacent letters are swapped, or one letter of three, not the first, is wrong."""
    if len(given) != len(meant):
        return False
    wrong = [at for at, (one, other) in enumerate(zip(given, meant, strict=True)) if one != other]
    if len(wrong) == 1:
        return len(given) == _SHORT and wrong[0] > 0
    return len(wrong) == 2 and wrong[1] == wrong[0] + 1 and sorted(given) == sorted(meant)
