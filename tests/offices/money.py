"""Files about money and meters: a tax office, a bank, a personnel department, a supplier of energy."""

import random

from tests.offices.office import Office, Truth
from tests.offices.people import codes, comma, moment, names, people, repeats, some
from tests.offices.writing import delimited, workbook


def french_taxes() -> Office:
    """Notices of a commune, with title lines above and the total below."""
    chance = random.Random(3001)
    found = people(chance, "fr", 520, 1934, 2002)
    header = (
        *("Numéro fiscal", "Réf. avis", "Nom Prénom(s)", "Date de naissance", "Adresse", "Code postal", "Sit. fam."),
        *("Nb parts", "Rev. fiscal de réf.", "Impôt net", "Tél.", "Mensualisé"),
    )
    streets = ("rue des Lilas", "av. de la République", "chemin du Moulin", "impasse Pasteur", "bd Gambetta")
    rows: list[tuple[str, ...]] = []
    income = due = 0
    for person in found:
        revenue = round(chance.lognormvariate(10.2, 0.5))
        tax = max(0, round((revenue - 14_000) * 0.11))
        income, due = income + revenue, due + tax
        phone = f"0{chance.choice('67')} " + " ".join(f"{chance.randint(0, 99):02d}" for _ in range(4))
        rows.append((
            *(f"{chance.randint(1, 3)}{chance.randint(10**11, 10**12 - 1)}",),
            *(f"23 75 {chance.choice('AB')}{chance.randint(10**6, 10**7 - 1)} {chance.randint(10, 99)}",),
            *(f"{person.family.upper()} {person.given}", f"{person.born:%d/%m/%Y}"),
            *(f"{chance.randint(1, 180)} {chance.choice(streets)}", f"{1000 + 10 * person.place:05d}"),
            *(chance.choice("CMDVO"), comma(chance.choice([1, 1, 1.5, 2, 2.5, 3]), 1), comma(revenue, 0, " ")),
            *(comma(tax, 0, " "), some(chance, phone, ["", "n.c."], 0.2), chance.choice(["oui", "non"])),
        ))  # fmt: skip
    rows.append(("TOTAL", *[""] * 7, comma(income, 0, " "), comma(due, 0, " "), "", ""))
    truth = Truth(
        identifying=("Numéro fiscal", "Réf. avis", "Nom Prénom(s)", "Adresse", "Tél."),
        known=("Date de naissance", "Code postal", "Sit. fam."),
        sensitive=("Rev. fiscal de réf.", "Impôt net"),
        harmless=("Nb parts", "Mensualisé"),
        missing=("n.c.",),
        totals=(len(rows) - 1,),
        named=frozenset(f"{person.family.upper()} {person.given}" for person in found),
    )
    above = ("Centre des finances publiques - SIP", "Extraction du 17/04/2023;;;;;;;;;;;", "")
    content = delimited([header, *rows], encoding="latin-1", above=above)
    return Office("France", "tax", "French", "IR2023_avis.csv", "latin-1", content, header, tuple(rows), truth)


