"""Files for the table of advice: public files with an expert's roles for their columns, and invented national files.

The invented files have the columns, spellings and check digits of real office files, but the people do not exist.
"""

import csv
import io
import random
from dataclasses import dataclass
from typing import Any

LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


@dataclass(frozen=True)
class Truth:
    """An expert's judgment of a file: the roles that must not be missed."""

    country: str
    language: str
    identifiers: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    """Quasi-identifiers: dates of birth, postal codes, sexes, and other facts that people may know."""
    unit: str | None = None


PUBLIC: dict[str, Truth] = {
    "adult/adult.csv": Truth(
        "United States", "English", (), ("sex", "age", "race", "marital-status", "native-country")
    ),
    "sdcmicro/testdata.csv": Truth("Philippines", "English", ("ori_hid",), ("sex", "age"), "ori_hid"),
    "sdcmicro/free1.csv": Truth("Netherlands", "English", (), ("REGION", "SEX", "AGE", "MARSTAT")),
    "car/Chile.csv": Truth("Chile", "English", ("rownames",), ("region", "sex", "age", "education")),
    "car/SLID.csv": Truth("Canada", "English", ("rownames",), ("age", "sex", "language", "education")),
    "car/Salaries.csv": Truth("United States", "English", ("rownames",), ("sex", "rank")),
    "Ecdat/BudgetFood.csv": Truth("Spain", "English", ("rownames",), ("age", "sex", "town")),
    "Ecdat/Bwages.csv": Truth("Belgium", "English", ("rownames",), ("sex", "educ")),
    "Ecdat/DoctorAUS.csv": Truth("Australia", "English", ("rownames",), ("sex", "age")),
    "Ecdat/VietNamH.csv": Truth("Vietnam", "English", ("rownames",), ("sex", "age", "commune")),
    "Ecdat/Participation.csv": Truth("Switzerland", "English", ("rownames",), ("age",)),
    "Ecdat/OFP.csv": Truth("United States", "English", ("rownames",), ("age", "sex", "region")),
    "survival/colon.csv": Truth("United States", "English", ("rownames", "id"), ("sex", "age"), "id"),
    "survival/pbc.csv": Truth("United States", "English", ("rownames", "id"), ("age", "sex")),
    "MASS/survey.csv": Truth("Australia", "English", ("rownames",), ("Sex", "Age")),
    "plm/Males.csv": Truth("United States", "English", ("rownames", "nr"), ("year", "ethn", "residence"), "nr"),
    "psych/bfi.csv": Truth("United States", "English", ("rownames",), ("gender", "age", "education")),
}
"""Files by their paths below the folders given to the command."""

_NAMES = {
    "es": (["María", "José", "Carmen", "Antonio", "Lucía", "Javier"], ["García López", "Pérez Ruiz", "Sanz Gil"]),
    "ca": (["Montserrat", "Jordi", "Laia", "Arnau", "Núria", "Pau"], ["Puig Serra", "Vila Roca", "Font Sala"]),
    "fr": (["Chloé", "Jean", "Amélie", "Lucas", "Zoé", "Hugo"], ["Dupont", "Lefèvre", "Moreau", "Girard"]),
    "de": (["Jürgen", "Ursula", "Lena", "Björn", "Heike", "Jonas"], ["Müller", "Schäfer", "Weiß", "Krüger"]),
    "pt": (["João", "Inês", "Catarina", "Tiago", "Letícia", "Rui"], ["Silva", "Gonçalves", "Conceição"]),
    "it": (["Giulia", "Niccolò", "Chiara", "Matteo", "Alice", "Luca"], ["Rossi", "D'Angelo", "Bianchi"]),
    "pl": (["Zofia", "Jakub", "Małgorzata", "Łukasz", "Agnieszka", "Paweł"], ["Nowak", "Wójcik", "Zając", "Król"]),
    "en": (["Olivia", "Noah", "Amelia", "George", "Isla", "Arthur"], ["Smith", "O'Brien", "Taylor"]),
}
_SENTENCES = ["comes again on {} because of pain in the arm", "lives with family, call back on {}", "asks for copy {}"]
Rows = dict[str, list[Any]]


