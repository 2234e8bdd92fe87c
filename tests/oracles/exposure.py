"""Which records and nodes of a release are unchanged and alone, by brute force from the definition.

It reads the released files and the original cells or edges, and shares no code with the engine or the verifier.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import pstdev

Row = Mapping[str, str]
Edges = Iterable[tuple[int, int]]


def exposed_records(
    rows: Sequence[Row], originals: Sequence[Row], names: Sequence[str], people: Sequence[Hashable] | None = None
) -> float:
    """The share of released rows that are alone with those of their cells, in these columns, that are the original
    ones.

    ``originals`` has the original row of every released one. Numbers within a hundredth of a standard deviation are
    the same number; `[7, 7]` is 7.
    """
    if not rows or not names:
        return 0.0
    owners = people or range(len(rows))
    spread = {name: _spread([row[name] for row in originals]) for name in names}
    exposed = 0
    for row, original, owner in zip(rows, originals, owners, strict=True):
        same = [name for name in names if _shows(row, original, name, spread[name])]
        alike = {other for each, other in zip(rows, owners, strict=True) if _key(each, same) == _key(row, same)}
        exposed += bool(same) and alike == {owner}
    return exposed / len(rows)


def copied_records(rows: Sequence[Row], originals: Sequence[Row], names: Sequence[str]) -> float:
    """The share of synthetic rows that are alone and have the values of exactly one original row."""
    people = Counter(tuple(_plain(row[name]) for name in names) for row in originals)
    shown = Counter(tuple(row[name] for name in names) for row in rows)
    hits = [
        shown[tuple(row[name] for name in names)] == 1 and people[tuple(_plain(row[name]) for name in names)] == 1
        for row in rows
    ]
    return sum(hits) / len(rows) if rows else 0.0


def _key(row: Row, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(row[shown] for name in names for shown in _columns(row, name))


def _columns(row: Row, name: str) -> tuple[str, ...]:
    return (name,) if name in row else (f"{name}_min", f"{name}_max")


def _shows(row: Row, original: Row, name: str, spread: float) -> bool:
    truth, labels = original[name], [row[column] for column in _columns(row, name)]
    if len(labels) == 1 and labels[0].startswith("["):
        labels = [str(member) for member in json.loads(labels[0])]
    if len({_plain(label) for label in labels} | {_plain(truth)}) == 1:
        return True
    numbers = [_number(text) for text in (*labels, truth)]
    if any(number is None for number in numbers):
        return False
    return all(abs(number - numbers[-1]) <= spread for number in numbers[:-1])  # type: ignore[operator]


def _plain(text: str) -> str:
    number = _number(text)
    return " ".join(text.lower().split()) if number is None else repr(number)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _spread(texts: Sequence[str]) -> float:
    """A hundredth of the standard deviation of a column of numbers; 0 if it is none."""
    numbers = [_number(text) for text in texts if text]
    known = [number for number in numbers if number is not None]
    return 0.01 * pstdev(known) if len(known) == len(numbers) and known else 0.0


def read_csv(content: bytes) -> list[dict[str, str]]:
    """The rows of a released file, without the mark that keeps a spreadsheet from running a cell."""
    return [
        {name: cell[1:] if cell[:1] == "'" and cell[1:2] in set("=+-@\t\r") else cell for name, cell in row.items()}
        for row in csv.DictReader(io.StringIO(content.decode(), newline=""))
    ]


def exposed_nodes(n: int, original: Edges, released_nodes: int, released: Edges, origin: Sequence[int]) -> set[int]:
    """The released nodes whose edges are exactly their original ones, and whose surroundings no other node has. Edges
    are ordered pairs; give both orders for an undirected graph."""
    before, shown = set(original), set(released)
    names = _surroundings(released_nodes, shown)
    counts = Counter(names)
    exposed = set()
    for node in range(released_nodes):
        own = {(origin[u], origin[v]) for u, v in shown if node in (u, v)}
        own_before = {(u, v) for u, v in before if origin[node] >= 0 and origin[node] in (u, v)}
        if origin[node] >= 0 and own == own_before and counts[names[node]] == 1:
            exposed.add(node)
    return exposed


def _surroundings(n: int, edges: set[tuple[int, int]]) -> list[Hashable]:
    """For every node, the degrees around it up to four steps away, as nested sorted tuples."""
    out: list[list[int]] = [[] for _ in range(n)]
    into: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        out[u].append(v)
        into[v].append(u)
    names: list[Hashable] = [0] * n
    for _ in range(4):
        found = [(tuple(sorted(names[v] for v in out[u])), tuple(sorted(names[v] for v in into[u]))) for u in range(n)]
        ranks = {each: rank for rank, each in enumerate(sorted(set(found)))}
        names = [ranks[each] for each in found]
    return names
