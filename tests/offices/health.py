"""Files of hospitals, trials, insurers and social services."""

import random
from datetime import UTC, datetime, timedelta

from tests.offices.office import Office, Truth
from tests.offices.people import codes, comma, moment, names, people, repeats, some
from tests.offices.writing import delimited

ILLNESSES = ("I10", "E11.9", "J18.9", "K35.8", "S72.0", "I21.4", "N39.0", "C50.9", "F32.1", "M54.5", "J44.1", "A09")


def greek_hospital() -> Office:
    """Admissions with Greek headers, saved from a spreadsheet as Unicode; each ward ends with its sum."""
    chance = random.Random(2001)
    found = people(chance, "el", 340, 1930)
    numbers = codes(chance, 104_000, 188_000, len(found), "Α-{:06d}")
    doctors = [f"{person.family} {person.given[0]}." for person in people(chance, "el", 14)]
    header = (
        *("Α.Μ. Ασθενούς", "Ονοματεπώνυμο", "ΑΜΚΑ", "Ημ. Γέννησης", "Φύλο", "Τ.Κ.", "Ασφ. Ταμείο", "Κλινική"),
        *("Ημ. Εισαγωγής", "Ημέρες", "Διάγνωση (ICD-10)", "Θεράπων", "Κόστος €"),
    )
    wards = ("Παθολογική", "Χειρουργική", "Καρδιολογική", "Ορθοπεδική", "Μ.Ε.Θ.")
    groups: dict[str, list[tuple[str, ...]]] = {ward: [] for ward in wards}
    costs = dict.fromkeys(wards, 0.0)
    social = [f"{person.born:%d%m%y}{chance.randint(10000, 99999)}" for person in found]
    for place in repeats(chance, len(found), 5, 1.7):
        person, ward, cost = found[place], chance.choice(wards), chance.lognormvariate(7, 0.8)
        costs[ward] += cost
        groups[ward].append((
            *(numbers[place], f"{person.family} {person.given}", social[place], f"{person.born:%d/%m/%Y}"),
            *("Θ" if person.female else "Α", f"{104 + person.place} {31 + person.place % 4}"),
            *(chance.choice(["ΕΟΠΥΥ", "ΕΟΠΥΥ", "Ιδιωτική", "Ανασφ."]), ward, moment(chance, "%d/%m/%Y %H:%M")),
            *(f"{chance.randint(1, 30)}", some(chance, chance.choice(ILLNESSES), ["-"], 0.03), chance.choice(doctors)),
            comma(cost, 2, "."),
        ))  # fmt: skip
    rows: list[tuple[str, ...]] = []
    totals = []
    for ward in wards:
        rows += groups[ward]
        totals.append(len(rows))
        days = sum(int(row[9]) for row in groups[ward])
        rows.append((f"Σύνολο {ward}", *[""] * 8, str(days), "", "", comma(costs[ward], 2, ".")))
    totals.append(len(rows))
    rows.append(("ΓΕΝΙΚΟ ΣΥΝΟΛΟ", *[""] * 11, comma(sum(costs.values()), 2, ".")))
    truth = Truth(
        identifying=("Α.Μ. Ασθενούς", "Ονοματεπώνυμο", "ΑΜΚΑ", "Θεράπων"),
        known=("Ημ. Γέννησης", "Φύλο", "Τ.Κ.", "Ημ. Εισαγωγής"),
        sensitive=("Διάγνωση (ICD-10)", "Κόστος €", "Ημέρες"),
        harmless=("Κλινική", "Ασφ. Ταμείο"),
        unit="Α.Μ. Ασθενούς",
        missing=("-",),
        totals=tuple(totals),
        named=names(found, "{family} {given}"),
    )
    content = delimited([header, *rows], encoding="utf-16", above=("Γ.Ν. Αγία Άννα - Νοσηλείες 2023",))
    return Office("Greece", "hospital", "Greek", "nosileies_2023.csv", "utf-16", content, header, tuple(rows), truth)


