"""House: waiting times before the actual work, and measurements of the source.

Cold compilation, the time from `antifaz up` to the first release with nothing compiled before, the loading time of
processes, typing long columns, removing repeated edges; and, of the source, how often it asks for a kind of data, and
its longest modules. CPU seconds are those of a process with its children; on a busy machine the wall-clock times are
not meaningful.

    python -m bench.house                  everything; takes two minutes
    python -m bench.house compilation      one part: compilation, start, loading, columns, edges or source
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import httpx
import numpy as np

from antifaz.graphs.graph import Graph
from bench.results import write_section
from bench.typing import DISTINCT, decimals, measure_job
from handbook.rooms import folder_of, packages
from stack.servers.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
EDGES, NODES = 3_000_000, 1_000_000
PATIENCE = 600.0
Answer = TypeVar("Answer")
Row = tuple[str, str, str]
"""Name of the measurement, figure, and goal."""

_KINDS = re.compile(
    r'kind (==|!=|in) \(?"(table|graph|temporal_graph)"|isinstance\([^)]*(TablePolicy|GraphPolicy)'
    r"|\.(table|graph) is (not )?None"
)


def main() -> None:
    """Print the named parts, or measure all and write them into the page."""
    for name in sys.argv[1:]:
        print("\n".join(" | ".join(row) for row in _parts()[name]()))
    if not sys.argv[1:]:
        measure_all()


def measure_all() -> None:
    """Measure every part and write the section."""
    rows = [row for part in _parts().values() for row in part()]
    write_section(
        "The house", "python -m bench.house", "Waiting times before the actual work.", ("what", "now", "goal"), rows
    )


def _parts() -> dict[str, Callable[[], Iterator[Row]]]:
    return {
        "compilation": compilation,
        "start": start,
        "loading": loading,
        "columns": columns,
        "edges": edges,
        "source": source,
    }


def compilation() -> Iterator[Row]:
    """Compile every kernel in an empty folder, with one process for each core."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, wall = _cpu_of([sys.executable, "-m", "workers.process.warm"], NUMBA_CACHE_DIR=folder)
    yield "all kernels compiled, cold", f"{seconds:.1f} CPU s, {wall:.0f} s", "80 CPU s"


def start() -> Iterator[Row]:
    """Time to the first release of the bundled example, with nothing compiled before."""
    with tempfile.TemporaryDirectory() as folder, _service(Path(folder)) as (address, lines):
        began = time.monotonic()
        servers = _line_with(lines, "bringing the databases")[0]
        ready, said = _line_with(lines, "Admin token")
        token = said.rsplit(" ", 1)[-1].strip()
        released = _publish_example(address, token)
        yield "PostgreSQL and Redis up", f"{servers - began:.1f} s", ""
        yield "token, after the servers are up", f"{ready - servers:.1f} s", "10 s"
        yield "bundled example released, after the token", f"{released - ready:.1f} s", "30 s"


def loading() -> Iterator[Row]:
    """Loading time of every process; the minimum of three, with cached bytecode."""
    environment = {"PYTHONDONTWRITEBYTECODE": ""}
    for title, code in (
        ("library loaded", "import antifaz; antifaz.protect"),
        ("catalogue of parts loaded", "from antifaz import catalogue; catalogue.parts('methods')"),
        ("API loaded", "import service.app"),
        ("worker loaded", "from workers.process.app import app; app.loader.import_default_modules()"),
        ("command line loaded", "import antifaz_client.commands.main"),
    ):
        least = min(_cpu_of([sys.executable, "-c", code], **environment)[0] for _ in range(4))
        yield title, f"{least:.2f} CPU s", ""


def columns() -> Iterator[Row]:
    """Time of a job's work on three long columns of decimals."""
    taken = measure_job(decimals())
    yield f"3 columns of {DISTINCT:,} distinct decimals noted and checked", f"{taken} CPU s", "2 CPU s"


def edges() -> Iterator[Row]:
    """Time to drop repeated edges of a large graph, and to build its rows of neighbors."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, NODES, (2, EDGES))
    for directed, sort in ((False, "undirected"), (True, "directed")):
        graph, taken = _timed(lambda directed=directed: Graph.from_pairs(NODES, *ends, directed))
        yield f"{EDGES:,} edges without repetitions, {sort}", f"{taken:.2f} CPU s", ""
        yield f"neighbors of them, {sort}", f"{_timed(lambda graph=graph: graph.neighbors)[1]:.2f} CPU s", ""
    keys = ends[0] * NODES + ends[1]
    yield "the same by plain `np.unique`, for comparison", f"{_timed(lambda: np.unique(keys))[1]:.2f} CPU s", ""


def source() -> Iterator[Row]:
    """Measurements of the source."""
    asking = ("antifaz", "workers", "service", "verifier")
    asked = [
        line
        for package in asking
        for path in (ROOT / package).rglob("*.py")
        for line in path.read_text().splitlines()
        if _KINDS.search(line)
    ]
    yield f"lines of {', '.join(asking)} that ask for a kind of data", str(len(asked)), "8"
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for package in packages()
        for path in folder_of(package).rglob("*.py")
        if "kernels" not in path.parts
    }
    longest = sorted(lengths, key=lambda name: -lengths[name])[:3]
    yield "longest modules outside of kernels", ", ".join(f"`{name}` {lengths[name]}" for name in longest), "400 lines"


def _cpu_of(command: list[str], **environment: str) -> tuple[float, float]:
    """CPU and wall seconds of a command with its children."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


@contextmanager
def _service(folder: Path) -> Iterator[tuple[str, Iterator[str]]]:
    """`antifaz up` in an empty folder: its address, and the lines that it prints."""
    port = free_port()
    environment = os.environ | {
        "ANTIFAZ_DATA_DIR": str(folder / "data"),
        "ANTIFAZ_PORT": str(port),
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
        "PYTHONUNBUFFERED": "1",
    }
    command = [sys.executable, "-m", "antifaz_client.commands.main", "up"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{port}", iter(process.stdout)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _line_with(lines: Iterator[str], words: str) -> tuple[float, str]:
    """The next line with these words, and its time."""
    for line in lines:
        if words in line:
            return time.monotonic(), line
    raise RuntimeError(f"the service ended before it printed: {words}")


def _publish_example(address: str, token: str) -> float:
    """The time at which the bundled table was released."""
    files = [
        ("metadata", (None, json.dumps({"name": "patients", "kind": "table"}), "application/json")),
        ("policy", (None, (EXAMPLES / "patients.policy.json").read_text(), "application/json")),
        ("file", ("patients.csv", (EXAMPLES / "patients.csv").read_bytes())),
    ]
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
        job = client.post("/v1/datasets", files=files).raise_for_status().json()["job"]["id"]
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            status = client.get(f"/v1/jobs/{job}", params={"wait": 20}).raise_for_status().json()["status"]
            if status == "released":
                return time.monotonic()
            if status in ("refused", "failed", "cancelled"):
                raise RuntimeError(f"the example was {status}")
    raise TimeoutError("the example was not released")


def _timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    began = time.process_time()
    return work(), time.process_time() - began


if __name__ == "__main__":
    main()
