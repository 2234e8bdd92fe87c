"""A hospital's file as people send it: semicolons, a byte order mark, days first, decimal commas with points between
thousands, `N/A`, notes in full sentences, and people who were there more than once. All people in it are invented.

    python -m tests.hospital 200 > examples/hospital.csv
"""

import io
import random
import sys
from datetime import date, timedelta

FIRST = ("Aina", "Bruno", "Carla", "Dídac", "Elena", "Fermí", "Greta", "Hugo", "Iria", "Joan", "Laia", "Màrius")
LAST = ("Alsina", "Bofill", "Casals", "Duran", "Esteve", "Ferrer", "Gomis", "Homs", "Ibars", "Juncà", "Llop", "Mas")
WARDS = ("Cardiologia", "Medicina interna", "Traumatologia", "Urgències")
DIAGNOSES = ("I10", "E11.9", "J18.9", "S72.0", "N39.0", "I50.0", "K35.8", "J44.1")
INSURERS = ("CatSalut", "Mútua", "Privat", "N/A")
OUTCOMES = ("Alta", "Trasllat", "Èxitus")
COLUMNS = (
    *("Núm. història", "Nom", "Cognoms", "DNI", "Telèfon", "Correu"),
    *("Data naixement", "Sexe", "Codi postal", "Municipi", "Data ingrés", "Data alta", "Servei", "Diagnòstic"),
    *("Import", "Pes", "Fumador", "Assegurança", "Resultat", "Notes"),
)
TOWNS = {"08500": "Vic", "08240": "Manresa", "17001": "Girona", "25001": "Lleida", "43001": "Tarragona"}


def hospital(rows: int = 200, seed: int = 13) -> bytes:
    """The file: one line for every stay."""
    chance = random.Random(seed)
    people = [_person(chance, number) for number in range(max(rows * 3 // 4, 1))]
    lines = [";".join(COLUMNS)]
    for _ in range(rows):
        lines.append(";".join(_quoted(cell) for cell in _stay(chance, chance.choice(people))))
    return b"\xef\xbb\xbf" + "\r\n".join([*lines, ""]).encode()


def _person(chance: random.Random, number: int) -> list[str]:
    first, last = chance.choice(FIRST), f"{chance.choice(LAST)} {chance.choice(LAST)}"
    born = date(1930, 1, 1) + timedelta(days=chance.randrange(32_000))
    postal = chance.choice(list(TOWNS))
    mail = f"{first.lower()}.{number}@example.org"
    identity = [f"HC{number:06}", first, last, f"{10_000_000 + 7919 * number:08}{'TRWAGMYFP'[number % 9]}"]
    return [*identity, f"6{number:08}", mail, _day(born), chance.choice("HD"), postal, TOWNS[postal]]


def _stay(chance: random.Random, person: list[str]) -> list[str]:
    arrived = date(2025, 1, 1) + timedelta(days=chance.randrange(365))
    left = arrived + timedelta(days=chance.randrange(1, 15))
    cost = f"{chance.randrange(30_000, 2_500_000) / 100:,.2f}".translate(str.maketrans(",.", ".,"))
    weight = "N/A" if chance.random() < 0.1 else f"{chance.randrange(450, 1200) / 10:.1f}".replace(".", ",")
    visit = [_day(arrived), "N/A" if chance.random() < 0.05 else _day(left), chance.choice(WARDS)]
    about = [chance.choice(DIAGNOSES), cost, weight, chance.choice(("Sí", "No", "-")), chance.choice(INSURERS)]
    note = f"{person[1]} explica dolor; revisió en {chance.randrange(1, 90)} dies" if chance.random() < 0.7 else ""
    return [*person, *visit, *about, chance.choice(OUTCOMES), note]


def _day(day: date) -> str:
    return day.strftime("%d/%m/%Y")


def _quoted(cell: str) -> str:
    return f'"{cell}"' if ";" in cell else cell


def hospital_policy(k: int = 3) -> dict[str, object]:
    """A policy that accepts the file unchanged."""
    identifiers = {name: {"role": "identifier"} for name in (*COLUMNS[:6], "Notes")}
    quasi: dict[str, dict[str, object]] = {
        "Data naixement": {"role": "quasi_identifier", "hierarchy": {"kind": "date"}},
        "Sexe": {"role": "quasi_identifier"},
        "Codi postal": {"role": "quasi_identifier", "hierarchy": {"kind": "mask"}},
        "Municipi": {"role": "quasi_identifier"},
        "Data ingrés": {"role": "quasi_identifier", "hierarchy": {"kind": "auto"}},
        "Data alta": {"role": "quasi_identifier", "hierarchy": {"kind": "auto"}},
        "Import": {"role": "quasi_identifier"},
        "Pes": {"role": "quasi_identifier"},
    }
    plain = {name: {"role": "insensitive"} for name in ("Servei", "Fumador", "Assegurança", "Resultat")}
    return {
        "kind": "table",
        "attributes": {**identifiers, **quasi, **plain, "Diagnòstic": {"role": "sensitive"}},
        "privacy_unit": "Núm. història",
        "guarantees": [{"model": "k_anonymity", "k": k}],
        "method": {"name": "mondrian"},
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(io.BytesIO(hospital(int(sys.argv[1]))).getvalue())