def swedish_trial() -> Office:
    """Visits of a trial. Subjects are a letter of the site and three digits, like codes of illnesses."""
    chance = random.Random(2002)
    found = people(chance, "sv", 190, 1945, 2000)
    subjects = [f"{site}{number:03d}" for site, number in zip(
        chance.choices("ABCEGIJKMN", k=len(found)), chance.sample(range(1, 999), len(found)), strict=True
    )]  # fmt: skip
    header = (
        *("Försökspers.", "Init.", "Personnr", "Besök", "Besöksdatum", "Kön", "Ålder", "Arm", "Hb (g/L)", "Vikt kg"),
        *("Biverkning", "Prövare"),
    )
    doctors = [f"Dr {person.given} {person.family}" for person in people(chance, "sv", 6)]
    rows = []
    for place, person in enumerate(found):
        start = datetime(2022, 1, 10, tzinfo=UTC) + timedelta(days=chance.randrange(300))
        weight, arm, doctor = chance.gauss(78, 14), chance.choice(["Aktiv", "Placebo"]), chance.choice(doctors)
        number = f"{person.born:%Y%m%d}-{chance.randint(1000, 9999)}"
        for visit in range(1, 1 + chance.choice([2, 4, 5, 5])):
            day = start + timedelta(days=28 * visit + chance.randint(-3, 3))
            rows.append((
                *(subjects[place], f"{person.given[0]}{person.family[0]}", number, f"V{visit}", f"{day:%Y-%m-%d}"),
                *("K" if person.female else "M", f"{2022 - person.born.year}", arm),
                *(some(chance, comma(chance.gauss(138, 12), 0), ["-9"], 0.05),),
                *(some(chance, comma(weight + chance.gauss(0, 1), 1), ["-9", ""], 0.04),),
                *(chance.choice(["Nej", "Nej", "Nej", "Huvudvärk", "Illamående", "SAE"]), doctor),
            ))  # fmt: skip
    truth = Truth(
        identifying=("Försökspers.", "Init.", "Personnr", "Prövare"),
        known=("Kön", "Ålder", "Besöksdatum"),
        sensitive=("Hb (g/L)", "Vikt kg", "Biverkning", "Arm"),
        harmless=("Besök",),
        unit="Försökspers.",
        missing=("-9",),
        named=frozenset(doctors),
    )
    content = delimited([header, *rows], "\t", "utf-16")
    return Office(
        "Sweden", "clinical trial", "Swedish", "CRF_export.txt", "utf-16", content, header, tuple(rows), truth
    )


def portuguese_social_services() -> Office:
    """Support, up to three times each. People are P000001 …, like codes of illnesses; cases carry their year."""
    chance = random.Random(2003)
    found = people(chance, "pt", 460, 1932)
    numbers = codes(chance, 1, 1400, len(found), "P{:06d}")
    header = (
        *("id_pessoa", "n.º processo", "agregado", "dt_nasc", "sexo", "cód. postal", "freguesia", "tipo de apoio"),
        *("valor (EUR)", "dt_decisão", "técnico", "situação", "notas"),
    )
    workers = ["A. Lopes", "M.J.S.", "C. Brandão", "T. Simões", "R. Araújo", "I.C."]
    parishes = ("Arroios", "Benfica", "Campolide", "Marvila", "Olivais", "Santa Clara")
    rows = []
    for place in repeats(chance, len(found), 3, 1.9):
        person = found[place]
        note = chance.choice([
            *("", "", "aguarda documentos"),
            f"{person.given} {person.family} vive com a mãe; contactar pelo 91{chance.randint(1000000, 9999999)}",
            "reavaliar em 6 meses",
        ])  # fmt: skip
        rows.append((
            *(numbers[place], f"2023/{chance.randint(1, 99_999):05d}", f"AF-{place // 2 + 310}"),
            *(f"{person.born:%d-%m-%Y}", "F" if person.female else "M"),
            *(f"1{person.place:02d}0-{100 + person.place * 3}", parishes[person.place % 6]),
            *(chance.choice(["RSI", "Alimentar", "Renda", "Medicação"]), comma(chance.uniform(40, 620), 2)),
            *(moment(chance, "%d-%m-%Y"), chance.choice(workers)),
            *(some(chance, chance.choice(["desempr.", "reform.", "empreg.", "incap."]), ["NS/NR", "99"], 0.06), note),
        ))  # fmt: skip
    truth = Truth(
        identifying=("id_pessoa", "n.º processo", "agregado", "técnico", "notas"),
        known=("dt_nasc", "sexo", "cód. postal", "freguesia", "dt_decisão"),
        sensitive=("tipo de apoio", "valor (EUR)", "situação"),
        unit="id_pessoa",
        texts=("notas",),
        missing=("NS/NR", "99"),
        named=names(found),
    )
    content = delimited([header, *rows], encoding="utf-8-sig")
    return Office(
        "Portugal", "social services", "Portuguese", "apoios.csv", "utf-8-sig", content, header, tuple(rows), truth
    )


