"""Load: how much load the service can handle, compared with a bare hello on the same machine at the same time.

The whole stack is started (PostgreSQL, Redis, API, worker, sweeper), together with `bench.hello`. Rates on a shared
machine mean nothing on their own, so every figure is a ratio of measurements taken in turns, A B A B, and the median
of the rounds counts; if hello itself varied by more than 30 %, the part is void. Requests come from another process
over the loopback address.

    python -m bench.load                          every part except the soak; about twelve minutes
    python -m bench.load --only get,post          these parts; the others keep their place on the page
    python -m bench.load --only soak --soak-minutes 60
    python -m bench.load.against ../before        this checkout and another one in turns, in one run
"""
