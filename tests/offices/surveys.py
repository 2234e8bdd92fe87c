"""Files of those who ask people: a panel with waves, a survey of sixty columns, friendships in a school."""

import random

from tests.offices.office import Office, Truth
from tests.offices.people import checked, codes, comma, names, people, some
from tests.offices.writing import delimited


def dutch_panel() -> Office:
    """Up to four waves. Respondents are numbers with gaps, households look like postal codes, and every row ends with
    a delimiter."""
    chance = random.Random(1001)
    found = people(chance, "nl", 420, 1938)
    numbers = codes(chance, 800_000, 899_999, len(found))
    homes = [f"{chance.randint(1000, 9999)}{''.join(chance.choices('ABCDEGHJKLMNPRSTVWXZ', k=2))}" for _ in range(260)]
    header = (
        *("nomem_encr", "hhcode", "golf", "geslacht", "gebjaar", "pc4", "burgstaat", "opleiding_cbs", "nettoink"),
        *("tevreden_leven", "gezondheid", "stemgedrag", "gewicht"),
    )
    rows = []
    for place, person in enumerate(found):
        home = homes[place % len(homes)]
        code = f"{3500 + person.place * 7}"
        fixed = ("vrouw" if person.female else "man", str(person.born.year), code, chance.choice("12345"))
        for wave in range(1, 1 + chance.choice([1, 3, 4, 4])):
            income = some(chance, comma(chance.lognormvariate(7.6, 0.4)), ["-9", "99999"], 0.08)
            rows.append((
                *(numbers[place], home, f"{wave}", *fixed, chance.choice("123456"), income),
                *(some(chance, f"{chance.randint(1, 10)}", ["99"], 0.05),),
                *(some(chance, chance.choice("12345"), ["-8"], 0.03),),
                *(some(chance, chance.choice(["VVD", "PVV", "D66", "GL-PvdA", "CDA", "niet"]), ["k.A."], 0.1),),
                comma(chance.uniform(0.3, 2.7), 4),
            ))  # fmt: skip
    truth = Truth(
        identifying=("nomem_encr", "hhcode"),
        known=("geslacht", "gebjaar", "pc4", "burgstaat", "opleiding_cbs"),
        sensitive=("nettoink", "gezondheid", "stemgedrag", "tevreden_leven"),
        harmless=("golf", "gewicht"),
        unit="nomem_encr",
        missing=("-9", "99999", "99", "-8", "k.A."),
    )
    content = delimited([header, *rows], encoding="cp1252", trailing=True)
    return Office("Netherlands", "panel", "Dutch", "panel_golf1-4.csv", "cp1252", content, header, tuple(rows), truth)


def hungarian_survey() -> Office:
    """Sixty columns. Respondents are numbers that look like years, and some leave an address for the prize draw."""
    chance = random.Random(1002)
    found = people(chance, "hu", 260, 1940)
    numbers = codes(chance, 1800, 2190, len(found))
    header = (
        *("kérdőív azonosító", "kérdezőbiztos", "nem", "szül. év", "irsz.", "isk. végz.", "nettó jöv. (eFt)"),
        *(f"K{block}_{item}" for block in range(1, 9) for item in range(1, 7)),
        *("Megjegyzés", "E-mail (sorsolás)", "vallás", "pártpreferencia", "súly"),
    )
    askers = [f"{person.family} {person.given}" for person in people(chance, "hu", 9)]
    rows = []
    for number, person in zip(numbers, found, strict=True):
        name = f"{person.family} {person.given}"
        note = chance.choice(["", "", "", f"{name} férje is válaszolt", f"visszahívni: {name}, délután", "sietett"])
        handle = f"{person.given}.{person.family}{person.born.year % 100:02d}".lower()
        rows.append((
            *(number, chance.choice(askers), "Nő" if person.female else "Férfi", f"{person.born.year}"),
            *(f"{1011 + 10 * person.place}", chance.choice("12345"), comma(chance.lognormvariate(5.7, 0.5), 1, " ")),
            *(some(chance, f"{chance.randint(1, 5)}", ["9", "NV"], 0.06) for _ in range(48)),
            *(note, some(chance, f"{handle}@pelda.hu", ["", "-"], 0.4)),
            *(chance.choice(["r.kat.", "ref.", "ev.", "nincs"]),),
            *(chance.choice(["A párt", "B párt", "C párt", "NT/NV"]), comma(chance.uniform(0.4, 2.2), 3)),
        ))  # fmt: skip
    truth = Truth(
        identifying=("kérdőív azonosító", "kérdezőbiztos", "Megjegyzés", "E-mail (sorsolás)"),
        known=("nem", "szül. év", "irsz.", "isk. végz."),
        sensitive=("nettó jöv. (eFt)", "vallás", "pártpreferencia"),
        harmless=(*(name for name in header if name.startswith("K") and "_" in name), "súly"),
        texts=("Megjegyzés",),
        missing=("9", "NV", "-", "NT/NV"),
        named=names(found, "{family} {given}") | frozenset(askers),
    )
    content = delimited([header, *rows], encoding="cp1250")
    return Office(
        "Hungary", "survey", "Hungarian", "felmeres_2023_v3.csv", "cp1250", content, header, tuple(rows), truth
    )