def made_up(rows: int = 900) -> dict[str, tuple[bytes, Truth]]:
    """The invented files by name, as bytes, with their true roles."""
    files = {}
    for name, (make, truth, delimiter) in _FILES.items():
        chance = random.Random(name)  # invented people, the same in every run
        columns = make(chance, rows)
        files[name] = (_written(columns, delimiter), truth)
    return files


def _written(columns: Rows, delimiter: str) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue().encode("utf-8-sig")


def _person(chance: random.Random, language: str) -> tuple[str, str]:
    given, family = _NAMES[language]
    return chance.choice(given), chance.choice(family)


def _day(chance: random.Random, low: int = 1930, high: int = 2015) -> tuple[int, int, int]:
    return chance.randint(low, high), chance.randint(1, 12), chance.randint(1, 28)


def _dni(chance: random.Random) -> str:
    number = chance.randint(10_000_000, 79_999_999)
    return f"{number}{LETTERS[number % 23]}"


def _nir(chance: random.Random) -> str:
    body = f"{chance.randint(1, 2)}{chance.randint(0, 99):02d}{chance.randint(1, 12):02d}{chance.randint(10, 95)}"
    body += f"{chance.randint(1, 999):03d}{chance.randint(1, 999):03d}"
    return f"{body}{97 - int(body) % 97:02d}"


def _nhs(chance: random.Random) -> str:
    while True:
        digits = [chance.randint(0, 9) for _ in range(9)]
        check = 11 - sum(digit * weight for digit, weight in zip(digits, range(10, 1, -1), strict=True)) % 11
        if check != 10:
            return "".join(map(str, digits)) + str(check % 11)


def _cpf(chance: random.Random) -> str:
    digits = [chance.randint(0, 9) for _ in range(9)]
    for length in (10, 11):
        weights = range(length, 1, -1)
        digits.append(sum(d * w for d, w in zip(digits, weights, strict=True)) * 10 % 11 % 10)
    text = "".join(map(str, digits))
    return f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}"


def _pesel(chance: random.Random, day: tuple[int, int, int]) -> str:
    year, month, of_month = day
    body = f"{year % 100:02d}{month + (20 if year >= 2000 else 0):02d}{of_month:02d}{chance.randint(0, 9999):04d}"
    total = sum(int(digit) * weight for digit, weight in zip(body, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), strict=True))
    return f"{body}{-total % 10}"


