"""Advice compared with experts: `python -m bench.advice FOLDER…` writes docs/advice.md; `--large` times a large table.

Public files are looked for below the folders, by the places that `bench/advice_files.py` names; the made-up ones are
always there. A file whose first column has no name (as R writes them) calls it `rownames`.
"""

import sys
import time
from pathlib import Path

import numpy as np

from antifaz.advice import advise
from antifaz.errors import AntifazError
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from bench.advice_files import PUBLIC, Truth, made_up
from formats.reading import read_table
from formats.sniffing import sniff
from publication.dialects import dialect_of
from publication.kinds.kind import columns_of
from publication.library.datasets import LIMITS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "advice.md"
INTRO = """<!-- Written by `python -m bench.advice`. Change bench/advice.py or what it measures, not this page. -->

# Advice, compared with experts

`GET /v1/datasets/{id}/advice` proposes a policy. This page measures how often it is right, on public tables and on
made-up files with the columns, spellings and check digits of national ones (the people in them do not exist). A miss
is a direct identifier that is not recognized, or a date of birth, postal code or sex that is not a quasi-identifier.
*Released* means that the unchanged proposal was run and gave a release. The word lists, in eight languages, were
extended with the help of these files, so the share of hits on other files is lower: a proposal is a start, and its
reasons should be read. Polish came last: its words come from one other file, and the made-up one has similar columns.

`python -m tests.offices` looks at the other side: twenty made-up files as offices of twenty countries have them (other
encodings, titles, missing codes, codes of people that look like diagnoses) are read, and what is proposed is accepted
without an edit. None of the releases has an id, a name of anyone or a row of totals, and nobody is alone in one.

"""
HEADER = (
    *("file", "country", "language", "rows × columns", "direct identifiers", "known to others", "misses"),
    *("privacy unit", "released", "CPU s"),
)


def main(arguments: list[str]) -> None:
    """Write the page, or time a large table."""
    if arguments == ["--large"]:
        _time_large()
        return
    lines = ["| " + " | ".join(HEADER) + " |", "| " + " | ".join("---" for _ in HEADER) + " |"]
    for name, (content, truth) in [*_public([Path(folder) for folder in arguments]), *_labeled()]:
        lines.append(_line(name, content, truth))
        print(lines[-1])
    PAGE.write_text(INTRO + "\n".join(lines) + "\n", encoding="utf-8")


def _public(folders: list[Path]) -> list[tuple[str, tuple[bytes, Truth]]]:
    found = []
    for name, truth in PUBLIC.items():
        path = next((folder / name for folder in folders if (folder / name).exists()), None)
        if path is None:
            print(f"not found: {name}")
            continue
        content = path.read_bytes()
        if content.startswith(b'"",'):
            content = b'"rownames",' + content[3:]
        found.append((f"{name} (public)", (content, truth)))
    return found


def _labeled() -> list[tuple[str, tuple[bytes, Truth]]]:
    return [(f"{name} (made up)", file) for name, file in made_up().items()]


def read(content: bytes) -> Dataset:
    """A table as a worker reads it."""
    found = sniff("table", {"kind": "table", "name": "x"}, "x.csv", content[: 1 << 20], len(content) <= 1 << 20, LIMITS)
    table = read_table(iter([content]), found.format, found.details, LIMITS)
    return Dataset(columns_of(table), table.n, dialect_of(found.details))


def misses(dataset: Dataset, truth: Truth) -> tuple[list[str], dict[str, object], float]:
    """What the advice gets wrong, the advice, and the CPU seconds that it took."""
    begun = time.process_time()
    advice = advise(dataset, np.random.default_rng())
    spent = time.process_time() - begun
    roles = {column["name"]: column["role"] for column in advice["columns"]}
    missed = [name for name in truth.identifiers if roles[name] != "identifier"]
    missed += [name for name in truth.known if roles[name] != "quasi_identifier"]
    unit = (advice["privacy_unit"] or {}).get("column")
    if truth.unit is not None and unit is None:
        missed.append("privacy unit")
    return missed, advice, spent


def _line(name: str, content: bytes, truth: Truth) -> str:
    dataset = read(content)
    missed, advice, spent = misses(dataset, truth)
    unit = (advice["privacy_unit"] or {}).get("column", "none")  # type: ignore[union-attr]
    direct = len([each for each in truth.identifiers if each not in missed])
    known = len([each for each in truth.known if each not in missed])
    figures = [
        *(name, truth.country, truth.language, f"{dataset.n:,} × {len(dataset.columns)}"),
        *(f"{direct} of {len(truth.identifiers)}", f"{known} of {len(truth.known)}"),
        *(", ".join(missed) or "none", unit, "yes" if _runs(dataset, advice["policy"]) else "no", f"{spent:.1f}"),
    ]
    return "| " + " | ".join(str(figure) for figure in figures) + " |"


def _runs(dataset: Dataset, document: object) -> bool:
    policy = parse_policy(document)
    try:
        protect(check(dataset, policy), policy, np.random.default_rng())
    except AntifazError as error:
        print(f"  {error}")
        return False
    return True


def _time_large(rows: int = 1_000_000) -> None:
    """Ten columns of people, drawn at random, twice: a million rows by twenty columns."""
    people = 20_000
    parts = {}
    for name in ("Spanish hospital", "English trust"):
        parts |= {f"{column}": values for column, values in _columns(made_up(people)[name][0]).items()}
    chance = np.random.default_rng(1)
    draws = chance.integers(0, people, rows)
    names = list(parts)[:20]
    content = {name: parts[name] for name in names}
    columns = tuple(_Repeated(name, values, draws) for name, values in content.items())
    dataset = Dataset(tuple(columns), rows)
    begun = time.process_time()
    advise(dataset, np.random.default_rng())
    print(f"{rows:,} × {len(columns)}: {time.process_time() - begun:.1f} CPU s, typing included")


def _columns(content: bytes) -> dict[str, np.ndarray]:
    return {column.name: column.values[column.codes] for column in read(content).columns}


class _Repeated:
    """A column of which rows were drawn."""

    def __init__(self, name: str, values: np.ndarray, draws: np.ndarray) -> None:
        self.name = name
        self.values, codes = np.unique(values.astype(str), return_inverse=True)
        self.values = self.values.astype(object)
        self.codes = codes[draws].astype(np.int32)


if __name__ == "__main__":
    main(sys.argv[1:])
