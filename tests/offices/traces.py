"""Files of machines that see people: contacts, calls, searches."""

import hashlib
import random
from datetime import UTC, datetime, timedelta

from tests.offices.office import Office, Truth
from tests.offices.people import codes, moment, names, people, repeats, some
from tests.offices.writing import delimited


def finnish_contacts() -> Office:
    """Badges that came near each other in a hospital: a temporal graph, with minutes and seconds."""
    chance = random.Random(5001)
    badges = [f"K-{number:03d}" for number in chance.sample(range(1, 400), 90)]
    header = ("tunniste", "lähikontakti", "alku", "kesto (s)", "RSSI", "osasto")
    start = datetime(2023, 3, 6, 7, 0, tzinfo=UTC)
    rows = []
    for _ in range(1600):
        first = chance.randrange(90)
        second = (first + chance.choice([1, 2, 3, 5, 8, 30])) % 90
        when = start + timedelta(days=chance.randrange(5), minutes=chance.randrange(540))
        strength = some(chance, f"-{chance.randint(48, 89)}", ["-999"], 0.02)
        ward = ("Päivystys", "Teho", "Vuodeosasto 3", "Kuvantaminen")[first % 4]
        rows.append(
            (
                when,
                badges[first],
                badges[second],
                f"{when:%d.%m.%Y %H:%M}",
                f"{20 * chance.randint(1, 40)}",
                strength,
                ward,
            )
        )
    cells = [tuple(row[1:]) for row in sorted(rows)]
    truth = Truth(
        identifying=("tunniste", "lähikontakti"),
        known=("alku",),
        harmless=("kesto (s)", "RSSI", "osasto"),
        unit="tunniste",
        shape="temporal_graph",
        missing=("-999",),
    )
    content = delimited([header, *cells])
    return Office(
        "Finland", "contact log", "Finnish", "kontaktit_vk10.csv", "utf-8", content, header, tuple(cells), truth
    )


def danish_calls() -> Office:
    """Calls: who, to whom, with which device, by which mast. A temporal graph with columns of its edges."""
    chance = random.Random(5002)
    numbers = codes(chance, 20_000_000, 61_000_000, 140, "45{}")
    devices = codes(chance, 10**13, 10**14 - 1, len(numbers), "3{}")
    header = ("A-nummer", "B-nummer", "IMEI", "Starttidspunkt", "Varighed", "Type", "Mast-ID", "Abonnent")
    holders = [f"{person.family}, {person.given}" for person in people(chance, "sv", len(numbers))]
    rows = []
    for place in repeats(chance, len(numbers), 40, 9):
        near = (place + chance.choice([1, 1, 2, 4, 9, 16])) % len(numbers)
        rows.append((
            *(numbers[place], numbers[near], devices[place], moment(chance, "%d-%m-%Y %H:%M:%S", "2023-05-01", 14)),
            *(f"{chance.randint(0, 59):02d}:{chance.randint(0, 59):02d}", chance.choice(["TALE", "SMS", "MMS"])),
            *(f"238-01-{chance.randint(1, 25):05d}", holders[place]),
        ))  # fmt: skip
    truth = Truth(
        identifying=("A-nummer", "B-nummer", "IMEI", "Abonnent"),
        known=("Starttidspunkt", "Mast-ID"),
        harmless=("Varighed", "Type"),
        unit="A-nummer",
        shape="temporal_graph",
        named=frozenset(holders),
    )
    content = delimited([header, *rows], encoding="cp1252")
    return Office("Denmark", "call records", "Danish", "CDR_uge18.csv", "cp1252", content, header, tuple(rows), truth)


def japanese_searches() -> Office:
    """Searches with Japanese headers: users are hashes, people look for themselves, addresses of machines."""
    chance = random.Random(5003)
    found = people(chance, "ja", 160, 1950, 2006)
    users = [hashlib.sha256(f"salt{place}".encode()).hexdigest()[:16] for place in range(len(found))]
    machines = [f"203.0.{chance.randint(0, 255)}.{chance.randint(1, 254)}" for _ in found]
    header = ("利用者ID", "日時", "検索語", "順位", "クリックURL", "IPアドレス", "端末", "年代", "性別", "郵便番号")
    words = ("天気 東京", "糖尿病 症状", "引越し 費用", "転職 40代", "離婚 弁護士", "ラーメン 近く", "うつ病 チェック")
    rows = []
    for place in repeats(chance, len(found), 40, 7):
        person = found[place]
        own = f"{person.family} {person.given}"
        query = chance.choice([*words, own, f"{own} 評判"])
        age = 2023 - person.born.year
        rows.append((
            *(users[place], moment(chance, "%Y/%m/%d %H:%M"), query),
            *(some(chance, f"{chance.randint(1, 20)}", ["-"], 0.3), f"https://example.jp/p/{chance.randint(1, 60)}"),
            *(machines[place], chance.choice(["iOS", "Android", "PC"])),
            *(f"{age // 10 * 10}代", "女" if person.female else "男", f"1{person.place:02d}-00{person.place + 11}"),
        ))  # fmt: skip
    truth = Truth(
        identifying=("利用者ID", "検索語", "IPアドレス"),
        known=("年代", "性別", "郵便番号", "日時"),
        sensitive=("クリックURL",),
        harmless=("順位", "端末"),
        unit="利用者ID",
        texts=("検索語",),
        missing=("-",),
        named=names(found, "{family} {given}"),
    )
    content = delimited([header, *rows], ",", "cp932")
    return Office(
        "Japan", "search log", "Japanese", "search_log_202304.csv", "cp932", content, header, tuple(rows), truth
    )
