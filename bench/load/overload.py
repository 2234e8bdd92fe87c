"""Overload: three times as many jobs as the service can handle."""

import time
from collections.abc import Sequence

from bench.load.rig import TENANTS, Bench, serve, tenants
from bench.page import Figure, Section

OVERLOADED = (429, 503)
OVERLOAD_CONNECTIONS = 32


def overload(bench: Bench) -> Section:
    """Three times as many jobs as the service can handle."""
    samples = tenants(bench)
    bench.stack.stop("worker")
    serve(bench, limited=True)
    asked, port = [sample.post() for sample in samples], bench.stack.port
    _, full = (bench.flood(port, asked, OVERLOAD_CONNECTIONS) for _ in ("warming up", "at full load"))
    most, usual = full.rate_of(202), full.percentile(0.99, 202)
    above = bench.pace(port, asked, 3 * most, 2 * bench.seconds, 8 * OVERLOAD_CONNECTIONS)
    slow, recovery = above.percentile(0.99, 202) / usual, _recovery(bench, asked, most / 2, usual)
    recovery += max(0.0, above.seconds - 2 * bench.seconds)
    bench.stack.forget_queue()
    others = above.others(202, *OVERLOADED) + above.unadvised
    figures = [
        Figure("answers other than 202, or 429 and 503 with Retry-After", str(others), "0", others == 0),
        Figure("p99 of accepted jobs", f"{slow:.2f} × that at full load", "≤ 2 ×", slow <= 2),
        Figure("recovery", f"{recovery:.1f} s", "< 10 s", recovery < 10),
    ]
    about = (
        f"{TENANTS} tenants submit jobs over {OVERLOAD_CONNECTIONS} connections as fast as they are answered: full "
        "load. Then they submit three times as many on a schedule. The service has recovered when it answers half the "
        "load without a refusal and as fast as at full load. The limits on requests are those of production."
    )
    shares = ", ".join(f"{count} × {status}" for status, count in sorted(above.statuses.items()))
    rates = f"Full load {most:.0f} jobs a second with p99 {usual * 1000:.0f} ms; at three times that: {shares}."
    return Section("overload", about, figures, bench.circumstances(rates))


def _recovery(bench: Bench, asked: Sequence[bytes], rate: float, usual: float) -> float:
    """Seconds until half the load is answered without a refusal, as fast as at full load."""
    began = time.perf_counter()
    while (seconds := time.perf_counter() - began) < 30:
        tally = bench.pace(bench.stack.port, asked, rate, 1.0)
        if not tally.others(202) and tally.percentile(0.99) <= 2 * usual:
            return seconds
    return seconds