def turkish_friendships() -> Office:
    """Who names whom as a friend: an edge list, though its columns look like those of a table."""
    chance = random.Random(1003)
    found = people(chance, "tr", 310, 2006, 2011)
    numbers = codes(chance, 1200, 4900, len(found))
    handles = [f"@{person.given}_{chance.randint(1, 99)}" for person in found]
    header = ("Öğrenci No", "Arkadaş No", "Arkadaşın Instagram'ı", "Sınıf", "Yakınlık (1-5)", "Görüşme Sıklığı")
    rows = []
    for place, number in enumerate(numbers):
        near = [other for other in range(len(found)) if other != place and other % 12 == place % 12]
        for other in chance.sample(near, chance.randint(1, 6)):
            shown = some(chance, handles[other], ["", "yok"], 0.5)
            often = chance.choice(["her gün", "haftada bir", "ayda bir"])
            group = f"{9 + place % 4}/{'ABC'[place % 3]}"
            rows.append((number, numbers[other], shown, group, f"{chance.randint(1, 5)}", often))
    chance.shuffle(rows)
    truth = Truth(
        identifying=("Öğrenci No", "Arkadaş No", "Arkadaşın Instagram'ı"),
        harmless=("Sınıf", "Yakınlık (1-5)", "Görüşme Sıklığı"),
        unit="Öğrenci No",
        shape="graph",
        missing=("yok",),
    )
    content = delimited([header, *rows], "\t", "cp1254")
    return Office("Turkey", "school", "Turkish", "arkadaslik_anketi.txt", "cp1254", content, header, tuple(rows), truth)


def spanish_school() -> Office:
    """Marks of a year, with the average of every group, tutors by name, and remarks about families."""
    chance = random.Random(1004)
    found = people(chance, "es", 330, 2006, 2011)
    tutors = [f"{person.family}, {person.given}" for person in people(chance, "es", 12, 1965, 1990)]
    parents = people(chance, "es", len(found), 1965, 1988)
    numbers = codes(chance, 8_000, 19_999, len(found), "{:06d}")
    header = (
        *("NIA", "Alumno/a", "DNI tutor legal", "F. nacim.", "Sexo", "C.P.", "Grupo", "Tutor/a", "Mat.", "Leng."),
        *("Ing.", "NEAE", "Beca", "Obs."),
    )
    groups: dict[str, list[tuple[str, ...]]] = {}
    for place, person in enumerate(found):
        which = place % 12
        parent = parents[place]
        remark = chance.choice([
            *("", "", "", "Llega tarde"),
            f"Hablar con la madre, {parent.given} {parent.family}, por faltas",
            f"{person.given} {person.family} ha pedido cambio de grupo",
        ])  # fmt: skip
        group = f"{1 + which // 3}º ESO {'ABC'[which % 3]}"
        marks = (some(chance, comma(chance.uniform(1, 10), 1), ["NP", "-"], 0.04) for _ in range(3))
        groups.setdefault(group, []).append((
            *(numbers[place], f"{person.family}, {person.given}"),
            *(checked(chance.randint(10_000_000, 79_999_999), "TRWAGMYFPDXBNJZSQVHLCKE"), f"{person.born:%d/%m/%Y}"),
            *("M" if person.female else "H", f"{8001 + person.place:05d}", group, tutors[which], *marks),
            *(some(chance, "", ["TDAH", "Dislexia", "AACC"], 0.12), chance.choice(["S", "N", "N"]), remark),
        ))  # fmt: skip
    rows: list[tuple[str, ...]] = []
    totals = []
    for group in sorted(groups):
        rows += groups[group]
        totals.append(len(rows))
        means = (comma(chance.uniform(5, 7), 2) for _ in range(3))
        rows.append((f"Total {group}", f"{len(groups[group])} alumnos", *[""] * 6, *means, "", "", ""))
    truth = Truth(
        identifying=("NIA", "Alumno/a", "DNI tutor legal", "Tutor/a", "Obs."),
        known=("F. nacim.", "Sexo", "C.P."),
        sensitive=("Mat.", "Leng.", "Ing.", "NEAE", "Beca"),
        harmless=("Grupo",),
        texts=("Obs.",),
        missing=("NP", "-"),
        totals=tuple(totals),
        named=names([*found, *parents]) | names(found, "{family}, {given}") | frozenset(tutors),
    )
    above = ("I.E.S. Puerta del Río;;;;;;;;;;;;;", "Calificaciones 3ª evaluación;;;;;;;;;;;;;")
    content = delimited([header, *rows], encoding="cp1252", above=above)
    return Office("Spain", "school", "Spanish", "calificaciones_3ev.csv", "cp1252", content, header, tuple(rows), truth)
