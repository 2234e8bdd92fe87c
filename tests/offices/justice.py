"""Files of authorities: police, a court, a register of voters."""

import random

from tests.offices.office import Office, Truth
from tests.offices.people import checked, codes, moment, names, people, repeats, some
from tests.offices.writing import delimited


def british_police() -> Office:
    """Incidents, exported by a program that wrote ids as floats, with narratives, plates and coordinates of homes."""
    chance = random.Random(4001)
    found = people(chance, "en", 210, 1950, 2007)
    victims = people(chance, "en", 500, 1940, 2005)
    nominals = codes(chance, 10_000, 99_999, len(found), "{}.0")
    homes = [(53.79 + chance.uniform(-0.05, 0.05), -1.54 + chance.uniform(-0.08, 0.08)) for _ in found]
    plates = [
        f"Y{chance.choice('ABCDEJ')}{chance.randint(10, 23)} {''.join(chance.choices('ABDEKLMRX', k=3))}" for _ in found
    ]
    header = (
        *("Crime Ref", "Nominal ID", "DoB", "Sex", "Self-defined Eth.", "Postcode", "Home Lat", "Home Long", "VRM"),
        *("Offence", "Date/Time", "Ward", "OIC Collar No", "Victim", "MO / Narrative", "Outcome"),
    )
    collars = codes(chance, 1000, 7999, 30)
    rows = []
    for place in repeats(chance, len(found), 12, 3.2):
        person, victim, witness = found[place], chance.choice(victims), chance.choice(victims)
        hurt = f"{victim.given} {victim.family}"
        story = chance.choice([
            f"{person.given} {person.family} stopped on foot, known to officers",
            f"IP {hurt} states that male entered by rear window",
            *("Item removed without payment", "Vehicle stopped, no insurance"),
            f"Witness {witness.given} {witness.family} called at address",
        ])  # fmt: skip
        rows.append((
            *(f"13{chance.randint(230_000_000, 239_999_999)}", nominals[place], f"{person.born:%d/%m/%Y}"),
            *("F" if person.female else "M", some(chance, chance.choice(["W1", "W1", "A2", "B1", "M1"]), ["NS"], 0.08)),
            *(f"LS{person.place + 1} {place % 9 + 1}{'ABDEFG'[place % 6]}{'HJLN'[place % 4]}",),
            *(f"{homes[place][0]:.6f}", f"{homes[place][1]:.6f}", some(chance, plates[place], ["", "N/K"], 0.5)),
            *(chance.choice(["Theft", "Burglary", "Assault", "Drugs", "Motoring"]), moment(chance, "%d/%m/%Y %H:%M")),
            *(chance.choice(["Headingley", "Armley", "Beeston", "Roundhay"]), chance.choice(collars), hurt, story),
            chance.choice(["Charged", "NFA", "Caution", "Ongoing"]),
        ))  # fmt: skip
    truth = Truth(
        identifying=(
            *("Crime Ref", "Nominal ID", "Home Lat", "Home Long", "VRM", "OIC Collar No", "Victim", "MO / Narrative"),
        ),
        known=("DoB", "Sex", "Self-defined Eth.", "Postcode", "Date/Time"),
        sensitive=("Offence", "Outcome"),
        harmless=("Ward",),
        unit="Nominal ID",
        texts=("MO / Narrative",),
        missing=("NS", "N/K"),
        named=names([*found, *victims]),
    )
    content = delimited([header, *rows], ",", "utf-8-sig")
    return Office(
        "United Kingdom", "police", "English", "niche_extract.csv", "utf-8-sig", content, header, tuple(rows), truth
    )