def _spanish_hospital(chance: random.Random, rows: int) -> Rows:
    people = [(_dni(chance), *_person(chance, "es"), _day(chance), chance.choice("HM")) for _ in range(rows // 3)]
    chosen = [chance.choice(people) for _ in range(rows)]
    return {
        "NHC": [100_000 + people.index(person) for person in chosen],
        "DNI": [person[0] for person in chosen],
        "Nombre": [person[1] for person in chosen],
        "Apellidos": [person[2] for person in chosen],
        "Fecha nacimiento": ["{2:02d}/{1:02d}/{0}".format(*person[3]) for person in chosen],
        "Sexo": [person[4] for person in chosen],
        "C.P.": [f"{chance.randint(8001, 8042):05d}" for _ in chosen],
        "Teléfono móvil": [f"6{chance.randint(0, 99_999_999):08d}" for _ in chosen],
        "Correo electrónico": [f"p{chance.randint(0, 10**6)}@ejemplo.es" for _ in chosen],
        "Fecha ingreso": ["{2:02d}/{1:02d}/{0}".format(*_day(chance, 2020, 2023)) for _ in chosen],
        "Diagnóstico CIE-10": [chance.choice(["J45.0", "I10", "E11.9", "K35.8", "M54.5", "F32.1"]) for _ in chosen],
        "Importe": [f"{chance.randint(1, 9)}.{chance.randint(100, 999)},{chance.randint(0, 99):02d}" for _ in chosen],
        "Servicio": [chance.choice(["Urgencias", "Medicina interna", "Cirugía"]) for _ in chosen],
        "Observaciones": [chance.choice(_SENTENCES).format(chance.randint(0, 10**6)) for _ in chosen],
    }


def _catalan_school(chance: random.Random, rows: int) -> Rows:
    names = [_person(chance, "ca") for _ in range(rows)]
    return {
        "id_alumne": [f"A{number:05d}" for number in range(rows)],
        "nom": [name[0] for name in names],
        "cognoms": [name[1] for name in names],
        "dataNaixement": ["{}-{:02d}-{:02d}".format(*_day(chance, 2005, 2015)) for _ in names],
        "sexe": [chance.choice(["home", "dona"]) for _ in names],
        "codi_postal": [f"{chance.randint(17001, 17007)}" for _ in names],
        "municipi": [chance.choice(["Girona", "Salt", "Figueres", "Olot"]) for _ in names],
        "curs": [chance.randint(1, 6) for _ in names],
        "nota_final": [chance.randint(0, 10) for _ in names],
    }


def _french_register(chance: random.Random, rows: int) -> Rows:
    names = [_person(chance, "fr") for _ in range(rows)]
    return {
        "num_secu": [_nir(chance) for _ in names],
        "Nom": [name[1] for name in names],
        "Prénom": [name[0] for name in names],
        "DateNaissance": ["{2:02d}/{1:02d}/{0}".format(*_day(chance)) for _ in names],
        "Sexe": [chance.choice("MF") for _ in names],
        "CodePostal": [f"{chance.randint(75001, 75020)}" for _ in names],
        "Commune": [chance.choice(["Paris", "Montreuil", "Pantin"]) for _ in names],
        "Tél. portable": [f"06 {chance.randint(10, 99)} 10 20 {chance.randint(10, 99)}" for _ in names],
        "Adresse": [f"{chance.randint(1, 200)} rue de la Paix" for _ in names],
        "situation familiale": [chance.choice(["célibataire", "marié", "divorcé"]) for _ in names],
        "revenu": [chance.randint(8, 60) * 1000 for _ in names],
    }  # fmt: skip


def _german_insurer(chance: random.Random, rows: int) -> Rows:
    names = [_person(chance, "de") for _ in range(rows)]
    return {
        "Versichertennummer": [f"{chance.choice('ABCD')}{chance.randint(10**8, 10**9 - 1)}" for _ in names],
        "Nachname": [name[1] for name in names],
        "Vorname": [name[0] for name in names],
        "Geburtsdatum": ["{2:02d}.{1:02d}.{0}".format(*_day(chance)) for _ in names],
        "Geschlecht": [chance.choice(["männlich", "weiblich", "divers"]) for _ in names],
        "PLZ": [f"{chance.randint(1067, 1328):05d}" for _ in names],
        "Wohnort": [chance.choice(["Dresden", "Radebeul", "Pirna"]) for _ in names],
        "Straße": [f"Hauptstraße {chance.randint(1, 150)}" for _ in names],
        "Beruf": [chance.choice(["Lehrer", "Bäcker", "Ingenieur", "Pfleger"]) for _ in names],
        "Hauptdiagnose": [chance.choice(["I10.00", "E11.90", "J44.19", "F33.1"]) for _ in names],
        "Bemerkung": [chance.choice(_SENTENCES).format(chance.randint(0, 10**6)) for _ in names],
    }


def _brazilian_clinic(chance: random.Random, rows: int) -> Rows:
    names = [_person(chance, "pt") for _ in range(rows)]
    return {
        "CPF": [_cpf(chance) for _ in names],
        "Nome completo": [f"{name[0]} {name[1]}" for name in names],
        "dt_nasc": ["{2:02d}/{1:02d}/{0}".format(*_day(chance)) for _ in names],
        "Gênero": [chance.choice(["Masculino", "Feminino"]) for _ in names],
        "CEP": [f"{chance.randint(1000, 1999):05d}-{chance.randint(0, 999):03d}" for _ in names],
        "UF": [chance.choice(["SP", "RJ", "MG"]) for _ in names],
        "celular": [f"(11) 9{chance.randint(1000, 9999)}-{chance.randint(1000, 9999)}" for _ in names],
        "raça": [chance.choice(["branca", "preta", "parda"]) for _ in names],
        "CID10": [chance.choice(["A90", "B54", "I10", "E11"]) for _ in names],
        "renda": [chance.randint(1, 20) * 500 for _ in names],
    }


def _italian_town(chance: random.Random, rows: int) -> Rows:
    names = [_person(chance, "it") for _ in range(rows)]
    return {
        "matricola": [f"{chance.randint(0, 10**7):07d}" for _ in names],
        "cognome": [name[1] for name in names],
        "nome": [name[0] for name in names],
        "data_di_nascita": ["{}-{:02d}-{:02d}".format(*_day(chance)) for _ in names],
        "sesso": [chance.choice(["M", "F"]) for _ in names],
        "CAP": [f"{chance.randint(121, 199):05d}" for _ in names],
        "comune": [chance.choice(["Roma", "Fiumicino", "Pomezia"]) for _ in names],
        "telefono": [f"+39 3{chance.randint(10, 99)} {chance.randint(1_000_000, 9_999_999)}" for _ in names],
        "titolo_studio": [chance.choice(["licenza media", "diploma", "laurea"]) for _ in names],
        "reddito": [chance.randint(5, 80) * 1000 for _ in names],
    }


def _polish_hospital(chance: random.Random, rows: int) -> Rows:
    days = [_day(chance) for _ in range(rows // 2)]
    people = [(_pesel(chance, day), *_person(chance, "pl"), day, chance.choice("KM")) for day in days]
    chosen = [chance.choice(people) for _ in range(rows)]
    return {
        "Nr pacjenta": [f"P{people.index(person):06d}" for person in chosen],
        "PESEL": [person[0] for person in chosen],
        "Imię": [person[1] for person in chosen],
        "Nazwisko": [person[2] for person in chosen],
        "Data ur.": ["{2:02d}.{1:02d}.{0}".format(*person[3]) for person in chosen],
        "Płeć": [person[4] for person in chosen],
        "Kod pocztowy": [f"{chance.randint(30, 32):02d}-{chance.randint(1, 60):03d}" for _ in chosen],
        "Miejscowość": [chance.choice(["Kraków", "Wieliczka", "Skawina"]) for _ in chosen],
        "Nr telefonu": [f"+48 6{chance.randint(0, 99_999_999):08d}" for _ in chosen],
        "Data przyjęcia": ["{2:02d}.{1:02d}.{0}".format(*_day(chance, 2020, 2023)) for _ in chosen],
        "Rozpoznanie": [chance.choice(["J45.0", "I10", "E11.9", "K35.8", "M54.5"]) for _ in chosen],
        "Koszt": [f"{chance.randint(100, 9999)},{chance.randint(0, 99):02d}" for _ in chosen],
        "Uwagi": [chance.choice(_SENTENCES).format(chance.randint(0, 10**6)) for _ in chosen],
    }


def _english_trust(chance: random.Random, rows: int) -> Rows:
    names = [_person(chance, "en") for _ in range(rows)]
    return {
        "NHSNumber": [_nhs(chance) for _ in names],
        "PatientName": [f"{name[0]} {name[1]}" for name in names],
        "DOB": ["{}-{:02d}-{:02d}".format(*_day(chance)) for _ in names],
        "Gender": [chance.choice(["Male", "Female"]) for _ in names],
        "Postcode": [f"LS{chance.randint(1, 29)} {chance.randint(1, 9)}AB" for _ in names],
        "GPName": [f"Dr {_person(chance, 'en')[1]}" for _ in names],
        "AdmissionDate": ["{}-{:02d}-{:02d}".format(*_day(chance, 2019, 2023)) for _ in names],
        "Ethnicity": [chance.choice(["White", "Asian", "Black", "Mixed"]) for _ in names],
        "PrimaryDiagnosis": [chance.choice(["J18.9", "I21.4", "N39.0", "S72.0"]) for _ in names],
        "email": [f"{number}.x@example.co.uk" for number in range(rows)],
        "LengthOfStay": [chance.randint(0, 30) for _ in names],
    }


def _american_payroll(chance: random.Random, rows: int) -> Rows:
    names = [_person(chance, "en") for _ in range(rows)]
    return {
        "EmployeeID": [f"E{number:06d}" for number in range(rows)],
        "FirstName": [name[0] for name in names],
        "LastName": [name[1] for name in names],
        "SSN": [f"{chance.randint(100, 665)}-{chance.randint(10, 99)}-{chance.randint(1000, 9999)}" for _ in names],
        "BirthDate": ["{1:02d}/{2:02d}/{0}".format(*_day(chance, 1955, 2003)) for _ in names],
        "Sex": [chance.choice("MF") for _ in names],
        "ZipCode": [chance.randint(10001, 10282) for _ in names],
        "JobTitle": [chance.choice(["Analyst", "Driver", "Engineer", "Clerk"]) for _ in names],
        "Salary": [chance.randint(30, 150) * 1000 for _ in names],
        "HireDate": ["{1:02d}/{2:02d}/{0}".format(*_day(chance, 2000, 2023)) for _ in names],
    }


_FILES = {
    "Spanish hospital": (
        _spanish_hospital,
        Truth("Spain", "Spanish", ("NHC", "DNI", "Nombre", "Apellidos", "Teléfono móvil", "Correo electrónico",
                                   "Observaciones"), ("Fecha nacimiento", "Sexo", "C.P.", "Fecha ingreso"), "DNI"),
        ";",
    ),
    "Catalan school": (
        _catalan_school,
        Truth("Spain", "Catalan", ("id_alumne", "nom", "cognoms"),
              ("dataNaixement", "sexe", "codi_postal", "municipi")),
        ",",
    ),
    "French register": (
        _french_register,
        Truth("France", "French", ("num_secu", "Nom", "Prénom", "Tél. portable", "Adresse"),
              ("DateNaissance", "Sexe", "CodePostal", "Commune", "situation familiale")),
        ";",
    ),
    "German insurer": (
        _german_insurer,
        Truth("Germany", "German", ("Versichertennummer", "Nachname", "Vorname", "Straße", "Bemerkung"),
              ("Geburtsdatum", "Geschlecht", "PLZ", "Wohnort", "Beruf")),
        ";",
    ),
    "Brazilian clinic": (
        _brazilian_clinic,
        Truth("Brazil", "Portuguese", ("CPF", "Nome completo", "celular"), ("dt_nasc", "Gênero", "CEP", "UF", "raça")),
        ",",
    ),
    "Italian town": (
        _italian_town,
        Truth("Italy", "Italian", ("matricola", "cognome", "nome", "telefono"),
              ("data_di_nascita", "sesso", "CAP", "comune", "titolo_studio")),
        ",",
    ),
    "Polish hospital": (
        _polish_hospital,
        Truth("Poland", "Polish", ("Nr pacjenta", "PESEL", "Imię", "Nazwisko", "Nr telefonu", "Uwagi"),
              ("Data ur.", "Płeć", "Kod pocztowy", "Miejscowość", "Data przyjęcia"), "PESEL"),
        ";",
    ),
    "English trust": (
        _english_trust,
        Truth("United Kingdom", "English", ("NHSNumber", "PatientName", "GPName", "email"),
              ("DOB", "Gender", "Postcode", "AdmissionDate", "Ethnicity")),
        ",",
    ),
    "American payroll": (
        _american_payroll,
        Truth("United States", "English", ("EmployeeID", "FirstName", "LastName", "SSN"),
              ("BirthDate", "Sex", "ZipCode", "JobTitle", "HireDate")),
        ",",
    ),
}  # fmt: skip