def indian_insurer() -> Office:
    """Claims for cars: masked Aadhaar, plates, amounts in lakhs, and a comma at the end of every row."""
    chance = random.Random(2004)
    found = people(chance, "hi", 380, 1950, 2003)
    header = (
        *(
            "Sr. No.",
            "Claim No",
            "Policy No",
            "Insured's Name",
            "Aadhaar (masked)",
            "DOB",
            "Gender",
            "PIN",
            "Regn. No.",
        ),
        *("Chassis No", "Date of Loss", "Nature of Loss", "Claim Amt (Rs.)", "Surveyor", "Status"),
    )
    surveyors = [f"{person.given[0]}. {person.family}" for person in people(chance, "hi", 8)]
    policies = codes(chance, 10_000_000, 99_999_999, len(found), "OG-23-{}")
    rows: list[tuple[str, ...]] = []
    total = 0
    for place in repeats(chance, len(found), 4, 1.4):
        person, amount = found[place], chance.randint(4_000, 480_000)
        total += amount
        rows.append((
            *(f"{len(rows) + 1}", f"2023/{chance.randint(1, 99_999):05d}", policies[place]),
            *(f"{person.given} {person.family}", f"XXXX XXXX {(place * 7919) % 10_000:04d}", f"{person.born:%d-%b-%Y}"),
            *("F" if person.female else "M", f"4110{person.place + 1:02d}"),
            *(f"MH {12 + place % 3} {'ABCDEFGH'[place % 8]}{'KLMN'[place % 4]} {(place * 31) % 9000 + 1000}",),
            *(f"MA3{'EWB'[place % 3]}{(place * 104_729) % 10**9:09d}", moment(chance, "%d-%m-%Y")),
            *(chance.choice(["Own damage", "Third party", "Theft", "Fire", "Flood"]), _lakhs(amount)),
            *(chance.choice(surveyors), chance.choice(["Settled", "Pending", "Repudiated"])),
        ))  # fmt: skip
    rows.append(("", "Grand Total", *[""] * 10, _lakhs(total), "", ""))
    truth = Truth(
        identifying=(
            *("Sr. No.", "Claim No", "Policy No", "Insured's Name", "Aadhaar (masked)", "Regn. No.", "Chassis No"),
            "Surveyor",
        ),
        known=("DOB", "Gender", "PIN", "Date of Loss"),
        sensitive=("Claim Amt (Rs.)", "Status"),
        harmless=("Nature of Loss",),
        unit="Policy No",
        totals=(len(rows) - 1,),
        named=names(found),
    )
    content = delimited([header, *rows], ",", trailing=True)
    return Office(
        "India", "insurance claims", "English", "Motor_Claims_FY23.csv", "utf-8", content, header, tuple(rows), truth
    )


def _lakhs(amount: int) -> str:
    """An amount as India groups it: 1,23,456.00."""
    head, tail = divmod(amount, 1000)
    groups = []
    while head:
        head, last = divmod(head, 100)
        groups.insert(0, f"{last:02d}" if head else f"{last}")
    return ",".join([*groups, f"{tail:03d}" if groups else f"{tail}"]) + ".00"
