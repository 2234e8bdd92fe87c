"""Peer runs: one run of another program's protection or check, by an interpreter that has it installed.

python bench/peer_runs.py NAME TABLE.csv K     prints CPU seconds, and the released cells if there are any
"""

import json
import sys
import time
from pathlib import Path

import pandas


def run_anonypy(frame: pandas.DataFrame, k: int) -> list[dict[str, str]]:
    """Mondrian with sets; rows of one class and sensitive value come with a count."""
    import anonypy

    features = list(frame.columns)
    for name in features:
        if name != "age":
            frame[name] = frame[name].astype("category")
    frame["sensitive"] = "s"
    rows = anonypy.Preserver(frame, features, "sensitive").anonymize_k_anonymity(k)
    return [{**{name: str(row[name][0]) for name in features}, "count": str(row["count"])} for row in rows]


def run_pycanon(frame: pandas.DataFrame, k: int) -> list[dict[str, str]]:
    """The checks of k, l and t."""
    from pycanon import anonymity

    features = [name for name in frame.columns if name != "occupation"]
    anonymity.k_anonymity(frame, features)
    anonymity.l_diversity(frame, features, ["occupation"])
    anonymity.t_closeness(frame, features, ["occupation"])
    return []


def run_anjana(frame: pandas.DataFrame, k: int) -> list[dict[str, str]]:
    """Full-domain generalization with up to five percent of the records suppressed."""
    from anjana.anonymity import k_anonymity

    folder, features = Path(sys.argv[2]).parent, list(frame.columns)
    hierarchies = {}
    for name in features:
        frame[name] = frame[name].astype(str)
        rows = pandas.read_csv(folder / f"adult_hierarchy_{name}.csv", sep=";", header=None, dtype=str)
        hierarchies[name] = {level: rows[level].to_numpy() for level in rows.columns}
    released = k_anonymity(frame, [], features, k, 5, hierarchies)
    counted = released.groupby(features).size().reset_index(name="count")
    return [{name: str(value) for name, value in row.items()} for row in counted.to_dict("records")]


def main() -> None:
    name, path, k = sys.argv[1], sys.argv[2], int(sys.argv[3])
    frame = pandas.read_csv(path, sep=";")
    start = time.process_time()
    rows = {"anonypy": run_anonypy, "anjana": run_anjana, "pycanon": run_pycanon}[name](frame, k)
    print(json.dumps({"seconds": time.process_time() - start, "rows": rows}))


if __name__ == "__main__":
    main()
