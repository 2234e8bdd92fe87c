"""Metrics: counts and times by operation, on a separate port."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Thread
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from service.runtime.logs import log_failure
from service.runtime.queues import ShownQueue
from storage.crypto.authenticity import FORGED

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 600.0)


class _ForgedRows(Collector):
    """Rows without their authentication code, as the store counted them: anything above 0 is an alarm."""

    def collect(self) -> Iterator[Metric]:
        family = CounterMetricFamily(
            "antifaz_forged_rows", "Rows that do not match their code, as often as found.", labels=["kind"]
        )
        for kind, count in sorted(FORGED.items()):
            family.add_metric([kind], count)
        yield family


class Metrics:
    """Metrics of this process. Labels are operation ids and statuses, never ids of tenants or of stored resources."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ["operation", "status"]
        self._seconds = Histogram(
            "antifaz_request_seconds", "Time to answer.", labels, buckets=_SECONDS, registry=self.registry
        )
        self.uploaded = Counter("antifaz_uploaded_bytes", "Bytes of accepted uploads.", registry=self.registry)
        self.served = Counter("antifaz_served_bytes", "Bytes of releases sent.", registry=self.registry)
        self.rung = Counter("antifaz_rung_jobs", "Jobs announced to the broker.", registry=self.registry)
        self.unrung = Counter("antifaz_ring_failures", "Failed announcements.", registry=self.registry)
        self.streams = Gauge("antifaz_job_listeners", "Clients waiting for a job.", registry=self.registry)
        self.registry.register(_ForgedRows())
        self._series: dict[tuple[str, int], Histogram] = {}
        self._server: tuple[WSGIServer, Thread] | None = None

    def show_queues(self, states: Callable[[], Sequence[ShownQueue]]) -> None:
        """Ask for the state of the queues at every visit."""
        self.registry.register(_Queues(states))

    def observe(self, operation: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        series = self._series.get((operation, status))
        if series is None:
            series = self._series[operation, status] = self._seconds.labels(operation, str(status))
        series.observe(seconds)

    def listen(self, host: str, port: int) -> None:
        """Serve /metrics; port 0 disables it. If the port is taken, the API is served without metrics."""
        if not port:
            return
        try:
            self._server = start_http_server(port, host, registry=self.registry)
        except OSError as error:
            log_failure("metrics are not served", error, port=port)

    def close(self) -> None:
        """Stop serving."""
        if self._server:
            server, thread = self._server
            server.shutdown()
            server.server_close()
            thread.join()


class _Queues(Collector):
    """The state of the queues, as the database knows it when the metrics are read."""

    def __init__(self, states: Callable[[], Sequence[ShownQueue]]) -> None:
        self._states = states

    def describe(self) -> Iterable[Metric]:
        """Names only: nothing is asked when this is registered."""
        return self._families([])

    def collect(self) -> Iterable[Metric]:
        """A database that does not answer leaves these figures out and keeps the others."""
        try:
            return self._families(self._states())
        except Exception as error:  # noqa: BLE001 - any error means that it does not answer
            log_failure("the queues are unknown", error)
            return []

    def _families(self, states: Sequence[ShownQueue]) -> list[Metric]:
        consumers = GaugeMetricFamily("antifaz_queue_consumers", "Live consumers of a queue.", labels=["queue"])
        waiting = GaugeMetricFamily(
            "antifaz_queue_oldest_waiting_seconds", "Age of the oldest waiting work; 0 if none.", labels=["queue"]
        )
        consumed = GaugeMetricFamily(
            "antifaz_queue_last_consumed_seconds", "Time since something was last taken.", labels=["queue"]
        )
        for state in states:
            consumers.add_metric([state.queue], state.consumers)
            waiting.add_metric([state.queue], state.waiting or 0)
            if state.consumed is not None:
                consumed.add_metric([state.queue], state.consumed)
        return [consumers, waiting, consumed]
