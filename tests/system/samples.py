"""Small datasets and policies for the system tests."""

import csv
import io
import random
from typing import Any

DISEASES = ("asthma", "cancer", "flu", "hepatitis")


def patients(rows: int = 200, seed: int = 1) -> bytes:
    """A CSV of invented patients."""
    chance = random.Random(seed)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["name", "age", "zip", "sex", "disease"])
    for number in range(rows):
        age, zip_code = chance.randint(18, 90), f"{chance.randint(0, 52):02d}{chance.randint(0, 999):03d}"
        writer.writerow([f"Person {number}", age, zip_code, chance.choice("FM"), chance.choice(DISEASES)])
    return out.getvalue().encode()


def table_policy(k: int = 5, l_value: int | None = 2, **more: Any) -> dict[str, Any]:
    """A policy for `patients`."""
    guarantees: list[dict[str, Any]] = [{"model": "k_anonymity", "k": k}]
    if l_value:
        guarantees.append({"model": "l_diversity", "variant": "distinct", "l": l_value, "attribute": "disease"})
    return {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi_identifier", "type": "integer", "recoding": "range"},
            "zip": {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "mask"}},
            "sex": {"role": "quasi_identifier"},
            "disease": {"role": "sensitive"},
        },
        "guarantees": guarantees,
        "method": {"name": "mondrian"},
        **more,
    }


def friends(nodes: int = 60, edges: int = 150, seed: int = 2) -> bytes:
    """An edge list of invented friendships, with ids that must not be disclosed."""
    chance = random.Random(seed)
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < edges:
        u, v = sorted((int(nodes * chance.random() ** 2), chance.randrange(nodes)))
        if u != v:
            pairs.add((u, v))
    return ("source,target\n" + "".join(f"id-{u},id-{v}\n" for u, v in sorted(pairs))).encode()


def graph_policy(k: int = 3, **more: Any) -> dict[str, Any]:
    """A policy for `friends`."""
    return {
        "kind": "graph",
        "guarantees": [{"model": "k_degree_anonymity", "k": k}],
        "method": {"name": "k_degree"},
        **more,
    }


def contacts(nodes: int = 24, days: int = 4, edges: int = 40, seed: int = 3) -> bytes:
    """A temporal edge list of invented meetings, some of them listed twice, and one person who met no one."""
    chance, rows = random.Random(seed), []
    for day in range(days):
        met: set[tuple[int, int]] = set()
        while len(met) < edges:
            u, v = sorted((int(nodes * chance.random() ** 2), chance.randrange(nodes)))
            if u != v:
                met.add((u, v))
        begin = 1_000_000_000 + 86_400 * day
        rows += [(f"id-{u}", f"id-{v}", begin + chance.randrange(3_600)) for u, v in [*met, *list(met)[:2]]]
    rows.append(("id-alone", "id-alone", 1_000_000_000))
    return ("source,target,time\n" + "".join(f"{u},{v},{t}\n" for u, v, t in rows)).encode()


def contact_ages(nodes: int = 24) -> bytes:
    """The people of `contacts`, with ages."""
    return ("node,age\n" + "".join(f"id-{number},{20 + number % 6}\n" for number in range(nodes))).encode()


def csv_of_rows(rows: list[list[str]]) -> bytes:
    """Rows, the header first, as a csv file."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()
