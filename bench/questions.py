"""Questions over a million rows: their cost in the worker, and the time from the request to the answer.

    python -m bench.questions [ROWS]

The whole stack is started as in production, with a separate worker for questions. A table is uploaded and declared.
Once its columns are sealed, every kind of question is asked ten times, each time with a new epsilon, so that no answer
is stored yet. Then the worker is restarted and asked once more: it has to read the sealed columns.
"""

import io
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import numpy as np

from bench.results import write_section
from bench.stack import UNLIMITED, Stack, running_stack

ROWS = 1_000_000
TIMES = 10
DECLARED: dict[str, Any] = {
    "columns": {
        "age": {"type": "integer", "bounds": [0, 120]},
        "income": {"type": "integer", "bounds": [0, 200_000]},
        "sex": {"type": "text", "keys": ["F", "M"]},
        "town": {"type": "text"},
    },
    "budget": {"epsilon": 1000},
    "delta": 1e-8,
}
ADULTS = [{"column": "age", "op": "ge", "value": 18}]
QUESTIONS: dict[str, dict[str, Any]] = {
    "count": {"select": [{"count": {}}]},
    "count of adults": {"select": [{"count": {}}], "where": ADULTS},
    "count of adults by sex": {"select": [{"count": {}}], "where": ADULTS, "group_by": ["sex"]},
    "mean income by sex": {"select": [{"mean": "income"}], "group_by": ["sex"]},
    "median income": {"select": [{"quantile": {"column": "income", "at": 0.5}}]},
    "histogram of ages": {"select": [{"histogram": {"column": "age", "edges": [0, 18, 30, 50, 70, 120]}}]},
    "count by town, thresholded": {
        "select": [{"count": {}}],
        "group_by": ["town"],
        "keys": "threshold",
        "delta": 1e-11,
    },
}
HEADER = ("question", "whose rows", "CPU ms in the worker", "seconds to the answer", "slowest", "after a restart")


def main() -> None:
    """Write the section."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdecimal() else ROWS
    with running_stack() as stack:
        for name in ("api", "sweeper", "releases", "questions"):
            stack.start(name, **(UNLIMITED if name == "api" else {}))
        figures = [row for unit in (None, "who") for row in _measured(stack, rows, unit)]
    introduction = (
        f"{rows:,} rows, four declared columns; medians of {TIMES} questions each. Answers are given at multiples of a "
        "tenth of a second. A person has ten rows, of which two count."
    )
    write_section("Questions under differential privacy", "python -m bench.questions", introduction, HEADER, figures)


def _measured(stack: Stack, rows: int, unit: str | None) -> Iterator[tuple[object, ...]]:
    with stack.client() as client:
        dataset_id = _declared(stack, client, rows, unit)
        found = {name: _asked(stack, client, dataset_id, asked) for name, asked in QUESTIONS.items()}
        stack.restart("questions")
        # The first answer shows that the child process has started.
        _answer(client, dataset_id, {"select": [{"count": {}}], "epsilon": 0.5})
        for name, (cpu, seconds) in found.items():
            again = _answer(client, dataset_id, QUESTIONS[name] | {"epsilon": 0.6})
            shown = (f"{1000 * cpu:.0f}", f"{statistics.median(seconds):.2f}", f"{max(seconds):.2f}", f"{again:.2f}")
            yield (name, "a person's ten" if unit else "each a person's", *shown)


def _declared(stack: Stack, client: httpx.Client, rows: int, unit: str | None) -> str:
    content = _table(rows)
    metadata = (None, '{"name": "people", "kind": "table"}', "application/json")
    files = {"metadata": metadata, "file": ("people.csv", content, "text/csv")}
    answer = client.post("/v1/datasets", files=files)
    answer.raise_for_status()
    dataset_id: str = answer.json()["id"]
    _until(stack.is_idle)
    more = {} if unit is None else {"privacy_unit": unit, "contributions": 2}
    client.put(f"/v1/datasets/{dataset_id}/declarations", json=DECLARED | more).raise_for_status()
    _until(stack.is_idle)
    return dataset_id


def _table(rows: int) -> bytes:
    rng = np.random.default_rng(1)
    ages, incomes = rng.integers(0, 100, rows), rng.integers(0, 150_000, rows)
    sexes, towns = rng.integers(0, 2, rows), rng.geometric(0.02, rows)
    out = io.StringIO()
    out.write("who,age,income,sex,town\n")
    out.writelines(
        f"p{place // 10},{age},{income},{'FM'[sex]},town {town}\n"
        for place, (age, income, sex, town) in enumerate(
            zip(ages.tolist(), incomes.tolist(), sexes.tolist(), towns.tolist(), strict=True)
        )
    )
    return out.getvalue().encode()


def _asked(stack: Stack, client: httpx.Client, dataset_id: str, asked: dict[str, Any]) -> tuple[float, list[float]]:
    """CPU seconds of the worker per question, and the seconds to each answer."""
    before = stack.cpu("questions")
    seconds = [_answer(client, dataset_id, asked | {"epsilon": (100 + number) / 1000}) for number in range(TIMES)]
    return (stack.cpu("questions") - before) / TIMES, seconds


def _answer(client: httpx.Client, dataset_id: str, asked: dict[str, Any]) -> float:
    """Seconds from the request to the answer."""
    began = time.perf_counter()
    answer = client.post(f"/v1/datasets/{dataset_id}/queries", json=asked)
    answer.raise_for_status()
    found = answer.json()
    while found["status"] in ("queued", "running"):
        found = client.get(f"/v1/queries/{found['id']}", params={"wait": 20}).json()
    if found["status"] != "done":
        raise RuntimeError("a question was not answered")
    return time.perf_counter() - began


def _until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 600
    while not done():
        if time.monotonic() > deadline:
            raise RuntimeError("it did not happen")
        time.sleep(0.5)


if __name__ == "__main__":
    main()
