"""Publishing releases on portals, and removing them."""

import hashlib
import logging
import time
from collections.abc import AsyncIterator
from uuid import UUID

from sqlalchemy import Connection

from api_schemas.data.cards import missing_in
from courier.backoff import wait_after
from courier.context import Context
from courier.portals.ckan import Ckan
from courier.portals.dataverse import Dataverse
from courier.portals.invenio import Invenio
from courier.portals.portal import Json, Portal, PortalFault, Shipment
from metadata.facts import File
from metadata.records import facts_of_record
from storage import failpoints
from storage.audit import audit
from storage.blobs.blobs import chunk_numbers, open_release_blob, read_release_chunk, trim
from storage.crypto.sealed_secrets import open_secret
from storage.errors import CorruptBlob, Forged
from storage.logs import log, log_failure
from storage.outbound import publications
from storage.outbound.portals import require_bound as require_bound_portal
from storage.outbound.publications import Errand, PublicationRecord
from storage.releases import cards, listings, releases
from storage.releases.cards import CardInForce
from storage.releases.releases import ReleaseRecord
from storage.trail.events import emit

_LOGGER = logging.getLogger(__name__)
ACTOR = "courier"
_KINDS: dict[str, Portal] = {"ckan": Ckan(), "dataverse": Dataverse(), "invenio": Invenio()}
_NOT_OURS = "the stored publication or its portal was changed"


async def carry(context: Context, errand: Errand) -> None:
    """One attempt at publishing a release, or at removing it."""
    held = errand.publication
    removing = held.state == "withdrawing"
    try:
        shipment = await _shipment(context, errand, removing)
        portal = _KINDS[errand.portal.kind]
        if removing:
            state, reason = "withdrawn", await portal.remove(shipment)
        else:
            await portal.publish(shipment)
            state, reason = "published", None
        failpoints.reach("publication_sent")
    except PortalFault as fault:
        await _fail(context, held, str(fault), again=fault.again, removing=removing)
        return
    except (Forged, CorruptBlob) as error:
        log_failure(_LOGGER, "a publication was changed", error, publication=str(held.id))
        await _fail(context, held, _NOT_OURS, again=False, removing=removing)
        return
    await context.transact(_settle, held, state, reason)
    _log_outcome(context, held, state)


async def _fail(context: Context, held: PublicationRecord, reason: str, *, again: bool, removing: bool) -> None:
    """Schedule another attempt, or record the failure."""
    if again and held.attempts < context.settings.publication_attempts:
        wait = wait_after(context.settings.webhook_backoff, held.attempts)
        await context.transact(publications.try_again, held, reason, wait)
        _log_outcome(context, held, "to be tried again")
        return
    state = "could_not_be_removed" if removing else "failed"
    await context.transact(_settle, held, state, reason)
    _log_outcome(context, held, state)


def _log_outcome(context: Context, held: PublicationRecord, outcome: str) -> None:
    context.metrics.publications.labels(outcome).inc()
    log(_LOGGER, "a portal was called", publication=str(held.id), attempt=held.attempts, outcome=outcome)


def _settle(c: Connection, held: PublicationRecord, state: str, reason: str | None) -> None:
    """Record the end, notify webhooks of a failure, and append it to the audit trail."""
    if not publications.settle(c, held, state, reason):
        return
    if state in ("failed", "could_not_be_removed"):
        ids = {"publication_id": held.id, "release_id": held.release_id, "portal_id": held.portal_id}
        emit(c, held.tenant_id, "publication.failed", ids)
    details = {"publication": str(held.id), "portal": str(held.portal_id), "state": state}
    audit.append(c, held.tenant_id, ACTOR, "publication.end", str(held.release_id), details)


async def _shipment(context: Context, errand: Errand, removing: bool) -> Shipment:
    """The release to send, with the portal's key. Only public releases with a complete card are sent."""
    held, stored = errand.publication, errand.portal
    # Before the portal's key is opened: a changed row could send it, or another tenant's release, elsewhere.
    publications.require_bound(context.release_key, held)
    require_bound_portal(context.release_key, stored)
    if stored.tenant_id != held.tenant_id:
        raise Forged("a publication names the portal of another tenant")
    if stored.deleted_at is not None:
        raise PortalFault("the portal was removed")
    release, card, tenant = await context.transact(_load_release, context.release_key, held)
    public = release.audience == "public" and release.withdrawn_at is None and not missing_in(card.content)
    if not removing and not public:
        raise PortalFault("the release is not public, or its card is not complete")

    # Stored as soon as the portal names them: an attempt that dies later is continued there and not started twice.
    async def keep(remote: Json) -> None:
        lease = context.settings.courier_lease_seconds
        await context.transact(publications.keep_remote, held.id, remote, lease)

    def pieces(file: File) -> AsyncIterator[bytes]:
        return _extend_lease(context, held.id, _as_verified(_pieces(context, release, file), file))

    return Shipment(
        caller=context.caller,
        url=stored.url,
        key=open_secret(context.private_key, stored.id, stored.url, stored.credentials).decode(),
        facts=facts_of_record(release, card, held.base, tenant),
        options=stored.options,
        mode=held.mode,
        remote=dict(held.remote),
        keep=keep,
        pieces=pieces,
    )


def _load_release(c: Connection, keys: bytes, held: PublicationRecord) -> tuple[ReleaseRecord, CardInForce, str]:
    release = releases.get_release(c, keys, held.tenant_id, held.release_id)
    if release is None:
        raise Forged("a publication names a release of another tenant")
    card = cards.card_of(c, keys, release)
    return release, card, listings.names_of_tenants(c, [release.tenant_id])[release.tenant_id]


async def _extend_lease(context: Context, publication_id: UUID, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same pieces; extends the lease while a large file is sent."""
    lease, said_at = context.settings.courier_lease_seconds, time.monotonic()
    async for piece in pieces:
        if time.monotonic() - said_at > lease / 3:
            await context.transact(publications.hold, publication_id, lease)
            said_at = time.monotonic()
        yield piece


async def _as_verified(pieces: AsyncIterator[bytes], file: File) -> AsyncIterator[bytes]:
    """A whole file; its last piece is held back until the digest shows that all of it is what was verified."""
    digest, last = hashlib.sha256(), b""
    async for piece in pieces:
        digest.update(piece)
        if last:
            yield last
        last = piece
    if digest.hexdigest() != file.sha256:
        raise CorruptBlob("the stored artifact is not the one that was verified")
    yield last


async def _pieces(context: Context, release: ReleaseRecord, file: File) -> AsyncIterator[bytes]:
    """The bytes of a file, chunk by chunk, each authenticated."""
    artifact = next(each for each in release.artifacts if (each.format, each.part) == (file.format, file.piece))
    whose: tuple[bytes, UUID, UUID] = (context.release_key, release.tenant_id, artifact.blob_id)
    blob = await context.transact(open_release_blob, *whose)
    if blob.size != artifact.size:
        raise CorruptBlob("an artifact and its blob differ in size")
    for number in chunk_numbers(0, artifact.size):
        content = await context.transact(read_release_chunk, *whose, number, blob.chunks)
        yield trim(content, number, 0, artifact.size)
