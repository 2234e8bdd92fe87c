"""The client that puts the service under load, against a server with prescribed answers."""

import math
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.wire import Tally, flood, pace, percentile, request

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
NOTHING_NEW = b"HTTP/1.1 304 Not Modified\r\n\r\n"
LATER = b"HTTP/1.1 503 Unavailable\r\nretry-after: 2\r\ncontent-length: 0\r\n\r\n"
RUDE = b"HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\n\r\n"
ASK = request("GET", "/")


@contextmanager
def answering(*answers: bytes, seconds: float = 0.0) -> Iterator[int]:
    """A server that gives each connection these answers in turn, over and over; an empty one hangs up.

    It takes its time over each of them, if told so.
    """

    class Connection(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            number = 0
            while self.rfile.readline():
                while self.rfile.readline().strip():
                    pass
                answer = answers[number % len(answers)]
                number += 1
                time.sleep(seconds)
                if not answer:
                    return
                self.wfile.write(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Connection) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def test_a_flood_counts_every_answer_by_its_status():
    """Longer and longer, until there was time for two answers on one connection, however busy the machine is."""
    with answering(OK, NOTHING_NEW) as port:
        tallies = (flood(port, [ASK], connections=2, seconds=seconds) for seconds in (0.2, 2.0, 20.0, 200.0))
        tally = next(tally for tally in tallies if tally.answers > 2)
    assert set(tally.statuses) == {200, 304}
    assert tally.answers == sum(tally.statuses.values()) == sum(len(times) for times in tally.latencies.values())
    assert tally.others(200, 304) == 0
    assert tally.others(200) == tally.statuses[304]
    assert tally.rate == tally.answers / tally.seconds > 0
    assert tally.rate_of(200) < tally.rate


def test_a_timetable_sends_as_many_as_it_says():
    with answering(OK) as port:
        tally = pace(port, [ASK], connections=4, seconds=0.5, rate=100)
    assert tally.answers == 50
    assert tally.broken == 0


def test_an_answer_that_comes_late_counts_from_when_its_request_was_due():
    """All fifty are due within 0.1 s, one is answered after the other, and each answer takes at least 0.01 s: so the
    n-th waits at least so long, on however busy a machine. Counted from when it is sent it would wait for one alone."""
    with answering(OK, seconds=0.01) as port:
        crowded = pace(port, [ASK], connections=1, seconds=0.1, rate=500)
    times = crowded.latencies[200]
    assert len(times) == 50
    assert all(taken >= 0.01 * (number + 1) - number / 500 for number, taken in enumerate(times))


def test_who_is_turned_away_must_be_told_when_to_come_back():
    with answering(LATER, RUDE) as port:
        tally = flood(port, [ASK], connections=1, seconds=0.1)
    assert tally.unadvised == tally.answers // 2


def test_a_connection_that_ends_is_counted_and_replaced():
    with answering(OK, b"") as port:
        paced = pace(port, [ASK], connections=1, seconds=0.3, rate=20)
        flooded = flood(port, [ASK], connections=3, seconds=600.0)  # ends as soon as no connection is left
    assert (paced.statuses[200], paced.broken) == (3, 3)
    assert (flooded.statuses[200], flooded.broken) == (3, 3)


def test_a_request_says_who_asks_and_how_long_its_body_is():
    sent = request("POST", "/v1/jobs", "secret", {"a": 1}, {"If-None-Match": '"x"'})
    head, _, body = sent.partition(b"\r\n\r\n")
    assert head.split(b"\r\n")[0] == b"POST /v1/jobs HTTP/1.1"
    assert b"Authorization: Bearer secret" in head
    assert b'If-None-Match: "x"' in head
    assert b"Content-Length: 8" in head
    assert body == b'{"a": 1}'


def test_a_percentile_is_a_value_that_was_seen():
    values = [float(number) for number in range(1, 101)]
    assert percentile(values, 0.99) == 99
    assert percentile(values, 0.5) == 50
    assert percentile(values, 1.0) == 100
    assert percentile([3.0], 0.01) == 3
    assert math.isnan(percentile([], 0.5))


def test_percentiles_can_be_those_of_some_statuses():
    tally = Tally()
    for head, seconds in ((OK, 1.0), (OK, 2.0), (LATER, 9.0)):
        tally.note(head, seconds)
    assert tally.percentile(0.99, 200) == 2
    assert tally.percentile(0.99) == 9
