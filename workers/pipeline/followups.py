"""Follow-ups of a release, in its own transaction: it becomes public and is queued for portals, as its job requested.

Webhooks that the job names are notified of its end with the others (`storage.trail.events`).
"""

from uuid import UUID

from sqlalchemy import Connection

from api_schemas.data.cards import missing_in
from storage.audit import audit
from storage.jobs.jobs import JobRecord
from storage.outbound import publications
from storage.outbound.publications import PublicationDraft
from storage.releases import cards, listings
from storage.releases.releases import ReleaseRecord
from storage.trail.events import emit

INCOMPLETE = "the release was not made public: its card is no longer complete"


def audience_of(c: Connection, keys: bytes, job: JobRecord) -> str:
    """Who may read the release of a job: public if it goes to a portal and its card is still complete."""
    if not _portals(job):
        return "tenant"
    card = cards.upcoming_card(c, keys, job.tenant_id, job.dataset_id)
    return "tenant" if missing_in(card) else "public"


def follow(c: Connection, keys: bytes, job: JobRecord, release: ReleaseRecord) -> None:
    """Queue the publications that the job requested."""
    if release.audience == "public":
        listings.list_release(c, release)
    for asked in _portals(job):
        draft = PublicationDraft(
            release.tenant_id, release.id, UUID(asked["portal"]), asked["mode"], asked["base"], job.created_by
        )
        if release.audience == "public":
            publications.add(c, keys, draft)
        else:
            publications.add(c, keys, draft, refused=INCOMPLETE)
            ids = {"release_id": release.id, "portal_id": draft.portal_id}
            emit(c, release.tenant_id, "publication.failed", ids)


def note(c: Connection, actor: str, job: JobRecord, release: ReleaseRecord) -> None:
    """Append the follow-ups to the audit trail."""
    if release.audience == "public":
        audit.append(c, release.tenant_id, actor, "release.audience", str(release.id), {"audience": "public"})
    for asked in _portals(job):
        details = {"portal": asked["portal"], "mode": asked["mode"]}
        audit.append(c, release.tenant_id, actor, "publication.create", str(release.id), details)


def _portals(job: JobRecord) -> list[dict[str, str]]:
    """The publications that a job requests, one for each portal."""
    asked = [step["publish"] for step in (job.then or {}).get("steps", ()) if "publish" in step]
    return list({step["portal"]: step for step in asked}.values())