def polish_bank() -> Office:
    """Transfers: accounts on both sides, titles that name people, and clients whose numbers were written as money."""
    chance = random.Random(3002)
    found = people(chance, "pl", 150, 1945, 2003)
    others = people(chance, "pl", 600, 1940, 2003)
    accounts, partners = ([_account(chance) for _ in group] for group in (found, others))
    clients = [comma(float(number), 2, " ") for number in codes(chance, 10_400, 98_700, len(found))]
    header = (
        *("Nr klienta", "Rachunek", "Data księg.", "Kwota", "Wal.", "Saldo po op.", "Rachunek kontrahenta"),
        *("Nazwa kontrahenta", "Tytuł operacji", "Typ", "Oddział", "Płeć", "Rok ur.", "Kod poczt."),
    )
    rows = []
    for place in repeats(chance, len(found), 40, 9):
        person, partner = found[place], chance.randrange(len(others))
        other = others[partner]
        title = chance.choice([
            f"czynsz za {chance.randint(1, 12)}/2023, {person.given} {person.family}",
            f"dla {other.given} {other.family} - urodziny",
            *("zakupy", "opłata za energię", "zwrot"),
        ])  # fmt: skip
        rows.append((
            *(clients[place], accounts[place], moment(chance, "%d.%m.%Y %H:%M")),
            *(comma(chance.choice([-1, -1, 1]) * chance.lognormvariate(5, 1), 2, " "), "PLN"),
            *(comma(chance.lognormvariate(8, 0.7), 2, " "), partners[partner], f"{other.family} {other.given}", title),
            *(chance.choice(["PRZ", "BLIK", "KARTA"]), f"O/{person.place % 5 + 1}", "K" if person.female else "M"),
            *(f"{person.born.year}", f"0{person.place % 4}-{300 + 25 * person.place}"),
        ))  # fmt: skip
    truth = Truth(
        identifying=(*("Nr klienta", "Rachunek", "Rachunek kontrahenta", "Nazwa kontrahenta", "Tytuł operacji"),),
        known=("Płeć", "Rok ur.", "Kod poczt.", "Data księg."),
        sensitive=("Kwota", "Saldo po op."),
        harmless=("Wal.", "Typ", "Oddział"),
        unit="Nr klienta",
        texts=("Tytuł operacji",),
        named=names([*found, *others]) | names(others, "{family} {given}"),
    )
    content = delimited([header, *rows], encoding="cp1250")
    return Office(
        "Poland", "bank transactions", "Polish", "historia_op.csv", "cp1250", content, header, tuple(rows), truth
    )


def _account(chance: random.Random) -> str:
    return f"{chance.randint(10, 99)} " + " ".join(f"{chance.randint(0, 9999):04d}" for _ in range(6))


def german_personnel() -> Office:
    """A workbook with a title, a row of groups above the header, superiors by name, and the sum below."""
    chance = random.Random(3003)
    found = people(chance, "de", 280, 1958, 2003)
    header = (
        *("Pers.-Nr.", "Name, Vorname", "Geb.-Dat.", "Geschl.", "PLZ", "Eintritt", "Abteilung", "EG", "Brutto mtl. €"),
        *("Krankh.-tage", "GdB", "Vorgesetzte/r", "Konfession", "Bemerkung"),
    )
    superiors = [f"{person.family}, {person.given}" for person in found[:9]]
    sections = ("Einkauf", "Vertrieb", "IT", "Personal", "Werk 1", "Werk 2")
    numbers = codes(chance, 1001, 9899, len(found), "{}.0")
    rows: list[tuple[str, ...]] = []
    pay = ill = 0
    for number, person in zip(numbers, found, strict=True):
        gross, days = chance.randint(2300, 7400), int(chance.expovariate(0.1))
        pay, ill = pay + gross, ill + days
        remark = chance.choice([
            *("", "", "", "Teilzeit 50 %"),
            f"Vertretung für {chance.choice(superiors)}",
            f"Elternzeit, Frau {person.family} kommt im Mai zurück",
        ])  # fmt: skip
        rows.append((
            *(number, f"{person.family}, {person.given}", f"{person.born:%d.%m.%Y}", "w" if person.female else "m"),
            *(f"{70173 + person.place * 2}", moment(chance, "%d.%m.%Y", "1995-01-01", 10_000), chance.choice(sections)),
            *(f"E{chance.randint(5, 13)}", f"{gross}", f"{days}", some(chance, "", ["30", "50", "80"], 0.08)),
            *(chance.choice(superiors), some(chance, chance.choice(["rk", "ev", "-"]), ["k.A."], 0.2), remark),
        ))  # fmt: skip
    rows.append(("Summe", *[""] * 7, f"{pay}", f"{ill}", *[""] * 4))
    truth = Truth(
        identifying=("Pers.-Nr.", "Name, Vorname", "Vorgesetzte/r", "Bemerkung"),
        known=("Geb.-Dat.", "Geschl.", "PLZ", "Eintritt"),
        sensitive=("Brutto mtl. €", "Krankh.-tage", "GdB", "Konfession"),
        harmless=("Abteilung", "EG"),
        texts=("Bemerkung",),
        missing=("k.A.", "-"),
        totals=(len(rows) - 1,),
        named=names(found, "{family}, {given}") | names(found, "Frau {family}"),
    )
    groups = ("Person", *[""] * 4, "Beschäftigung", *[""] * 3, "Fehlzeiten", "", "Sonstiges", "", "")
    title = ("Personalliste Stand 31.03.2023 - vertraulich", *[""] * 13)
    content = workbook([title, [""] * 14, groups, header, *rows], "Liste", numeric=(0, 4, 8, 9, 10))
    return Office("Germany", "personnel", "German", "Personalliste_2023.xlsx", "", content, header, tuple(rows), truth)


