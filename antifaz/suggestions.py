"""Suggestions: the name that somebody may have meant."""

import json
from collections.abc import Iterable
from difflib import get_close_matches

_MOST_NAMES = 2_000
_LONGEST = 60


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: which known one is much like it; empty if none is.

    Only what is known is repeated, never what was sent.
    """
    names = [each for each in known if len(each) <= _LONGEST][:_MOST_NAMES]
    by_folding = {each.casefold(): each for each in names}
    close = get_close_matches(name[:_LONGEST].casefold(), by_folding, n=1, cutoff=0.7)
    return f"; did you mean {json.dumps(by_folding[close[0]], ensure_ascii=False)}?" if close else ""
