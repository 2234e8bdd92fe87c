"""Pages for outbound data: portals, webhooks with their deliveries, and the publications of a release."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, get_args
from urllib.parse import quote

from fastapi import Query, Request
from starlette.responses import Response

from api_schemas.data.portals import PortalKind, Subject
from api_schemas.data.webhooks import EventName
from service.console.pages import needs, page_router, show
from service.console.snippets import same_as
from service.console.visit import visit_of
from service.http.parameters import ItemId

router = page_router()

_MOST_PORTALS = 200
KINDS_OF_PORTALS = {"ckan": "CKAN", "dataverse": "Dataverse", "invenio": "InvenioRDM or Zenodo"}
_PORTAL = {"kind": "ckan", "name": "City portal", "url": "https://data.city.example", "token": "…"}
_WEBHOOK = {"url": "https://hooks.example/antifaz", "events": ["job.released", "release.withdrawn"]}

Cursor = Annotated[str, Query(max_length=400)]

needs("page_portals", "list_portals")
needs("page_webhooks", "list_webhooks")
needs("page_webhook", "get_webhook")
needs("page_publications", "list_publications")


@router.get("/portals", operation_id="page_portals")
async def portals(request: Request, cursor: Cursor = "") -> Response:
    """The portals to which releases can be sent; no page shows a key."""
    visit = visit_of(request)
    page = await visit.get("/v1/portals", limit=50, cursor=cursor)
    made = (("POST", "/v1/portals", _PORTAL),) if visit.may("create_portal") else ()
    return show(
        request,
        "portals.html",
        portals=page["items"],
        next_cursor=page["next_cursor"],
        kinds_of_portals={kind: KINDS_OF_PORTALS[kind] for kind in get_args(PortalKind)},
        subjects=get_args(Subject),
        same=same_as(request, ("GET", "/v1/portals"), *made),
    )


@router.get("/webhooks", operation_id="page_webhooks")
async def webhooks(request: Request, cursor: Cursor = "") -> Response:
    """Addresses that are notified of events."""
    page = await visit_of(request).get("/v1/webhooks", limit=50, cursor=cursor)
    return show(
        request,
        "webhooks.html",
        webhooks=page["items"],
        next_cursor=page["next_cursor"],
        events=get_args(EventName),
        same=same_as(request, ("GET", "/v1/webhooks"), ("POST", "/v1/webhooks", _WEBHOOK)),
    )


@router.get("/webhooks/{id}", operation_id="page_webhook")
async def webhook(request: Request, item_id: ItemId, cursor: Cursor = "") -> Response:
    """One webhook: its deliveries, their states, and a button to send one again."""
    visit, path = visit_of(request), f"/v1/webhooks/{quote(item_id, safe='')}"
    found, page = await asyncio.gather(visit.get(path), visit.get(f"{path}/deliveries", limit=50, cursor=cursor))
    return show(
        request,
        "webhook.html",
        webhook=found,
        deliveries=page["items"],
        next_cursor=page["next_cursor"],
        same=same_as(
            request,
            ("GET", f"{path}/deliveries"),
            ("POST", f"{path}/test"),
            ("POST", f"{path}/rotate"),
            ("POST", "/v1/deliveries/{id}/redeliver"),
            ("DELETE", path),
        ),
    )


@router.get("/releases/{id}/publications", operation_id="page_publications")
async def publications(request: Request, item_id: ItemId) -> Response:
    """The publications of a release on portals."""
    visit, path = visit_of(request), f"/v1/releases/{quote(item_id, safe='')}"
    release, listed = await asyncio.gather(visit.get(path), visit.get(f"{path}/publications"))
    known = (await visit.get_all("/v1/portals", _MOST_PORTALS))[0] if visit.may("list_portals") else []
    by_id = {portal["id"]: portal for portal in known}
    example: dict[str, Any] = {"portal": known[0]["id"] if known else "…"}
    calls = (("POST", f"{path}/publications", example), ("DELETE", "/v1/publications/{id}"))
    return show(
        request,
        "publications.html",
        release=release,
        title=str((release.get("about") or {}).get("title") or release["name"]),
        publications=[
            each | {"on": (on := by_id.get(each["portal"])), "again": _again(each, on)} for each in listed["items"]
        ],
        portals=known,
        kinds_of_portals=KINDS_OF_PORTALS,
        same=same_as(request, ("GET", f"{path}/publications"), *(calls if visit.may("create_publication") else ())),
    )


def _again(publication: Mapping[str, Any], portal: Mapping[str, Any] | None) -> dict[str, Any]:
    """The request that sends a release to a portal again, with the acknowledgments of the first time."""
    said: dict[str, Any] = {"portal": publication["portal"], "mode": publication["mode"]}
    if publication["mode"] == "upload":
        said["acknowledge_copies"] = True
    if portal is not None and portal["kind"] == "invenio":
        said["irrevocable"] = True
    return said