def czech_meters() -> Office:
    """Readings of electricity, with an empty column that has no name, and the sums of every town."""
    chance = random.Random(3004)
    found = people(chance, "cs", 130, 1938, 2000)
    points = codes(chance, 100_000_000, 999_999_999, len(found), "859182400{}")
    serials = codes(chance, 1_000_000, 9_999_999, len(found), "ZPA{}")
    places = [(49.19 + chance.uniform(-0.08, 0.08), 16.6 + chance.uniform(-0.1, 0.1)) for _ in found]
    header = (
        *(
            "EAN OPM",
            "Sériové č.",
            "Zákazník",
            "Obec",
            "PSČ",
            "GPS š.",
            "GPS d.",
            "Datum odečtu",
            "VT (kWh)",
            "NT (kWh)",
        ),
        *("Sazba", "Jistič", ""),
    )
    towns = ("Brno", "Kuřim", "Šlapanice", "Modřice")
    groups: dict[str, list[tuple[str, ...]]] = {town: [] for town in towns}
    sums = dict.fromkeys(towns, 0.0)
    for place, person in enumerate(found):
        town = towns[person.place % 4]
        rate, breaker = chance.choice(["D02d", "D25d", "D57d"]), chance.choice(["3x16 A", "3x25 A", "1x25 A"])
        for month in range(chance.choice([4, 8, 12])):
            used = chance.lognormvariate(5, 0.4)
            sums[town] += used
            groups[town].append((
                *(points[place], serials[place], f"{person.family} {person.given}", town, f"6{person.place:02d} 00"),
                *(comma(places[place][0], 5), comma(places[place][1], 5)),
                *(f"{chance.randint(1, 5):02d}.{month + 1:02d}.2023",),
                *(comma(used), some(chance, comma(used * chance.uniform(0.2, 0.9)), ["-"], 0.1), rate, breaker, ""),
            ))  # fmt: skip
    rows: list[tuple[str, ...]] = []
    totals = []
    for town in towns:
        rows += groups[town]
        totals.append(len(rows))
        rows.append(("Celkem", "", "", town, "", "", "", "", comma(sums[town], 2, " "), "", "", "", ""))
    truth = Truth(
        identifying=("EAN OPM", "Sériové č.", "Zákazník", "GPS š.", "GPS d."),
        known=("PSČ", "Obec"),
        sensitive=("VT (kWh)", "NT (kWh)"),
        harmless=("Sazba", "Jistič", "Datum odečtu", ""),
        unit="EAN OPM",
        missing=("-",),
        totals=tuple(totals),
        named=names(found, "{family} {given}"),
    )
    content = delimited([header, *rows], encoding="iso8859-2")
    return Office(
        "Czechia", "energy meters", "Czech", "odecty_2023.csv", "iso8859-2", content, header, tuple(rows), truth
    )
