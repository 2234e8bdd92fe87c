"""Facts from stored records, for the API and for the process that sends releases to portals."""

from api_schemas.schema import rfc3339
from metadata.facts import Facts, facts_of
from storage.releases.cards import CardInForce
from storage.releases.releases import ReleaseRecord


def facts_of_record(release: ReleaseRecord, card: CardInForce, base: str, tenant: str) -> Facts:
    """Collect the facts of a stored release and its current card; ``base`` is the beginning of links."""
    shown = {
        "id": str(release.id),
        "job_id": str(release.job_id),
        "name": release.name,
        "kind": release.kind,
        "shape": release.shape,
        "guarantees": release.guarantees,
        "dictionary": release.dictionary,
        "created_at": rfc3339(release.created_at),
        "artifacts": [
            {"format": file.format, "part": file.part, "sha256": file.sha256, "bytes": file.size}
            for file in release.artifacts
        ],
    }
    changed = rfc3339(max(card.changed_at, release.withdrawn_at or card.changed_at))
    return facts_of(shown, card.content, base, str(changed), tenant)
