"""Advice: direct identifiers are never missed, and the policy runs unchanged."""

import numpy as np
import pytest

from antifaz.advice import advise, choices, tables
from antifaz.columns.names import read_name
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from tests.antifaz.advice.samples import dataset_of

N = 240
AGES = [20 + (7 * i) % 60 for i in range(N)]
SEXES = ["M" if i % 3 else "F" for i in range(N)]
ILLNESSES = [("flu", "asthma", "diabetes", "none")[i % 4] for i in range(N)]
ZIPS = [f"{8001 + (i * 13) % 40:05d}" for i in range(N)]


def roles(dataset: Dataset) -> dict[str, str]:
    """The role that each column is advised to have."""
    return {column["name"]: column["role"] for column in advise(dataset, np.random.default_rng(0))["columns"]}


def run(dataset: Dataset) -> None:
    """Parse, check and apply the advised policy, unedited."""
    advice = advise(dataset, np.random.default_rng(0))
    policy = parse_policy(advice["policy"])
    protect(check(dataset, policy), policy, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("birth", "postal", "sex"),
    [
        ("date_of_birth", "zip", "sex"),
        ("FechaNacimiento", "Código Postal", "Sexo"),
        ("data_naixement", "codi postal", "sexe"),
        ("DateNaissance", "code_postal", "Sexe"),
        ("Geburtsdatum", "PLZ", "Geschlecht"),
        ("dt_nasc", "CEP", "gênero"),
        ("data di nascita", "CAP", "Sesso"),
        ("Data urodzenia", "Kod pocztowy", "Płeć"),
        ("FEC_NAC", "CP", "GENERO"),
    ],
)
def test_dates_of_birth_postal_codes_and_sexes_are_quasi_identifiers_in_eight_languages(birth, postal, sex):
    days = [f"{1940 + i % 60}-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N)]
    dataset = dataset_of({birth: days, postal: ZIPS, sex: SEXES, "x": ILLNESSES})
    assert {roles(dataset)[name] for name in (birth, postal, sex)} == {"quasi_identifier"}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("contact", [f"person{i}@example.org" for i in range(N)]),
        ("a", [f"+34 6{i:02d} {i * 7 % 1000:03d} {i * 3 % 1000:03d}" for i in range(N)]),
        ("b", [f"{i + 10_000_000}{'TRWAGMYFPDXBNJZSQVHLCKE'[(i + 10_000_000) % 23]}" for i in range(N)]),
        ("c", [f"{['María', 'Jordi', 'Anna', 'Hans'][i % 4]} {['Puig', 'Sala', 'Müller'][i % 3]}" for i in range(N)]),
        ("NHC", [100 + i // 3 for i in range(N)]),
        ("Vorname", [("Lena", "Uwe", "Anke", "Björn")[i % 4] for i in range(N)]),
        ("telefono_movil", [600_000_000 + i * 7919 for i in range(N)]),
        ("dirección", [f"Calle Mayor {i}" for i in range(N)]),
        ("observaciones", [f"El paciente número {i} dice que duele mucho" for i in range(N)]),
        ("row", list(range(1, N + 1))),
        ("guid", [f"{i:08x}-0000-4000-8000-{i:012x}" for i in range(N)]),
    ],
)  # fmt: skip
def test_direct_identifiers_are_seen_by_name_or_shape(name, values):
    assert roles(dataset_of({name: values, "age": AGES, "illness": ILLNESSES}))[name] == "identifier"


def test_a_number_of_children_and_the_name_of_a_hospital_identify_nobody_directly():
    dataset = dataset_of({"nombre enfants": [i % 4 for i in range(N)], "hospital_name": ["A", "B"] * 120, "age": AGES})
    found = roles(dataset)
    assert found["nombre enfants"] == "quasi_identifier"
    assert found["hospital_name"] != "identifier"


def test_rows_that_share_a_persons_number_propose_a_privacy_unit():
    advice = advise(
        dataset_of({"patient_id": [i // 3 for i in range(N)], "age": AGES, "illness": ILLNESSES}),
        np.random.default_rng(0),
    )
    assert advice["privacy_unit"]["column"] == advice["policy"]["privacy_unit"] == "patient_id"


def test_what_nobody_knows_yet_singles_out_is_a_quasi_identifier():
    dataset = dataset_of({"age": AGES, "sex": SEXES, "shoe": [35 + (i * i) % 37 for i in range(N)]})
    assert roles(dataset)["shoe"] == "quasi_identifier"


def test_choices_lose_more_the_larger_k_is():
    choices = advise(dataset_of({"age": AGES, "zip": ZIPS, "illness": ILLNESSES}), np.random.default_rng(0))["choices"]
    assert [choice["k"] for choice in choices] == [2, 3, 5, 10, 20, 50]
    assert all(choice["risk"] <= 1 / choice["k"] for choice in choices)
    assert choices[0]["loss"] < choices[-1]["loss"]


@pytest.mark.parametrize(
    "columns",
    [
        {"age": AGES, "zip": ZIPS, "sex": SEXES, "illness": ILLNESSES},
        {"x": [i / 7 for i in range(N)], "y": [i * i for i in range(N)], "z": ["a"] * N},
        {"age": AGES, "salary": [1000.5 + 13.7 * i for i in range(N)]},
        {"age": [30, 40, 50], "illness": ["flu", "flu", "none"]},
        {"birth": [f"{1 + i % 28:02d}/{1 + i % 12:02d}/{1940 + i % 60}" for i in range(N)], "illness": ILLNESSES},
        {"age": ["" if i % 5 == 0 else str(age) for i, age in enumerate(AGES)], "illness": [""] * N},
        {"text": [f"word{i % 70} other" for i in range(N)], "flag": ["true", "false"] * (N // 2)},
        {"lat": [41.3 + i / 1000 for i in range(N)], "lon": [2.1 + i / 1000 for i in range(N)], "x": ILLNESSES},
    ],
)
def test_the_policy_runs_unedited(columns):
    run(dataset_of(columns))


def test_one_row_or_nothing_but_identifiers_is_said_and_not_an_error():
    for columns in ({"age": [30], "sex": ["M"]}, {"email": [f"p{i}@example.org" for i in range(N)]}):
        advice = advise(dataset_of(columns), np.random.default_rng(0))
        parse_policy(advice["policy"])
        assert advice["warnings"]


def hierarchy(name: str, values: list[str]) -> object:
    """The hierarchy that is advised for a column, next to an age."""
    dataset = dataset_of({name: values, "age": AGES, "illness": ILLNESSES})
    return advise(dataset, np.random.default_rng(0))["policy"]["attributes"][name].get("hierarchy")


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("country", [("ES", "FR", "DE", "BR")[i % 4] for i in range(N)], {"kind": "countries"}),
        ("nationality", [("Spain", "France", "Peru", "Chad")[i % 4] for i in range(N)], {"kind": "countries"}),
        ("region", [("DE212", "DE213", "ES511", "FRK26")[i % 4] for i in range(N)], {"kind": "nuts"}),
        ("occupation", [("2221", "2211", "9112", "0110")[i % 4] for i in range(N)], {"kind": "isco08"}),
        ("Código Postal", ZIPS, {"kind": "postal_codes", "country": "ES"}),
        ("zip", [str(int(zip_) * 7) for zip_ in ZIPS], {"kind": "postal_codes", "country": "US"}),
        ("PLZ", [str(1000 + (i * 13) % 90) for i in range(N)], {"kind": "postal_codes", "country": "AT"}),
        ("postcode", [f"SW{1 + i % 9} {i % 10}AA" for i in range(N)], {"kind": "postal_codes", "country": "GB"}),
        ("country", [("ES", "FR", "DE", "Narnia")[i % 4] for i in range(N)], None),
        ("postcode", [str(100 + i % 40) for i in range(N)], {"kind": "mask"}),
    ],
)
def test_a_public_list_is_proposed_where_every_value_is_on_it(name, values, expected):
    assert hierarchy(name, values) == expected
    run(dataset_of({name: values, "age": AGES, "illness": ILLNESSES}))


def test_usual_age_groups_are_mentioned_beside_ages():
    advice = advise(dataset_of({"age": AGES, "illness": ILLNESSES}), np.random.default_rng(0))
    age = next(column for column in advice["columns"] if column["name"] == "age")
    assert any('"ages"' in warning for warning in age["warnings"])


def test_what_k_costs_in_a_large_table_is_tried_on_some_rows_and_said(monkeypatch):
    dataset = dataset_of({"age": AGES, "zip": ZIPS, "illness": ILLNESSES, "person": [i // 2 for i in range(N)]})
    whole = advise(dataset, np.random.default_rng(0))
    monkeypatch.setattr(choices, "MOST_TRIED", 120)
    monkeypatch.setattr(tables, "MOST_TRIED", 120)
    some = advise(dataset, np.random.default_rng(0))
    assert any("120 of the rows" in warning for warning in some["warnings"])
    assert not any("of the rows:" in warning for warning in whole["warnings"])
    losses = [{each["k"]: each["loss"] for each in advice["choices"]} for advice in (whole, some)]
    assert all(losses[1][k] >= losses[0][k] for k in set(losses[0]) & set(losses[1]))


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("Imię", "person_name"),
        ("Nazwisko", "person_name"),
        ("Data ur.", "birth_date"),
        ("DataUr", "birth_date"),
        ("rok_urodzenia", "birth_date"),
        ("Data urodzenia", "birth_date"),
        ("Płeć", "sex"),
        ("Kod pocztowy", "postal_code"),
        ("Nr pacjenta", "record_number"),
        ("Nr telefonu", "phone"),
        ("Miejscowość", "place"),
        ("Localidade", "place"),
    ],
)
def test_columns_of_a_polish_hospital_and_places_are_known_by_name(name: str, concept: str) -> None:
    assert read_name(name).concepts[0].name == concept


def test_words_of_one_language_do_not_take_those_of_another() -> None:
    """A latitude is no number of years (*lat*), and the day of an emergency is no birthday (*data ur.*)."""
    assert read_name("lat").concepts[0].name == "coordinate"
    assert "birth_date" not in [concept.name for concept in read_name("data_urgencies").concepts]


PEOPLE = [f"P{1 + i // 3:06d}" for i in range(N)]
UNEXPLAINED = {
    "numbered": PEOPLE,
    "by year": [f"20{10 + i % 9}/{(i * 7919) % 90_000:05d}" for i in range(N)],
    "random": [f"{(i // 3 * 2654435761) % 2**32:08x}" for i in range(N)],
    "a panel": [1000 + i % 60 for i in range(N)],
    "long numbers": [10_000_000 + (i // 2) * 7919 for i in range(N)],
    "wholes": [f"{1001 + i // 3}.0" for i in range(N)],
    "other letters": [("Петрова", "Иванов", "Сидоров", "Ковальчук")[i % 4] + str(i % 30) for i in range(N)],
}


@pytest.mark.parametrize("name", ["id_pessoa", "column7", "kod", "x"])
@pytest.mark.parametrize("kind", UNEXPLAINED)
def test_codes_of_people_are_identifiers_whatever_they_are_called(kind: str, name: str) -> None:
    released = roles(dataset_of({name: UNEXPLAINED[kind], "age": AGES, "illness": ILLNESSES}))[name]
    assert released == "identifier" or (kind, released) == ("wholes", "quasi_identifier")


def test_a_name_is_believed_more_than_codes_that_look_like_diagnoses() -> None:
    advice = advise(dataset_of({"id_pessoa": PEOPLE, "age": AGES, "illness": ILLNESSES}), np.random.default_rng(0))
    assert advice["privacy_unit"]["column"] == advice["policy"]["privacy_unit"] == "id_pessoa"


def test_codes_of_diagnoses_are_known_by_their_categories_and_by_being_shared() -> None:
    codes = [f"{letter}{number}.{place}" for letter in "EIJ" for number in (10, 25, 44) for place in range(4)]
    found = advise(dataset_of({"c": [codes[i % 36] for i in range(N)], "age": AGES}), np.random.default_rng(0))
    assert (found["columns"][0]["role"], "ICD-10" in found["columns"][0]["reason"]) == ("sensitive", True)


@pytest.mark.parametrize("names", [("person_a", "person_b"), ("source", "target"), ("x1", "x2"), ("от кого", "кому")])
def test_two_columns_with_the_same_codes_are_the_ends_of_edges(names: tuple[str, str]) -> None:
    first = [f"badge{1 + i % 31:03d}" for i in range(N)]
    second = [f"badge{1 + (7 * i) % 29:03d}" for i in range(N)]
    dataset = dataset_of({names[0]: first, names[1]: second, "hall": ["east", "west"] * (N // 2)})
    advice = advise(dataset, np.random.default_rng(0))
    assert {column["role"] for column in advice["columns"] if column["name"] in names} == {"identifier"}
    assert any("uploaded as a graph" in warning for warning in advice["warnings"])


def test_two_columns_with_the_same_categories_stay_what_they_are() -> None:
    towns = [f"Town {1 + (i * 7) % 25}" for i in range(N)]
    found = roles(dataset_of({"birth_place": towns, "residence": towns[::-1], "age": AGES, "illness": ILLNESSES}))
    assert {found["birth_place"], found["residence"]} == {"quasi_identifier"}


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("patiëntnummer", "record_number"),
        ("Födelsedatum", "birth_date"),
        ("Syntymäaika", "birth_date"),
        ("Rodné číslo", "national_id"),
        ("Születési idő", "birth_date"),
        ("TC Kimlik No", "national_id"),
        ("Номер пациента", "record_number"),
        ("Дата рождения", "birth_date"),
        ("Ονοματεπώνυμο", "person_name"),
        ("患者番号", "record_number"),
        ("生年月日", "birth_date"),
        ("person_b", "person_name"),
        ("patient 2", "record_number"),
    ],
)
def test_columns_are_known_in_further_languages_and_scripts(name: str, concept: str) -> None:
    assert read_name(name).concepts[0].name == concept


@pytest.mark.parametrize(
    "values",
    [("A. Lindqvist", "B.-M. Öberg", "K. Sund"), ("Dr. Yıldız", "Dr. Şahin"), ("Παπαδάκης, Ν.", "Λάμπρου, Ε.")],
)
def test_few_names_are_known_by_how_they_are_written(values: tuple[str, ...]) -> None:
    """The staff of an office, in a column that no word explains."""
    column = [values[i % len(values)] for i in range(N)]
    assert roles(dataset_of({"k7": column, "age": AGES, "illness": ILLNESSES}))["k7"] == "identifier"


def test_abbreviations_and_lists_are_no_names() -> None:
    columns = {"unit": [("approx.", "sq. m", "hrs", "pcs")[i % 4] for i in range(N)], "age": AGES}
    assert roles(dataset_of(columns))["unit"] == "insensitive"


FEW_PEOPLE = {
    "codes": [f"A{11 + n}" for n in range(10)],
    "mixed codes": ["9f3a1", "77b0c", "e41d2", "0c9ff", "b7a61", "3d5e8", "c2f04", "81ae9", "5b6d7", "f0c33"],
    "phones": [f"06{(n * 7919 + 12_345_678) % 10**8:08d}" for n in range(10)],
    "full names": [f"{first} {last}" for first in ("Wim", "Anke", "Joost") for last in ("Visser", "De Boer", "Mulder")],
}


@pytest.mark.parametrize("rows", [4, 20, 50])
@pytest.mark.parametrize("kind", FEW_PEOPLE)
def test_few_people_with_many_rows_each_are_seen_as_well(kind: str, rows: int) -> None:
    people = FEW_PEOPLE[kind]
    values = [people[(7 * n) % len(people)] for n in range(rows * len(people))]
    ages = [20 + n % 30 for n in range(len(values))]
    assert roles(dataset_of({"c1": values, "age": ages}))["c1"] == "identifier"


def test_numbers_of_which_every_row_has_its_own_are_not_released_as_the_ends_of_ranges() -> None:
    numbers = [f"{101_701_234 + 7919 * i},0" for i in range(N)]
    assert roles(dataset_of({"V1": numbers, "age": AGES, "illness": ILLNESSES}))["V1"] == "identifier"


def test_another_name_of_the_same_people_is_an_identifier() -> None:
    keys = [f"K{1000 + i % 12}" for i in range(N)]
    initials = [("ab", "bx", "cd", "dq", "ev", "fz", "gm", "hh", "ij", "jp", "kt", "lw")[i % 12] for i in range(N)]
    assert roles(dataset_of({"key": keys, "ini": initials, "age": AGES}))["ini"] == "identifier"
