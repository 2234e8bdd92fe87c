"""The courier's metrics: attempts by outcome, on its own port."""

import logging
from threading import Thread
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server

from storage.logs import log_failure

_LOGGER = logging.getLogger(__name__)


class Metrics:
    """Counters of this process; no label names a tenant, an address or anything stored."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.deliveries = Counter(
            "antifaz_deliveries", "Attempts to call webhooks, by outcome.", ["outcome"], registry=self.registry
        )
        self.publications = Counter(
            "antifaz_publications", "Attempts to publish or to remove, by outcome.", ["outcome"], registry=self.registry
        )
        self.under_way = Gauge("antifaz_courier_under_way", "Calls under way.", registry=self.registry)
        self._server: tuple[WSGIServer, Thread] | None = None

    def listen(self, host: str, port: int) -> None:
        """Serve /metrics; port 0 switches it off. If the port is taken, the courier works without it."""
        if not port:
            return
        try:
            self._server = start_http_server(port, host, registry=self.registry)
        except OSError as error:
            log_failure(_LOGGER, "metrics are not served", error, port=port)

    def close(self) -> None:
        """Stop serving."""
        if self._server:
            server, thread = self._server
            server.shutdown()
            server.server_close()
            thread.join()
