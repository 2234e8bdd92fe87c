"""Outbound operations: webhooks, portals, and publications of releases."""

from collections.abc import Sequence
from typing import Any

from antifaz_client.transport.calls import call, document, listed
from antifaz_client.transport.flow import Flow, operation


class Outbound:
    """Outbound operations for admins and stewards."""

    @operation
    def create_webhook(self, url: str, events: Sequence[str], description: str | None = None) -> Flow[dict[str, Any]]:
        """Send events to an address; the secret is only in this answer."""
        body = {"url": url, "events": list(events), "description": description}
        return (yield from document("create_webhook", json=body))

    @operation
    def webhooks(self) -> Flow[list[dict[str, Any]]]:
        """All webhooks of the tenant, without their secrets."""
        return (yield from listed("list_webhooks", None))

    @operation
    def delete_webhook(self, webhook_id: str) -> Flow[None]:
        """Delete a webhook."""
        yield from call("delete_webhook", webhook_id)

    @operation
    def rotate_webhook(self, webhook_id: str) -> Flow[dict[str, Any]]:
        """Give a webhook a new secret, which is only in this answer."""
        return (yield from document("rotate_webhook", webhook_id))

    @operation
    def test_webhook(self, webhook_id: str) -> Flow[dict[str, Any]]:
        """Send a test event to a webhook, and return the delivery."""
        return (yield from document("test_webhook", webhook_id))

    @operation
    def create_portal(
        self, kind: str, name: str, url: str, key: str, collection: str | None = None
    ) -> Flow[dict[str, Any]]:
        """Register a portal; its key is never shown again."""
        body = {"kind": kind, "name": name, "url": url, "token": key, "collection": collection}
        return (yield from document("create_portal", json=body))

    @operation
    def portals(self) -> Flow[list[dict[str, Any]]]:
        """All portals of the tenant, without their keys."""
        return (yield from listed("list_portals", None))

    @operation
    def delete_portal(self, portal_id: str) -> Flow[None]:
        """Delete a portal on which no release is left."""
        yield from call("delete_portal", portal_id)

    @operation
    def publish_on(
        self, release_id: str, portal_id: str, upload: bool = False, irrevocable: bool = False
    ) -> Flow[dict[str, Any]]:
        """Send a public release to a portal as links, or as copies, which may outlive a withdrawal."""
        copies = {"mode": "upload", "acknowledge_copies": True} if upload else {}
        body = {"portal": portal_id, "irrevocable": irrevocable, **copies}
        return (yield from document("create_publication", release_id, json=body))

    @operation
    def publications(self, release_id: str) -> Flow[list[dict[str, Any]]]:
        """The past, present and pending publications of a release on portals."""
        found = yield from document("list_publications", release_id)
        return list(found["items"])
