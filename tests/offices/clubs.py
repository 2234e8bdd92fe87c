"""Files of a library and of a club."""

import random

from tests.offices.office import Office, Truth
from tests.offices.people import codes, moment, people, repeats, some
from tests.offices.writing import delimited, workbook


def italian_loans() -> Office:
    """Loans: from one to forty for each reader, with cards that end in a check letter."""
    chance = random.Random(6001)
    found = people(chance, "it", 140, 1945, 2014)
    cards = [
        f"{number}{'ABCDEFGHILMNOPQRSTUVZ'[int(number) % 21]}" for number in codes(chance, 20_121, 20_999, len(found))
    ]
    header = (
        *("Tessera", "Cod. fiscale", "Lettore", "Anno nasc.", "CAP", "Collocazione", "Titolo", "Data prestito"),
        *("Restituzione", "Biblioteca", "Operatore"),
    )
    titles = (
        "I promessi sposi",
        "Storia di Milano",
        "Vivere con l'ansia",
        "Il diabete a tavola",
        "Cucina veneta",
        "Pinocchio",
    )
    fiscal = [
        f"{person.family[:3].upper():X<3}{person.given[:3].upper()}{person.born.year % 100:02d}A{person.born.day:02d}"
        f"F205{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[place % 26]}"
        for place, person in enumerate(found)
    ]
    rows = []
    for place in repeats(chance, len(found), 40, 8):
        person = found[place]
        book = chance.randrange(len(titles))
        rows.append((
            *(cards[place], fiscal[place], f"{person.family.upper()} {person.given}", f"{person.born.year}"),
            *(f"{20121 + person.place}", f"{800 + book * 9},{book} {titles[book][:3].upper()}", titles[book]),
            *(moment(chance, "%d/%m/%Y", days=180),),
            *(some(chance, moment(chance, "%d/%m/%Y", "2023-07-01", 180), ["", "in corso"], 0.1),),
            *(chance.choice(["Centrale", "Sormani", "Affori"]), chance.choice(["op1", "op2", "mcolombo"])),
        ))  # fmt: skip
    truth = Truth(
        identifying=("Tessera", "Cod. fiscale", "Lettore", "Operatore"),
        known=("Anno nasc.", "CAP", "Data prestito", "Restituzione"),
        sensitive=("Titolo", "Collocazione"),
        harmless=("Biblioteca",),
        unit="Tessera",
        missing=("in corso",),
        named=frozenset(f"{person.family.upper()} {person.given}" for person in found),
    )
    content = delimited([header, *rows], "\t", "utf-8")
    return Office("Italy", "library loans", "Italian", "prestiti.tsv", "utf-8", content, header, tuple(rows), truth)


def romanian_club() -> Office:
    """Members in a workbook: serial numbers, membership numbers that look like dates, trainers, and the total."""
    chance = random.Random(6002)
    found = people(chance, "ro", 240, 1975, 2014)
    sections = ("Atletism", "Înot", "Judo", "Șah", "Tenis")
    trainers = [f"{person.family} {person.given}" for person in people(chance, "ro", 5, 1970, 1990)]
    header = (
        *("Nr. crt.", "Nr. legitimație", "Nume și prenume", "CNP", "Data nașterii", "Sex", "Localitate", "Secția"),
        *("Categoria", "Antrenor", "Telefon", "E-mail", "Viză med.", "Cotizație (lei)"),
    )
    rows: list[tuple[str, ...]] = []
    paid = 0
    for number, person in enumerate(found, 1):
        fee, which = chance.choice([50, 80, 120]), chance.randrange(5)
        paid += fee
        member = f"20{chance.randint(5, 23):02d}{chance.randint(1, 12):02d}{number % 28 + 1:02d}"
        mail = f"{person.given}.{person.family}{number}@exemplu.ro".lower()
        rows.append((
            *(f"{number}", member, f"{person.family.upper()} {person.given}"),
            *(f"{6 if person.female else 5}{person.born:%y%m%d}{chance.randint(100_000, 999_999)}",),
            *(f"{person.born:%d.%m.%Y}", "F" if person.female else "M"),
            *(("Cluj-Napoca", "Florești", "Turda", "Dej")[person.place % 4], sections[which]),
            *(chance.choice(["U12", "U16", "Seniori"]), trainers[which], f"07{chance.randint(20_000_000, 79_999_999)}"),
            *(some(chance, mail, ["-", ""], 0.3), chance.choice(["apt", "apt", "astm", "lipsă"]), f"{fee}"),
        ))  # fmt: skip
    rows.append(("TOTAL", "", f"{len(found)} sportivi", *[""] * 10, f"{paid}"))
    truth = Truth(
        identifying=("Nr. crt.", "Nr. legitimație", "Nume și prenume", "CNP", "Antrenor", "Telefon", "E-mail"),
        known=("Data nașterii", "Sex", "Localitate"),
        sensitive=("Viză med.",),
        harmless=("Secția", "Categoria", "Cotizație (lei)"),
        missing=("-", "lipsă"),
        totals=(len(rows) - 1,),
        named=frozenset(row[2] for row in rows[:-1]) | frozenset(trainers),
    )
    title = ("CLUBUL SPORTIV VICTORIA - tabel nominal sportivi 2023", *[""] * 13)
    content = workbook([title, [""] * 14, header, *rows], "Sportivi", numeric=(0, 1, 13))
    return Office("Romania", "sports club", "Romanian", "tabel_nominal.xlsx", "", content, header, tuple(rows), truth)