def american_court() -> Office:
    """A docket: parties whose numbers have five digits like a ZIP code, and a comma at the end of every row."""
    chance = random.Random(4002)
    found = people(chance, "en", 300, 1940, 2005)
    numbers = codes(chance, 1_000, 99_999, len(found), "{:05d}")
    judges = ("Hon. R. Whitfield", "Hon. M. Castellano", "Hon. D. Okafor")
    lawyers = [f"{person.given} {person.family}, Esq." for person in people(chance, "en", 25)]
    header = (
        *("CASE NO", "PARTY ID", "PARTY NAME", "DOB", "SSN4", "RACE/SEX", "ZIP", "FILED", "CHARGE", "DISP", "FINE $"),
        *("ATTY", "JUDGE"),
    )
    rows = []
    for place in repeats(chance, len(found), 6, 2):
        person = found[place]
        rows.append((
            *(f"2023-CV-{chance.randint(1, 999_999):06d}", numbers[place]),
            *(f"{person.family.upper()}, {person.given.upper()} {'ABCDEFGHJKLM'[place % 12]}.",),
            *(f"{person.born:%m/%d/%Y}", f"{place * 7919 % 10_000:04d}"),
            *(f"{'WBHA'[place % 4]}/{'F' if person.female else 'M'}",),
            *(f"{2108 + person.place}", moment(chance, "%m/%d/%y")),
            *(chance.choice(["DUI", "EVICTION", "SMALL CLAIMS", "TRESPASS"]),),
            *(some(chance, chance.choice(["GUILTY", "DISMISSED", "SETTLED"]), ["PEND", "*"], 0.1),),
            *(f"{chance.choice([0, 0, 50, 150, 500, 1250]):,}.00", chance.choice(lawyers), chance.choice(judges)),
        ))  # fmt: skip
    truth = Truth(
        identifying=("CASE NO", "PARTY ID", "PARTY NAME", "SSN4", "ATTY", "JUDGE"),
        known=("DOB", "RACE/SEX", "ZIP", "FILED"),
        sensitive=("CHARGE", "DISP", "FINE $"),
        unit="PARTY ID",
        missing=("PEND", "*"),
        named=frozenset(row[2] for row in rows) | frozenset(lawyers),
    )
    content = delimited([header, *rows], ",", trailing=True)
    return Office("United States", "court", "English", "DOCKET_2023.CSV", "utf-8", content, header, tuple(rows), truth)


def bulgarian_voters() -> Office:
    """Voters of some sections with Cyrillic headers; serial numbers begin again in every section."""
    chance = random.Random(4003)
    found = people(chance, "bg", 640, 1930, 2005)
    header = (
        *("№ по ред", "Секция №", "ЕГН", "Име и фамилия", "Пол", "Дата на раждане", "Адрес", "Гласувал", "Час"),
        *("Документ", "Забележка"),
    )
    streets = ("ул. Роза", "ул. Шипка", "бул. Витоша", "ул. Иван Вазов", "ж.к. Младост")
    found.sort(key=lambda person: (person.place % 6, person.family, person.given))
    counts: dict[int, int] = {}
    rows = []
    for person in found:
        section = person.place % 6
        counts[section] = counts.get(section, 0) + 1
        voted, escort = chance.random() < 0.55, chance.choice(found)
        letter = checked(chance.randint(100_000_000, 999_999_999), "АВЕКМНОРСТ")
        rows.append((
            *(f"{counts[section]}", f"2246090{section:02d}", f"{person.born:%y%m%d}{chance.randint(1000, 9999)}"),
            *(f"{person.given} {person.family}", "Ж" if person.female else "М", f"{person.born:%d.%m.%Y} г."),
            *(f"{chance.choice(streets)} {chance.randint(1, 90)}, ет. {chance.randint(1, 8)}", "да" if voted else "не"),
            *(f"{chance.randint(7, 19):02d}:{chance.randint(0, 59):02d}" if voted else "-", letter),
            some(chance, "", [f"с придружител {escort.given} {escort.family}", "увреждане"], 0.08),
        ))  # fmt: skip
    truth = Truth(
        identifying=("№ по ред", "ЕГН", "Име и фамилия", "Адрес", "Документ", "Забележка"),
        known=("Пол", "Дата на раждане"),
        sensitive=("Гласувал",),
        harmless=("Секция №", "Час"),
        texts=("Забележка",),
        missing=("-",),
        named=names(found),
    )
    content = delimited([header, *rows], "\t", "cp1251", above=("Избирателен списък - част I",))
    return Office(
        "Bulgaria", "elections register", "Bulgarian", "spisak.tsv", "cp1251", content, header, tuple(rows), truth
    )
