"""Names of columns: which concept the words of a name mean, however they are joined."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from antifaz.columns.more_words import CODE_WORDS, PHRASES
from antifaz.columns.words import ABOUT, CONCEPTS, NOT_OF_PEOPLE, Concept

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_WORD = re.compile(r"[^\W_]+")
_CODE_WORDS = CODE_WORDS | frozenset(
    "id ids uid uuid guid nr num no nro numero number nummer numer code cod codigo codi codice kode key ref referencia"
    " reference identifier clave clau cle schlussel chave chiave n".split()
)
_NUMBER = "(?:num[a-z]*|nr|nro|no|n)"
"""The word *number* in its many spellings."""
_SIDES = frozenset("abcij12") | {"from", "to", "src", "dst", "source", "target", "first", "second", "other"}
"""Words that only distinguish two columns with the same meaning, such as `person_a` and `person_b`."""
LONGEST_NAME = 200
"""Number of characters of a name that are read."""


@dataclass(frozen=True)
class Reading:
    """The meaning of a name."""

    words: tuple[str, ...]
    concepts: tuple[Concept, ...]
    """Concepts that it may mean, best first."""

    @property
    def is_code(self) -> bool:
        """Whether the name suggests that the values are numbers or codes of something."""
        return not _CODE_WORDS.isdisjoint(self.words)

    def names_thing(self) -> bool:
        """Whether a word shows that the column describes a thing and not a person."""
        return not NOT_OF_PEOPLE.isdisjoint(self.words)


def read_name(name: str) -> Reading:
    """The words of a column's name and the concepts that they may mean."""
    words = tuple(split_name(name))
    readings = dict.fromkeys([words, tuple(word for word in words if word not in _SIDES)])
    named = [(" ".join(reading), "".join(reading)) for reading in readings if reading]
    found = []
    for place, concept in enumerate(CONCEPTS):
        fits = [phrase for phrase in _phrases(concept) if any(phrase.fits(*reading) for reading in named)]
        if fits:
            best = max((phrase.words, phrase.letters) for phrase in fits)
            found.append((-best[0], -best[1], place, concept))
    return Reading(words, tuple(concept for *_, concept in sorted(found, key=lambda entry: entry[:3])))


def split_name(name: str) -> list[str]:
    """The words of a name in lower case, without accents and without words that only join others."""
    plain = fold(_CAMEL.sub(" ", _without_accents(name[:LONGEST_NAME])))
    words = _WORD.findall(plain)
    return [word for word in words if word not in ABOUT] or words


def fold(text: str) -> str:
    """A text in lower case, without accents."""
    return _without_accents(text).casefold()


_STROKED = str.maketrans("łŁøØđĐ", "lLoOdD")
"""Letters with a stroke, which Unicode does not decompose."""


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).translate(_STROKED)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


@dataclass(frozen=True)
class _Phrase:
    spaced: re.Pattern[str]
    joined: re.Pattern[str] | None
    words: int
    letters: int

    def fits(self, spaced: str, joined: str) -> bool:
        if self.joined is not None and self.joined.fullmatch(joined):
            return True
        return bool(self.spaced.search(spaced))


@cache
def _phrases(concept: Concept) -> tuple[_Phrase, ...]:
    phrases = f"{concept.phrases},{fold(PHRASES.get(concept.name, ''))}"
    return tuple(_compile_phrase(phrase.strip()) for phrase in phrases.split(",") if phrase.strip())


def _compile_phrase(phrase: str) -> _Phrase:
    """A phrase as two patterns: for separate words, and for a name written as one word."""
    whole, parts = phrase.startswith("="), phrase.removeprefix("=").split()
    words = [word for part in parts for word in _split_part(part)]
    words = [word for word in words if word not in ABOUT] or words
    patterns = [_NUMBER if word == "num~" else word.replace("~", r"[^\W_]*") for word in words]
    letters = sum(len(word.rstrip("~")) for word in words)
    if whole:
        # A letter with a number is a questionnaire item; a word with a number is, for example, a second phone.
        counted = "(?: [0-9]+)?" if letters > 2 else ""
        return _Phrase(re.compile(f"^{' '.join(patterns)}{counted}$"), None, len(words) + 1, letters)
    spaced = r"(?:^| )" + r"(?: \S+)*? ".join(patterns) + r"(?= |$)"
    # A single short word occurs inside too many others.
    joined = re.compile("".join(patterns)) if letters > 2 else None
    return _Phrase(re.compile(spaced), joined, len(words), letters)


def _split_part(part: str) -> list[str]:
    """The words of a part, the last of which keeps its mark."""
    words = _WORD.findall(_CAMEL.sub(" ", part))
    return [*words[:-1], words[-1] + "~"] if part.endswith("~") else words
