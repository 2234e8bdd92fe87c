"""The roles: what each process may do in the databases, and above all what it may not do."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError

EVERY_RIGHT = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE")
MAIN_RIGHTS = {
    "antifaz_service": {
        "audit_events": "SELECT INSERT",
        "original_chunks": "INSERT DELETE",
        "release_chunks": "SELECT",
        "releases": "SELECT",
        "artifacts": "SELECT",
        "reports": "SELECT",
        "policies": "SELECT INSERT",
        "tokens": "SELECT INSERT",
        "blobs": "SELECT INSERT",
        "jobs": "SELECT INSERT",
        "datasets": "SELECT INSERT",
        "budgets": "SELECT INSERT",
        "charges": "SELECT INSERT",
        "webhooks": "SELECT INSERT",
        "deliveries": "SELECT INSERT",
        "portals": "SELECT INSERT",
        "publications": "SELECT INSERT",
        "tallies": "SELECT",
    },
    "antifaz_worker": {
        "audit_events": "SELECT INSERT",
        "original_chunks": "SELECT INSERT DELETE",
        "releases": "SELECT INSERT",
        "reports": "SELECT INSERT",
        "tokens": "",
        "policies": "SELECT",
        "budgets": "SELECT",
        "charges": "SELECT",
        "webhooks": "",
        "deliveries": "INSERT",
        "portals": "",
        "publications": "SELECT INSERT",
        "cards": "SELECT",
        "tallies": "",
    },
    "antifaz_courier": {
        "original_chunks": "",
        "release_chunks": "SELECT",
        "releases": "SELECT",
        "artifacts": "SELECT",
        "cards": "SELECT",
        "datasets": "",
        "jobs": "",
        "reports": "",
        "policies": "",
        "hierarchies": "",
        "tokens": "",
        "idempotency": "",
        "budgets": "",
        "blobs": "",
        "portals": "SELECT",
        "publications": "SELECT",
        "webhooks": "SELECT",
        "deliveries": "SELECT INSERT DELETE",
        "audit_events": "SELECT INSERT",
        "tallies": "",
    },
}
KEYRING_RIGHTS = {
    "antifaz_service": {"sealed_keys": "INSERT DELETE", "audit_anchors": "SELECT INSERT"},
    "antifaz_worker": {"sealed_keys": "SELECT INSERT DELETE", "audit_anchors": "SELECT INSERT"},
    "antifaz_courier": {"sealed_keys": "", "audit_anchors": "", "ledger_anchors": ""},
}


def rights(url: str, role: str, table: str) -> str:
    """The rights of a role on a whole table."""
    engine = create_engine(url, poolclass=NullPool)
    ask = text("SELECT has_table_privilege(:role, :table, :right)")
    with engine.connect() as connection:
        held = [
            right
            for right in EVERY_RIGHT
            if connection.execute(ask, {"role": role, "table": table, "right": right}).scalar_one()
        ]
    return " ".join(held)


@pytest.mark.parametrize(("role", "table"), [(role, table) for role in MAIN_RIGHTS for table in MAIN_RIGHTS[role]])
def test_the_main_database_grants_exactly_this(databases: Any, role: str, table: str) -> None:
    assert rights(databases.url, role, table) == MAIN_RIGHTS[role][table]


@pytest.mark.parametrize(
    ("role", "table"), [(role, table) for role in KEYRING_RIGHTS for table in KEYRING_RIGHTS[role]]
)
def test_the_keyring_grants_exactly_this(databases: Any, role: str, table: str) -> None:
    assert rights(databases.keyring_url, role, table) == KEYRING_RIGHTS[role][table]


@pytest.fixture
def engines(databases: Any) -> Iterator[dict[str, Engine]]:
    """An engine for each login and database."""
    made = {
        "service": create_engine(databases.service_url, poolclass=NullPool),
        "service keyring": create_engine(databases.service_keyring_url, poolclass=NullPool),
        "worker": create_engine(databases.worker_url, poolclass=NullPool),
        "worker keyring": create_engine(databases.worker_keyring_url, poolclass=NullPool),
        "courier": create_engine(databases.courier_url, poolclass=NullPool),
    }
    yield made
    for engine in made.values():
        engine.dispose()


@pytest.mark.parametrize(
    ("login", "statement"),
    [
        ("service", "SELECT content FROM original_chunks"),
        ("service", "SELECT * FROM original_chunks"),
        ("service", "COPY original_chunks TO STDOUT"),
        ("service", "SELECT length(content) FROM original_chunks"),
        ("service", "DELETE FROM original_chunks RETURNING content"),
        ("service", "UPDATE original_chunks SET content = ''"),
        ("service", "INSERT INTO release_chunks VALUES (gen_random_uuid(), 0, '')"),
        ("service", "DELETE FROM release_chunks"),
        ("service", "INSERT INTO releases DEFAULT VALUES"),
        ("service", "UPDATE jobs SET release_id = gen_random_uuid()"),
        ("service", "UPDATE jobs SET fence = 100"),
        ("service", "UPDATE tokens SET role = 'admin'"),
        ("service", "UPDATE audit_events SET actor = 'x'"),
        ("service", "DELETE FROM audit_events"),
        ("service", "TRUNCATE audit_events"),
        ("service", "UPDATE declarations SET version = 2"),
        ("service", "DELETE FROM declarations"),
        ("service", "DELETE FROM grants"),
        ("service", "INSERT INTO query_answers DEFAULT VALUES"),
        ("service", "DELETE FROM budgets"),
        ("service", "UPDATE charges SET units = 1"),
        ("service", "DELETE FROM charges"),
        ("service", "TRUNCATE charges"),
        ("service", "CREATE TABLE mine (x int)"),
        ("service keyring", "SELECT sealed FROM sealed_keys"),
        ("service keyring", "SELECT * FROM sealed_keys"),
        ("service keyring", "DELETE FROM sealed_keys RETURNING sealed"),
        ("service keyring", "UPDATE sealed_keys SET sealed = ''"),
        ("service keyring", "UPDATE audit_anchors SET digest = ''"),
        ("service keyring", "DELETE FROM audit_anchors"),
        ("service keyring", "INSERT INTO ledger_anchors DEFAULT VALUES"),
        ("worker", "UPDATE audit_events SET actor = 'x'"),
        ("worker", "DELETE FROM audit_events"),
        ("worker", "TRUNCATE audit_events"),
        ("worker", "UPDATE budgets SET spent = 0"),
        ("worker", "INSERT INTO charges DEFAULT VALUES"),
        ("worker", "DELETE FROM charges"),
        ("worker", "INSERT INTO declarations DEFAULT VALUES"),
        ("worker", "SELECT * FROM grants"),
        ("worker", "SELECT * FROM tokens"),
        ("worker", "UPDATE original_chunks SET content = ''"),
        ("worker", "UPDATE releases SET name = 'x'"),
        ("worker", "UPDATE reports SET status = 'x'"),
        ("worker keyring", "UPDATE sealed_keys SET sealed = ''"),
        ("worker keyring", "UPDATE audit_anchors SET digest = ''"),
        ("worker keyring", "DELETE FROM audit_anchors"),
        ("worker keyring", "UPDATE ledger_anchors SET spent = 0"),
        ("worker keyring", "DELETE FROM ledger_anchors"),
        ("service", "UPDATE portals SET url = 'https://elsewhere.example'"),
        ("service", "UPDATE webhooks SET url = 'https://elsewhere.example'"),
        ("service", "UPDATE webhooks SET disabled_at = NULL"),
        ("worker", "SELECT secret FROM webhooks"),
        ("worker", "SELECT url FROM webhooks"),
        ("worker", "SELECT credentials FROM portals"),
        ("worker", "UPDATE publications SET state = 'queued'"),
        ("courier", "SELECT content FROM original_chunks"),
        ("courier", "SELECT blob_id FROM original_chunks"),
        ("courier", "COPY original_chunks TO STDOUT"),
        ("courier", "SELECT * FROM datasets"),
        ("courier", "SELECT * FROM tokens"),
        ("courier", "SELECT * FROM reports"),
        ("courier", "SELECT body FROM idempotency"),
        ("courier", "UPDATE webhooks SET url = 'https://elsewhere.example'"),
        ("courier", "UPDATE portals SET url = 'https://elsewhere.example'"),
        ("courier", "UPDATE publications SET release_id = gen_random_uuid()"),
        ("courier", "INSERT INTO publications DEFAULT VALUES"),
        ("courier", "UPDATE releases SET audience = 'public'"),
        ("courier", "DELETE FROM audit_events"),
        ("courier", "UPDATE audit_events SET actor = 'x'"),
    ],
)
def test_is_denied(engines: dict[str, Engine], login: str, statement: str) -> None:
    with pytest.raises(DBAPIError, match="permission denied"), engines[login].connect() as connection:
        connection.execute(text(statement))


@pytest.mark.parametrize(
    ("login", "statement"),
    [
        ("service", "SELECT blob_id, number FROM original_chunks"),
        ("service", "DELETE FROM original_chunks WHERE blob_id = gen_random_uuid()"),
        ("service", "SELECT content FROM release_chunks"),
        ("service", "UPDATE releases SET audience = 'public'"),
        ("service keyring", "SELECT blob_id FROM sealed_keys"),
        ("service keyring", "DELETE FROM sealed_keys WHERE blob_id = gen_random_uuid()"),
        ("worker", "SELECT content FROM original_chunks"),
        ("worker keyring", "SELECT sealed FROM sealed_keys"),
        ("worker", "SELECT id FROM webhooks WHERE 'job.released' = ANY(events)"),
        ("courier", "SELECT wrapped_key FROM blobs"),
        ("courier", "SELECT content FROM release_chunks"),
        ("courier", "UPDATE webhooks SET failing_since = now()"),
    ],
)
def test_is_allowed(engines: dict[str, Engine], login: str, statement: str) -> None:
    with engines[login].connect() as connection:
        connection.execute(text(statement))
