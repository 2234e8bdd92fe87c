"""Check digits: known numbers pass, and numbers that are off by one do not."""

import pytest

from antifaz.columns.check_digits import confirmed_number

KNOWN = {
    "Spanish DNI or NIE": ["12345678Z", "X1234567L", "00000000T", "11111111H"],
    "Italian codice fiscale": ["RSSMRA85T10A562S", "VRDGPP13R10B293P"],
    "IBAN": ["ES91 2100 0418 4502 0005 1332", "DE89370400440532013000", "GB29NWBK60161331926819"],
    "card number": ["4111111111111111", "5500005555555559", "378282246310005"],
    "NHS number": ["9434765919", "4010232137", "4505577104"],
    "Brazilian CPF": ["529.982.247-25", "111.444.777-35"],
    "French social security number": ["2 55 08 14 168 025 38"],
    "Polish PESEL": ["44051401359"],
    "Swiss AHV number": ["756.9217.0769.85"],
    "German tax number": ["86095742719"],
    "Dutch BSN": ["111222333"],
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_numbers_confirm_themselves(name: str) -> None:
    assert confirmed_number(KNOWN[name] * 8) == name


def test_numbers_with_a_wrong_digit_are_nobodys() -> None:
    wrong = ["12345678A", "X1234567A", "00000000R", "11111111J"] * 4
    assert confirmed_number(wrong) is None


def test_few_numbers_prove_nothing() -> None:
    assert confirmed_number(["12345678Z"] * 7) is None
