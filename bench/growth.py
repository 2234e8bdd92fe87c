"""Growth: CPU seconds and memory of Mondrian from ten thousand to ten million records.

Each size runs in its own process, on nine independent, skewed columns. If the cost grows as n log n, the last column
stays constant; memory is the growth of the process relative to the decoded table (four bytes for each cell).

    python -m bench.growth
"""

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.watch import unwatched
from bench.results import write_section
from bench.tables import adult_like

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
K = 10


def main() -> None:
    """Measure every size and write the section."""
    rows = []
    for n in SIZES:
        for effort in ("fast", "normal"):
            figures = json.loads(subprocess.check_output([sys.executable, "-m", "bench.growth", str(n), effort]))
            unit = 1e9 * figures["seconds"] / (n * math.log2(n))
            ratio = f"{figures['memory'] / figures['table']:.2f}"
            rows.append((f"{n:,}", effort, f"{figures['seconds']:.2f}", figures["classes"], ratio, f"{unit:.0f}"))
    header = ("records", "effort", "CPU s", "classes", "memory / decoded table", "ns per n log2 n")
    introduction = f"Mondrian, k = {K}, nine quasi-identifiers. `normal` does less for large tables, and reports this."
    write_section("Growth", "python -m bench.growth", introduction, header, rows)


def measure(n: int, effort: str) -> dict[str, float]:
    """The figures of one size."""
    method, guarantees = Mondrian.model_validate({"effort": effort}), [KAnonymity(k=K)]
    method.apply(adult_like(500), guarantees, np.random.default_rng(1), unwatched)
    table = adult_like(n)
    decoded = sum(attribute.column.codes.nbytes for attribute in table.attributes)
    before = _forget_peak()
    start = time.process_time()
    released = method.apply(table, guarantees, np.random.default_rng(1), unwatched)
    seconds = time.process_time() - start
    peak = _status("VmHWM")
    classes = len({tuple(row) for row in np.unique(np.stack([c.codes for c in released.columns], axis=1), axis=0)})
    return {"seconds": seconds, "memory": peak - before + decoded, "table": decoded, "classes": classes}


def _forget_peak() -> int:
    """Reset the peak of resident memory, and return the bytes that are resident now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(int(sys.argv[1]), sys.argv[2])))
    else:
        main()
