"""Encodings: recognizes the old encodings of a text that is not UTF-8, or asks for the encoding.

A text in a western, central European, Baltic, Turkish, Greek or Cyrillic encoding is read in each of them. The letters
beyond ASCII of its distinct words are compared with how often each language uses them: the reading of the likeliest
language is accepted if it is plausible and no other reading comes near. Encodings that read the same text are one
reading. East Asian texts are recognized by their most common characters.
"""

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import log

from formats.core import faults

MULTIBYTE = ("cp932", "euc-jp", "gb18030", "euc-kr")
CYRILLIC = ("cp1251", "koi8-r", "iso8859-5", "cp866")
GREEK = ("cp1253", "iso8859-7")
WESTERN = "cp1252"

_CERTAIN = 4.0
"""Least margin of the best reading before the next one, as a logarithm: odds of 55 to 1."""
_STRANGE = 0.05
"""Largest share of letters beyond ASCII that the likeliest language does not use."""
_DOUBTFUL = 0.4
"""Largest share of such letters in a reading that is named in the question."""
_USUAL_ENCODINGS = ("cp1252", "cp1250", "cp1251", "cp932")
_USUAL = 5.0
"""Advantage of the most common encoding, and of languages that have many writers."""
_RARE = -6.0
"""Disadvantage of the encodings of old systems."""
_UNKNOWN, _SYMBOL, _CAPITAL, _MISPLACED = 1e-4, 2e-3, 0.2, 1e-3
_WORDS = re.compile(rb"[A-Za-z\x80-\xff]+")
_MOST_WORDS = 20_000
_SYMBOLS = "€°ºª§«»“”„‘’‚–—…·±µ²³½¼¾¿¡£©®™×№†•‰\u00a0\u00ad"


@dataclass(frozen=True)
class _Language:
    """How often a language uses its letters beyond ASCII, and the encodings in which it is written, best first."""

    letters: str
    encodings: Sequence[str]
    advantage: float = 0.0
    latin: bool = True


