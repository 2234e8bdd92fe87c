"""The page with the result of every run of every scenario; nothing is left out."""

import platform
import re
from dataclasses import dataclass, field

import pytest

COMMAND = "ANTIFAZ_PROOF=3 .venv/bin/python -m pytest -q tests/faults"

_HEAD = """# Proof: the fault matrix

Every row is one way to break the service: a process is killed, stopped or made to fail at a failpoint, a server is
killed, a connection is cut, a disk is full. After every run of every row everything is repaired, and nine questions
are asked about the whole installation (`tests/faults/oracle.py`): O1 each accepted request has exactly one job · O2
every job ends · O3 a released job has one release, any other job has none · O4 no budget is overspent · O5 every
served byte passes the independent verifier · O6 there is no secret in an answer, a log, the broker or the files of
the databases · O7 the audit chain verifies · O8 there is no temporary residue · O9 no failure discloses internals.

The tests write this page:

    {command}

So does `make test-long`. `--numprocesses 3 --dist worksteal` distributes the scenarios over three installations. A run
is `held` only if the scenario's own expectation and all nine answers were right. The seconds include the fault, the
recovery and the questions.

**{held} of {total} runs held** ({scenarios} scenarios × {runs}); {failed} failed, {skipped} skipped, {missing} not run.
Python {python}, PostgreSQL and Redis as children on one machine, 2 workers, a lease of 4 s.

{longest}

Not in the matrix: a task longer than the broker's visibility timeout. Its effects are: a message that is delivered
again while the first copy runs (duplicates), and a worker that resumes after another took over (zombies). Skewed clocks
are injected into Python's `time`, not into the operating system.
"""

SECTIONS = {
    "test_failpoints": "Failpoints",
    "test_servers": "PostgreSQL and Redis",
    "test_wires": "Connections",
    "test_resources": "Disk and memory",
    "test_races": "Duplicates, races, zombies, clocks",
    "test_operations": "Operations",
    "test_trials": "Trials and comparisons",
    "test_questions": "Questions",
    "test_consumers": "Consumers",
}


BACK = "back"
"""Name under which a report carries the seconds until all work was done."""
PROPERTY = "scenario"
"""Name under which a test's reports carry the row that they belong to."""


@dataclass
class Scenario:
    """A row of the page."""

    place: int
    """Its position among all tests: several processes end in any order."""
    section: str
    fault: str
    expected: str
    runs: dict[int, str] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    back: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Seconds until all work was done, from the beginning of the fault and from its end."""


OUTCOMES: dict[str, Scenario] = {}


def describe(item: pytest.Item, place: int) -> None:
    """Add the row to the reports of a scenario's phases, so that the process that collects them knows it."""
    function = getattr(item, "obj", None)
    expected = (getattr(function, "__doc__", None) or "").strip().split("\n\n")[0]
    item.user_properties.append((PROPERTY, (place, SECTIONS[item.path.stem], re.sub(r"\s+", " ", expected))))


def note(report: pytest.TestReport) -> bool:
    """Record one phase of one run; the worst phase counts. Returns whether it belongs to a scenario."""
    described = dict(report.user_properties).get(PROPERTY)
    if described is None:
        return False
    run, key = run_of(report.nodeid), _without_run(report.nodeid)
    place, section, expected = described
    row = OUTCOMES.setdefault(key, Scenario(place, section, _fault(key), expected))
    row.seconds[run] = row.seconds.get(run, 0.0) + report.duration
    before = row.runs.get(run, "")
    if before.startswith(("**failed", "skipped")):
        return True
    if report.failed:
        row.runs[run] = f"**failed** ({report.when})"
    elif report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "no reason given"
        row.runs[run] = f"skipped: {str(reason).removeprefix('Skipped: ')}"
    elif report.when == "teardown":
        row.runs[run] = f"held, {row.seconds[run]:.1f} s"
        back = dict(report.user_properties).get(BACK)
        if back is not None:
            row.back[run] = back
            row.runs[run] += f"; all done {back[0]:.1f} s after the fault began, {back[1]:.1f} s after its end"
    return True


def render(runs: int) -> str:
    """The whole page."""
    every = [outcome for row in OUTCOMES.values() for outcome in row.runs.values()]
    head = _HEAD.format(
        command=COMMAND,
        held=sum(outcome.startswith("held") for outcome in every),
        failed=sum("failed" in outcome for outcome in every),
        skipped=sum(outcome.startswith("skipped") for outcome in every),
        total=len(OUTCOMES) * runs,
        missing=len(OUTCOMES) * runs - len(every),
        scenarios=len(OUTCOMES),
        runs=runs,
        python=platform.python_version(),
        longest=_longest(),
    )
    rows = sorted(OUTCOMES.values(), key=lambda row: row.place)
    return head + "".join(_section_table(title, rows, runs) for title in dict.fromkeys(row.section for row in rows))


def _longest() -> str:
    """The longest waits after the faults for which they were measured."""
    backs = [back for row in OUTCOMES.values() for back in row.back.values()]
    if not backs:
        return "No time until the last waiting work was done was measured."
    began, ended = max(back[0] for back in backs), max(back[1] for back in backs)
    return (
        f"The last waiting work was done at most **{began:.1f} s** after a fault of a server began and {ended:.1f} s "
        f'after it ended ({len(backs)} runs under "Consumers"; 60 s are allowed).'
    )


def _section_table(title: str, rows: list[Scenario], runs: int) -> str:
    numbers = range(1, runs + 1)
    lines = [
        f"\n## {title}\n",
        f"| scenario | expected | {' | '.join(f'run {n}' for n in numbers)} |",
        f"| --- | --- | {' | '.join('---' for _ in numbers)} |",
    ]
    for row in rows:
        if row.section == title:
            cells = [row.runs.get(n, "not run") for n in numbers]
            lines.append(f"| {row.fault} | {row.expected} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def run_of(node_id: str) -> int:
    """The number of a test's repetition within its scenario."""
    found = re.search(r"run (\d+)", node_id)
    return int(found.group(1)) if found else 1


def _without_run(node_id: str) -> str:
    return re.sub(r"-?run \d+-?", "", node_id).replace("[]", "")


def _fault(key: str) -> str:
    name, _, parameters = key.rpartition("::")[2].partition("[")
    words = name.removeprefix("test_").replace("_", " ")
    return f"{words}: `{parameters.rstrip(']')}`" if parameters else words
