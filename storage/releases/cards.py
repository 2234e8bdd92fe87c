"""Cards: stewards' descriptions of releases, in versions that are only ever added.

A card describes a release, a dataset (as given with the upload, for all its releases) or a tenant (the defaults of all
its cards). Every version carries a code under the release key.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Text, cast, func, insert, literal, or_, select, tuple_
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import InstrumentedAttribute

from storage.crypto.authenticity import mac_of, require_authentic, with_codes
from storage.database.locks import lock_name
from storage.database.records import columns_of
from storage.orm import Card, Release
from storage.releases.releases import ReleaseRecord


@dataclass(frozen=True)
class CardRecord:
    """One version of a card."""

    subject: UUID
    version: int
    tenant_id: UUID
    content: dict[str, Any]
    created_at: datetime
    mac: bytes


@dataclass(frozen=True)
class CardInForce:
    """The current description of a release."""

    content: dict[str, Any]
    version: int
    """Version of the release's own card; 0 if it has none."""
    changed_at: datetime
    """When a card that it combines was last written, or the release was created."""


_KIND = "card"
_COLUMNS = columns_of(CardRecord, Card)
Cards = Mapping[UUID, CardRecord]


def write_card(c: Connection, keys: bytes, tenant_id: UUID, subject: UUID, content: dict[str, Any]) -> CardRecord:
    """Add the next version of the subject's card."""
    lock_name(c, "card", str(subject))
    newest = select(func.coalesce(func.max(Card.version), 0)).where(Card.subject == subject)
    values: dict[str, Any] = {
        "subject": subject,
        "version": c.execute(newest).scalar_one() + 1,
        "tenant_id": tenant_id,
        "content": content,
        "created_at": c.execute(select(func.now())).scalar_one(),
    }
    record = CardRecord(**values, mac=mac_of(keys, _KIND, list(values.values())))
    c.execute(insert(Card).values(vars(record)))
    return record


def newest_cards(c: Connection, keys: bytes, subjects: Iterable[UUID]) -> dict[UUID, CardRecord]:
    """The newest card of each subject that has one; `Forged` if one was changed."""
    records = _newest_records(c, subjects)
    for record in records:
        require_authentic(keys, _KIND, *_coded(record))
    return {record.subject: record for record in records}


def _coded(record: CardRecord) -> tuple[list[Any], bytes]:
    """The values that the code of a card covers, and the code."""
    return list(vars(record).values())[:-1], record.mac


def _newest_records(c: Connection, subjects: Iterable[UUID]) -> list[CardRecord]:
    asked = Card.subject.in_(set(subjects))
    newest = select(Card.subject, func.max(Card.version)).where(asked).group_by(Card.subject)
    statement = select(*_COLUMNS).where(asked, tuple_(Card.subject, Card.version).in_(newest))
    return [CardRecord(*row) for row in c.execute(statement)]


def cards_of(c: Connection, keys: bytes, releases: Sequence[ReleaseRecord]) -> dict[UUID, CardInForce]:
    """The card in force of each release of a list; releases with a changed card are left out."""
    subjects = {each.id: (each.id, each.dataset_id, each.tenant_id) for each in releases}
    asked = [subject for each in subjects.values() for subject in each]
    found = _newest_records(c, asked)
    known = {record.subject: record for record in with_codes(keys, _KIND, found, _coded)}
    changed = {record.subject for record in found} - set(known)
    return {each.id: card_in_force(each, known) for each in releases if changed.isdisjoint(subjects[each.id])}


def card_of(c: Connection, keys: bytes, release: ReleaseRecord) -> CardInForce:
    """The card in force of one release; `Forged` if it was changed."""
    return card_in_force(release, newest_cards(c, keys, [release.id, release.dataset_id, release.tenant_id]))


def upcoming_card(c: Connection, keys: bytes, tenant_id: UUID, dataset_id: UUID) -> dict[str, Any]:
    """The card of a future release of a dataset."""
    known = newest_cards(c, keys, [dataset_id, tenant_id])
    said = [known.get(tenant_id), known.get(dataset_id)]
    return {name: value for card in said if card is not None for name, value in card.content.items()}


def card_in_force(release: ReleaseRecord, known: Cards) -> CardInForce:
    """The release's own card, or that of its upload; fields that it lacks come from the tenant's card."""
    own = known.get(release.id)
    said = [known.get(release.tenant_id), own or known.get(release.dataset_id)]
    used = [card for card in said if card is not None and card.tenant_id == release.tenant_id]
    content = {name: value for card in used for name, value in card.content.items()}
    changed = max([release.created_at, *(card.created_at for card in used)])
    return CardInForce(content, 0 if own is None else own.version, changed)


# --- conditions of queries -------------------------------------------------------------------------------------------


def _newest(subject: InstrumentedAttribute[UUID]) -> ColumnElement[Any]:
    statement = select(Card.content).where(Card.subject == subject, Card.tenant_id == Release.tenant_id)
    return statement.order_by(Card.version.desc()).limit(1).correlate(Release).scalar_subquery()


def _content() -> ColumnElement[Any]:
    """The same as `card_in_force`, computed by the database for searches."""
    nothing = literal({}, JSONB)
    own = func.coalesce(_newest(Release.id), _newest(Release.dataset_id), nothing, type_=JSONB)
    return func.coalesce(_newest(Release.tenant_id), nothing, type_=JSONB).op("||", return_type=JSONB)(own)


def has_license(license_id: str) -> ColumnElement[bool]:
    """Whether a release is under this license."""
    return cast(_content()["license"].astext, Text) == license_id


def mentions(word: str) -> ColumnElement[bool]:
    """Whether a release's name, title, description or keywords contain a word, ignoring case."""
    content = _content()
    places = (Release.name, *(content[name].astext for name in ("title", "description", "keywords")))
    return or_(*(cast(place, Text).icontains(word, autoescape=True) for place in places))
