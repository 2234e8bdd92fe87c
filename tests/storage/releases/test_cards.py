"""Cards: versions, which card counts, and that no version can be changed."""

from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from storage.errors import Forged
from storage.releases.cards import newest_cards, write_card


def test_the_newest_version_is_read_and_the_older_ones_stay(c, tenant_id, release_key):
    subject = uuid4()
    for number, title in enumerate(("one", "two", "three"), start=1):
        assert write_card(c, release_key, tenant_id, subject, {"title": title}).version == number
    assert newest_cards(c, release_key, [subject])[subject].content == {"title": "three"}
    kept = c.execute(text("SELECT count(*) FROM cards WHERE subject = :id"), {"id": subject}).scalar_one()
    assert kept == 3


@pytest.mark.parametrize(
    "change",
    [
        'content = \'{"title": "forged"}\'',
        "version = 9",
        "subject = gen_random_uuid()",
        "created_at = created_at - interval '1 day'",
    ],
)
def test_no_version_can_be_changed_without_the_key(c, tenant_id, release_key, change):
    subject = write_card(c, release_key, tenant_id, uuid4(), {"title": "mine"}).subject
    c.execute(text(f"UPDATE cards SET {change} WHERE subject = :id"), {"id": subject})
    subjects = c.execute(text("SELECT subject FROM cards WHERE tenant_id = :id"), {"id": tenant_id}).scalars()
    with pytest.raises(Forged):
        newest_cards(c, release_key, list(subjects))


def test_the_service_adds_versions_and_changes_none(service, tenant_id, release_key):
    with service.main.begin() as connection:
        write_card(connection, release_key, tenant_id, tenant_id, {"title": "mine"})
    for statement in ("UPDATE cards SET version = 7", "DELETE FROM cards", "DELETE FROM listings"):
        with service.main.connect() as connection, pytest.raises(ProgrammingError, match="permission denied"):
            connection.execute(text(statement))
