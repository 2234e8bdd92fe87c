"""Answers: their rate, and the slowest of them."""

import signal
import statistics
import time
from collections.abc import Sequence
from datetime import datetime

from bench.load.comparing import Comparison, unsteady
from bench.load.rig import CONNECTIONS, HELLO, TENANTS, Bench, etag, patients, rates_seen, refuse_others, serve, tenants
from bench.page import Figure, Section
from bench.stack import ADMIN, WORKERS, finished

POLLERS = 200
LARGE_ROWS = 60_000
"""Rows of a job that keeps a worker busy for a few seconds."""
BUSY_JOBS = 60


def get(bench: Bench) -> Section:
    """Reading a job."""
    sample = bench.sample
    bench.stack.stop("worker")
    serve(bench)
    found, _ = bench.rates([sample.get()], CONNECTIONS, 200)
    figure = Figure("`GET /v1/jobs/{id}`", f"{found.ratio:.2f} × hello", "≥ 0.30 × hello", found.ratio >= 0.30)
    about = f"One token reads a job over {CONNECTIONS} connections. Limits on requests are off."
    return Section("get", about, [figure], bench.circumstances(rates_seen(bench, found)), found.void)


def post(bench: Bench) -> Section:
    """Submitting a small job."""
    samples = tenants(bench)
    bench.stack.stop("worker")
    serve(bench)
    found, _ = bench.rates([sample.post() for sample in samples], CONNECTIONS, 202)
    bench.stack.forget_queue()
    figure = Figure("`POST /v1/jobs`", f"{found.ratio:.3f} × hello", "≥ 0.06 × hello", found.ratio >= 0.06)
    about = (
        f"{TENANTS} tenants submit small jobs over {CONNECTIONS} connections: authenticated, checked, sealed, stored, "
        "recorded in the audit trail and announced to the broker; no worker runs them. Limits on requests are off."
    )
    return Section("post", about, [figure], bench.circumstances(rates_seen(bench, found)), found.void)


def latency(bench: Bench) -> Section:
    """The slowest answers at a moderate load."""
    sample = bench.sample
    bench.stack.stop("worker")
    serve(bench)
    loads = [(bench.stack.hello_port, HELLO), (bench.stack.port, sample.get())]
    hello, own = ([bench.flood(port, [asked]).rate for _ in range(2)] for port, asked in loads)
    most = [max(hello), max(own)]
    slowest: list[list[float]] = [[], []]
    for _ in range(bench.rounds):
        for place, (port, asked) in enumerate(loads):
            tally = bench.pace(port, [asked], 0.6 * most[place], bench.seconds)
            refuse_others(tally, 200)
            slowest[place].append(tally.percentile(0.99))
    hello.append(bench.flood(bench.stack.hello_port, [HELLO]).rate)
    found = Comparison(*slowest)
    figure = Figure("p99 of `GET /v1/jobs/{id}`", f"{found.ratio:.1f} × hello's", "≤ 8 × hello's", found.ratio <= 8)
    about = (
        "Both get requests on a schedule, at 60 % of the highest rate that each reaches; latency is measured from the "
        "moment at which the request was due. Limits on requests are off."
    )
    times = " and ".join(f"{1000 * statistics.median(part):.1f} ms" for part in slowest)
    rates = f"p99 of hello and API {times} at {0.6 * most[0]:.0f} and {0.6 * most[1]:.0f} requests a second."
    return Section("latency", about, [figure], bench.circumstances(rates), unsteady("hello's rate", hello))


def polling(bench: Bench) -> Section:
    """Two hundred clients that wait for one job."""
    sample = bench.sample
    serve(bench)
    asked = [sample.get(etag(bench, sample))]
    bench.stack.stop("worker")
    found, _ = bench.rates(asked, POLLERS, 304)
    rate = Figure("304 to their ETag", f"{found.ratio:.2f} × hello", "≥ 0.40 × hello", found.ratio >= 0.40)
    alone, watched = _job_times(bench, asked)
    slower = statistics.median(watched) / statistics.median(alone)
    figure = Figure("time of a running job", f"{slower:.2f} × without them", "≤ 1.5 × without", slower <= 1.5)
    about = (
        f"{POLLERS} clients ask for a job that does not change: as fast as they are answered (compared with hello "
        "over as many connections), and once a second each while another job runs. Limits on requests are off."
    )
    times = f"The job took {statistics.median(alone):.1f} s alone and {statistics.median(watched):.1f} s with them."
    return Section("polling", about, [rate, figure], bench.circumstances(rates_seen(bench, found), times), found.void)


def _job_times(bench: Bench, asked: list[bytes]) -> tuple[list[float], list[float]]:
    """Seconds of a job without and with pollers, alternating."""
    bench.stack.ensure("worker")
    content = patients(LARGE_ROWS)
    _job_seconds(bench, content)
    alone, watched = [], []
    for _ in range(3):
        alone.append(_job_seconds(bench, content))
        pollers = bench.pacing(bench.stack.port, asked, float(POLLERS), 3 * alone[-1] + 2, POLLERS)
        time.sleep(1)
        watched.append(_job_seconds(bench, content))
        refuse_others(pollers.result(), 304)
    return alone, watched


def _job_seconds(bench: Bench, content: bytes) -> float:
    job = finished(bench.stack, bench.submit(ADMIN, content)["id"])
    began, ended = (datetime.fromisoformat(job[moment]) for moment in ("started_at", "finished_at"))
    return (ended - began).total_seconds()


def busy(bench: Bench) -> Section:
    """Reads while the workers compute."""
    sample = bench.sample
    serve(bench)
    bench.stack.ensure("worker")
    content = patients(LARGE_ROWS)
    jobs = [bench.submit(ADMIN, content)["id"] for _ in range(BUSY_JOBS)]
    _until_running(bench, jobs[0])
    idle, working = [], []
    try:
        for _ in range(bench.rounds):
            bench.stack.signal("worker", signal.SIGSTOP)
            idle.append(bench.flood(bench.stack.port, [sample.get()]))
            bench.stack.signal("worker", signal.SIGCONT)
            working.append(bench.flood(bench.stack.port, [sample.get()]))
    finally:
        bench.stack.signal("worker", signal.SIGCONT)
    left = _unfinished(bench, jobs)
    bench.stack.forget_queue()
    bench.stack.restart("worker")
    found = Comparison([tally.rate for tally in idle], [tally.rate for tally in working])
    errors = sum(tally.others(200) for tally in [*idle, *working])
    figures = [
        Figure("reads with busy workers", f"{found.ratio:.2f} × idle", "≥ 0.50 × idle", found.ratio >= 0.5),
        Figure("reads that failed", str(errors), "0", errors == 0),
    ]
    about = (
        f"A token reads a job over {CONNECTIONS} connections while {WORKERS} worker processes have jobs to compute, in "
        "turns with the same reads while the workers are halted. Limits on requests are off."
    )
    rates = f"{statistics.median(found.yardstick):.0f} reads a second with idle workers; {left} jobs were left over."
    void = unsteady("idle reads", found.yardstick) if left >= WORKERS else "the workers ran out of jobs"
    return Section("busy", about, figures, bench.circumstances(rates), void)


def _until_running(bench: Bench, job_id: str) -> None:
    with bench.stack.client() as client:
        while client.get(f"/v1/jobs/{job_id}").json()["status"] == "queued":
            time.sleep(0.05)


def _unfinished(bench: Bench, jobs: Sequence[str]) -> int:
    with bench.stack.client() as client:
        return sum(client.get(f"/v1/jobs/{job_id}").json()["finished_at"] is None for job_id in jobs)
