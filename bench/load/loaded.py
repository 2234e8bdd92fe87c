"""A checkout under load: starts its stack, and for each line of input sends requests as fast as they are answered.

Run by `bench.load.against` with the checkout's own interpreter and folder, so everything except this file is the
checkout's. Reads lines such as ``post 1.5`` and answers each with the rate, a line of JSON.
"""

import importlib
import json
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path


def main() -> None:
    """Serve until the input ends."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        rig = importlib.import_module("bench.load.rig")
    except ModuleNotFoundError:
        # Older checkouts have it all in one module.
        rig = importlib.import_module("bench.load")
    from bench.stack import running_stack

    context = multiprocessing.get_context("spawn")
    with running_stack() as stack, ProcessPoolExecutor(1, mp_context=context) as generator:
        bench = rig.Bench(stack, generator, 1, 1.0)
        samples = getattr(rig, "tenants", None) or rig._tenants
        tenants = samples(bench)
        # Jobs are submitted, not run: a busy worker would be measured too.
        stack.stop("worker")
        requests = {"get": [bench.sample.get()], "post": [each.post() for each in tenants]}
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            what, seconds = line.split()
            bench.seconds = float(seconds)
            tally = bench.flood(stack.port, requests[what])
            if tally.others(200, 202):
                raise RuntimeError(f"unexpected answers: {dict(tally.statuses)}")
            print(json.dumps(tally.rate), flush=True)


if __name__ == "__main__":
    main()