_FOR_WESTERN = (WESTERN, "mac-roman", "cp850")
_FOR_CENTRAL = ("cp1250", "iso8859-2", "cp852")
_LANGUAGES = (
    _Language("’40 “15 ”15 –10 …5 é5 £5 €3 °3 ï2 è1 ö1 ü1 ñ1 ç1", _FOR_WESTERN, _USUAL),
    _Language("ó80 í75 á55 é45 ñ31 ú17 ü1 º6 ª3 ¿2 ¡1", _FOR_WESTERN, _USUAL),
    _Language("é150 à45 è30 ê20 ç10 ô5 û5 î5 â5 ù4 ë3 ï3 œ2 ’3 «2 »2", _FOR_WESTERN, _USUAL),
    _Language("ü65 ä58 ö44 ß31 é2 €2", _FOR_WESTERN, _USUAL),
    _Language("ã70 ç53 é35 ó33 á40 ê20 í30 õ8 ú15 à7 â8 ô8 º4 ª2", _FOR_WESTERN, _USUAL),
    _Language("à64 è30 é8 ì5 ò20 ù17 ’2 °2", _FOR_WESTERN, _USUAL),
    _Language("å11 ø9 æ8 é1", _FOR_WESTERN, _USUAL),
    _Language("ä18 ö13 å13 é1", _FOR_WESTERN, _USUAL),
    _Language("ë5 é5 ï2 ö1 ü1 è1 ó1 €1", _FOR_WESTERN, _USUAL),
    _Language("à50 é55 è35 í55 ó60 ò35 ú25 ç20 ï10 ü5 ·8 º3", _FOR_WESTERN, _USUAL),
    _Language("ð44 á18 í16 þ15 ó10 æ9 ö8 é6 ú6 ý3", _FOR_WESTERN),
    _Language(
        "é9 á7 í7 ó7 ä7 ö7 ü6 è5 à5 å5 ø4 æ3 ñ4 ç4 ã4 ú3 ß3 ê2 ë2 ï2 ò2 â2 ô2 õ1 ù1 î1 û1 ì1 ’3 –3 “1 ”1 £1 €1 °1",
        _FOR_WESTERN,
        1.0,
    ),
    _Language("ł18 ó8 ą10 ę11 ś7 ż9 ć4 ń3 ź1", _FOR_CENTRAL),
    _Language("í29 á21 ě15 é13 ř12 č10 ž10 ý9 š8 ů6 ú2 ň1 ť1 ď1 ó1", _FOR_CENTRAL),
    _Language("á18 í10 č10 ý10 é9 š9 ú9 ž8 ť6 ľ4 ô2 ň2 ď2 ó1 ä1", _FOR_CENTRAL),
    _Language("é37 á36 ó10 ö9 ő9 í6 ü6 ú4 ű2", _FOR_CENTRAL),
    _Language("ă41 ş15 ţ13 î13 â9 ș1 ț1", _FOR_CENTRAL),
    _Language("č10 š10 ć8 ž6 đ3", _FOR_CENTRAL),
    _Language("ı51 ü19 ş18 ç12 ğ11 ö8 i\u03071 â1 î1", ("cp1254", "iso8859-9")),
    _Language("ė16 ų13 š11 ž8 ą7 į6 ū5 č4 ę2", ("cp1257",)),
    _Language("ā38 ē18 ī17 š10 ū7 ņ6 ļ4 ž3 ģ2 ķ2 č2", ("cp1257",)),
    _Language("ä15 õ10 ü9 ö4 š1 ž1", ("cp1257",)),
    _Language(
        "о110 е85 а80 и74 н67 т63 с55 р47 в45 л44 к35 м32 д30 п28 у26 я20 ы19 ь17 г17 з16 б16 ч14 й12 х10 ж9 ш7 ю6 ц5"
        " щ4 э3 ф3 ъ1 ё1 №1",
        CYRILLIC,
        latin=False,
    ),
    _Language(
        "а117 и90 е88 о87 т78 н72 р50 с50 в46 л34 д33 к33 п30 м24 з21 я16 г16 у15 ъ15 б13 ч10 щ6 ц6 ж6 х5 й4 ш3 ю2 ф2"
        " ь1 №1",
        CYRILLIC,
        latin=False,
    ),
    _Language(
        "о94 а84 и62 і57 н68 т55 в53 е50 р47 с41 к36 л36 м31 у34 д31 п29 я23 з23 ь18 б18 г16 й13 ч12 х10 ц8 ж8 ш8 ю8"
        " ї7 є6 щ4 ф3 ґ1 №1",
        ("cp1251", "iso8859-5"),
        latin=False,
    ),
    _Language(
        "а115 о90 е90 и95 н57 р52 с50 ј42 т42 у40 в39 к37 д36 п28 л29 м35 з18 г17 б15 ш11 ћ8 ч9 ц8 њ7 ж6 х6 љ5 ђ3 ф2"
        " џ1",
        ("cp1251", "iso8859-5"),
        latin=False,
    ),
    _Language(
        "α110 ο98 ι78 ε78 τ78 ς39 ν65 η45 υ36 σ49 ρ41 κ42 π42 μ34 λ33 ω17 θ12 γ20 δ17 χ12 φ8 β7 ξ5 ζ4 ψ2 ά23 έ18 ή20"
        " ί28 ό24 ύ13 ώ9 ϊ2 ϋ1 ΐ1 €1",
        GREEK,
        latin=False,
    ),
    _Language(" ".join(f"{letter}1" for letter in "אבגדהוזחטיךכלםמןנסעףפץצקרשת"), ("cp1255",), latin=False),
    _Language(" ".join(f"{letter}1" for letter in "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءأإآ"), ("cp1256",), latin=False),
    _Language(
        " ".join(f"{chr(point)}1" for point in (*range(0x0E01, 0x0E3B), *range(0x0E40, 0x0E4F))),
        ("cp874",),
        latin=False,
    ),
)


def recognized(head: bytes, complete: bool) -> str:
    """The encoding of a text that is not UTF-8; a fault that asks for it if it is not certain."""
    found = _east_asian(head, complete)
    if found:
        return found
    possible = [encoding for encoding in MULTIBYTE if _common_share(head, complete, encoding) > _POSSIBLE]
    words = [word for word in dict.fromkeys(_WORDS.findall(head)) if not word.isascii()][:_MOST_WORDS]
    readings = _readings(words)
    (best, likely, strange), *others = readings
    if not possible and strange <= _STRANGE and (not others or likely - others[0][1] >= _CERTAIN):
        return best
    near = [encoding for encoding, _, strange in readings if strange <= _DOUBTFUL]
    raise faults.uncertain_encoding(list(dict.fromkeys([*possible, *near, *_USUAL_ENCODINGS]))[:4])


# --- letters of languages --------------------------------------------------------------------------------------------


def _readings(words: Sequence[bytes]) -> list[tuple[str, float, float]]:
    """The different readings, best first: an encoding, its likelihood, and the share of strange letters."""
    best: dict[str, tuple[str, float, float]] = {}
    for language in _LANGUAGES:
        for place, encoding in enumerate(language.encodings):
            try:
                read = b" ".join(words).decode(encoding)
            except UnicodeDecodeError:
                # Bytes without a letter in Windows-1252 are controls in latin-1, which no text contains.
                continue
            likely, strange = _likelihood(read.split(" "), language)
            likely += language.advantage + (_RARE if place and encoding not in _EQUAL else -0.1 * place)
            if read not in best or best[read][1] < likely:
                best[read] = (encoding, likely, strange)
    return sorted(best.values(), key=lambda reading: -reading[1]) or [(WESTERN, 0.0, 1.0)]


