"""Check digits: recognize numbers of people, accounts and cards by their check digits.

One in ten to one in a hundred random numbers passes a check, so a column in which nearly all values pass is no
coincidence.
"""

import re
from collections.abc import Callable, Iterable, Sequence

_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD_VALUES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_ODD = dict(zip("0123456789", _ODD_VALUES, strict=False)) | dict(
    zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", _ODD_VALUES, strict=True)
)


def _spanish(text: str) -> bool:
    number = int(text[:-1].translate(str.maketrans("XYZ", "012")))
    return text[-1] == _LETTERS[number % 23]


def _italian(text: str) -> bool:
    total = 0
    for place, letter in enumerate(text[:15]):
        total += _ODD[letter] if place % 2 == 0 else (int(letter) if letter.isdigit() else ord(letter) - 65)
    return text[15] == chr(65 + total % 26)


def _french(text: str) -> bool:
    number = int(text[:13].replace("2A", "19").replace("2B", "18"))
    return 97 - number % 97 == int(text[13:])


def _weighted(text: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(text, weights, strict=False))


def _british(text: str) -> bool:
    check = 11 - _weighted(text, range(10, 1, -1)) % 11
    return check % 11 == int(text[9]) and check != 10


def _brazilian(text: str) -> bool:
    first = _weighted(text, range(10, 1, -1)) * 10 % 11 % 10
    second = _weighted(text, range(11, 1, -1)) * 10 % 11 % 10
    return len(set(text)) > 1 and text[9:] == f"{first}{second}"


def _portuguese(text: str) -> bool:
    check = 11 - _weighted(text, range(9, 1, -1)) % 11
    return (0 if check > 9 else check) == int(text[8])


def _german(text: str) -> bool:
    product = 10
    for digit in text[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(text[10])


def _dutch(text: str) -> bool:
    return (_weighted(text, range(9, 1, -1)) - int(text[8])) % 11 == 0 and text != "000000000"


def _polish(text: str) -> bool:
    return (_weighted(text[:10], (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) + int(text[10])) % 10 == 0


def _belgian(text: str) -> bool:
    return any(97 - int(century + text[:9]) % 97 == int(text[9:]) for century in ("", "2"))


def _swiss(text: str) -> bool:
    return (10 - _weighted(text[:12], (1, 3) * 6) % 10) % 10 == int(text[12])


def _austrian(text: str) -> bool:
    return _weighted(text[:3] + text[4:], (3, 7, 9, 5, 8, 4, 2, 1, 6)) % 11 == int(text[3])


def _chilean(text: str) -> bool:
    total = sum(int(digit) * weight for digit, weight in zip(reversed(text[:-1]), (2, 3, 4, 5, 6, 7) * 2, strict=False))
    return "0K987654321"[total % 11] == text[-1]


def _luhn(text: str) -> bool:
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(text)))
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0


def _iban(text: str) -> bool:
    return int("".join(str(int(letter, 36)) for letter in text[4:] + text[:4])) % 97 == 1


Check = tuple[str, re.Pattern[str], Callable[[str], bool]]

_NATIONAL: tuple[Check, ...] = (
    ("Spanish DNI or NIE", re.compile(r"[XYZ]?[0-9]{7,8}[A-Z]"), _spanish),
    ("Italian codice fiscale", re.compile(r"[A-Z]{6}[0-9]{2}[A-Z][0-9]{2}[A-Z][0-9]{3}[A-Z]"), _italian),
    ("French social security number", re.compile(r"[1-478][0-9]{4}(?:[0-9]{2}|2[AB])[0-9]{8}"), _french),
    ("NHS number", re.compile(r"[0-9]{10}"), _british),
    ("Brazilian CPF", re.compile(r"[0-9]{11}"), _brazilian),
    ("Portuguese NIF", re.compile(r"[1-9][0-9]{8}"), _portuguese),
    ("German tax number", re.compile(r"[1-9][0-9]{10}"), _german),
    ("Dutch BSN", re.compile(r"[0-9]{9}"), _dutch),
    ("Polish PESEL", re.compile(r"[0-9]{11}"), _polish),
    ("Belgian national number", re.compile(r"[0-9]{11}"), _belgian),
    ("Swiss AHV number", re.compile(r"756[0-9]{10}"), _swiss),
    ("Austrian insurance number", re.compile(r"[1-9][0-9]{9}"), _austrian),
    ("Chilean RUT", re.compile(r"[0-9]{7,8}[0-9K]"), _chilean),
    ("Swedish personal number", re.compile(r"[0-9]{6}[0-9]{4}"), _luhn),
)
_MONEY: tuple[Check, ...] = (
    ("IBAN", re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}"), _iban),
    ("card number", re.compile(r"[3-6][0-9]{12,18}"), _luhn),
)
_MARKS = str.maketrans("", "", " .-/_")
SHARE = 0.9
"""Smallest share of values that must pass the check."""
LEAST = 8
"""Smallest number of values; fewer may pass by coincidence."""


def confirmed_number(texts: Iterable[str]) -> str | None:
    """The kind of number whose check nearly all texts pass, if any."""
    plain = [text.upper().translate(_MARKS) for text in texts]
    if len(plain) < LEAST:
        return None
    for name, shape, check in (*_MONEY, *_NATIONAL):
        if _passes(plain, shape, check):
            return name
    return None


def _passes(texts: list[str], shape: re.Pattern[str], check: Callable[[str], bool]) -> bool:
    allowed = len(texts) * (1 - SHARE)
    failed = 0
    for text in texts:
        failed += not (shape.fullmatch(text) and check(text))
        if failed > allowed:
            return False
    return True