_EQUAL = ("iso8859-2", "iso8859-7", "iso8859-9", "iso8859-5")
"""Encodings that are as common as the first of their languages."""


def _likelihood(words: Sequence[str], language: _Language) -> tuple[float, float]:
    """Logarithm of the likelihood of the letters beyond ASCII in a language, and the share that it does not use."""
    shares = _shares(language.letters)
    letters = Counter(letter for word in words for letter in word if letter > "\x7f")
    total, strange = 0.0, 0
    for letter, times in letters.items():
        share = shares.get(letter) or _CAPITAL * shares.get(letter.lower(), 0.0)
        if not share:
            symbol = letter in _SYMBOLS
            strange += 0 if symbol else times
            share = _SYMBOL if symbol else _UNKNOWN
        total += times * log(share)
    odd = sum(map(_is_mixed if not language.latin else _is_crowded, words))
    return total + odd * log(_MISPLACED), strange / max(sum(letters.values()), 1)


@cache
def _shares(letters: str) -> dict[str, float]:
    counts = {pair.rstrip("0123456789"): int(re.sub(r"\D", "", pair)) for pair in letters.split()}
    return {letter: count / sum(counts.values()) for letter, count in counts.items()}


def _is_mixed(word: str) -> bool:
    """Whether a word has letters of ASCII beside letters of another script."""
    return any("a" <= letter.lower() <= "z" for letter in word) and any(
        letter > "\x7f" and letter.isalpha() for letter in word
    )


def _is_crowded(word: str) -> bool:
    """Whether a word in Latin letters has three in a row beyond ASCII."""
    return re.search("[^\\W\\d_\x00-\x7f]{3}", word) is not None


# --- East Asian characters -------------------------------------------------------------------------------------------

_LEAST = 16
"""Least number of distinct characters that show an East Asian encoding."""
_COMMON, _POSSIBLE = 0.95, 0.75
"""Least shares of common characters in a text of an encoding, and in one that may be of it."""
_KANA = re.compile("[\u3041-\u30fc]")
_FULL_WIDTH = re.compile("[\u3000-\u3020\uff01-\uff5e々〆]")


def _east_asian(head: bytes, complete: bool) -> str | None:
    """The East Asian encoding in which nearly all distinct characters are common ones."""
    for encoding in MULTIBYTE:
        seen = _distinct(head, complete, encoding)
        if len(seen) < _LEAST or _share(seen, encoding) < _COMMON:
            continue
        kana = sum(map(bool, map(_KANA.match, seen))) / len(seen)
        if encoding == "cp932" or (encoding == "euc-jp" and kana > 0.1):
            return encoding
        # Korean bytes are common Chinese characters too, but a Chinese text also has characters beyond them.
        late = sum(0xD0 <= _lead(letter, "gb18030") <= 0xD7 for letter in seen) / len(seen)
        if encoding == "gb18030" and late >= 0.05:
            return encoding
        if encoding == "euc-kr":
            return encoding
    return None


def _common_share(head: bytes, complete: bool, encoding: str) -> float:
    return _share(_distinct(head, complete, encoding), encoding)


def _distinct(head: bytes, complete: bool, encoding: str) -> set[str]:
    """The distinct characters beyond ASCII; none if the bytes are not in the encoding."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head, final=complete)
    except UnicodeDecodeError:
        return set()
    return {letter for letter in text if letter > "\x7f"}


def _share(letters: set[str], encoding: str) -> float:
    """Share of the letters that are among the common ones of an encoding; punctuation does not count."""
    judged = [letter for letter in letters if not _FULL_WIDTH.match(letter)]
    return sum(_is_common(letter, encoding) for letter in judged) / max(len(judged), 1)


def _is_common(letter: str, encoding: str) -> bool:
    if encoding in ("cp932", "euc-jp"):
        return _KANA.match(letter) is not None or 0xB0 <= _lead(letter, "euc-jp") <= 0xCF
    first, last = (0xB0, 0xD7) if encoding == "gb18030" else (0xB0, 0xC8)
    return first <= _lead(letter, "gb2312" if encoding == "gb18030" else encoding) <= last


def _lead(letter: str, encoding: str) -> int:
    """The first of the two bytes of a character; 0 if it has another number of bytes."""
    try:
        content = letter.encode(encoding)
    except UnicodeEncodeError:
        return 0
    return content[0] if len(content) == 2 else 0
