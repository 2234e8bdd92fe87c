"""Every table is listed as coded, derived or harmless, and no coded column can be changed without being noticed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sqlalchemy import Connection, text

from storage.accounts import grants, ledger
from storage.audit.coverage import KEYRING, MAIN, Coded, ForgedRow, Harmless, Keys, forged_rows
from storage.blobs import blobs
from storage.blobs.intake import store_original
from storage.datasets import contents, datasets, declarations, hierarchies, policies
from storage.errors import Forged
from storage.jobs import advice, answers, comparisons, jobs
from storage.orm import Base, KeyringBase
from storage.outbound import portals, publications, webhooks  # fmt: skip
from storage.releases import cards, releases, reports
from storage.tenancy import idempotency, tokens
from storage.tenancy.tenants import create_tenant

CODED = {name: how for name, how in MAIN.items() if isinstance(how, Coded)}
COVERED = [(name, column) for name, how in CODED.items() for column in (*how.covers, *how.unless_null)]
IN_RELEASES = [
    (table, column.name) for table in ("releases", "artifacts") for column in Base.metadata.tables[table].columns
    if column.name != "mac"
]  # fmt: skip


def test_every_table_is_listed_and_says_why_it_can_be_trusted() -> None:
    assert set(MAIN) == set(Base.metadata.tables)
    assert set(KEYRING) == set(KeyringBase.metadata.tables)
    for how in (*MAIN.values(), *KEYRING.values()):
        assert all(vars(how).values()) or isinstance(how, Coded), how


@pytest.mark.parametrize("table", CODED)
def test_every_column_of_a_coded_table_is_covered_or_says_why_not(table: str) -> None:
    how = CODED[table]
    listed = [*how.covers, *how.unless_null, *how.others, "mac"]
    assert sorted(listed) == sorted(column.name for column in Base.metadata.tables[table].columns)
    assert all(how.others.values())


def test_a_table_with_a_code_is_listed_as_coded() -> None:
    with_code = {name for name, table in Base.metadata.tables.items() if "mac" in table.c}
    assert with_code == {*CODED, "releases"}
    assert not any(isinstance(MAIN[name], Harmless) for name in with_code)


@dataclass(frozen=True)
class Story:
    """One row of every coded table, each written as the product writes it."""

    keys: Keys
    readers: dict[str, Callable[[Connection], Any]]
    """Reads the row of a table as the product does."""
    tenant: UUID
    lineage: UUID
    """Whose rows these are: other tests write to the same database under keys of their own."""


@pytest.fixture(scope="module")
def story(owner: Any, release_key: bytes, token_key: bytes, private_key: X25519PrivateKey) -> Story:
    with owner.main.begin() as c:
        return _written(c, release_key, token_key, private_key)


def _written(c: Connection, key: bytes, token_key: bytes, private_key: X25519PrivateKey) -> Story:
    public = private_key.public_key()
    tenant = create_tenant(c, f"coded {uuid4()}").id
    other_tenant = create_tenant(c, f"other {uuid4()}").id
    blob, second = (store_original(c, public, tenant, b"x").blob_id for _ in range(2))
    analyst, words = tokens.create_token(c, token_key, tenant, "ana", "analyst", 1)
    session = "afz_session of the same analyst"
    tokens.insert_token(c, token_key, tenant, "session", "analyst", session, None, analyst.id)
    about = {"tenant_id": tenant, "name": "n", "kind": "table", "format": "csv", "size": 1}
    first = datasets.create_dataset(c, key, datasets.DatasetDraft(blob_id=blob, **about))
    more = {"supersedes": first.id, "population": {"attributes": {}}, "created_by": analyst.id, "digest": b"d"}
    more |= {"unrelated_to": first.id, "unrelated": True, "nodes_blob_id": blob}
    dataset = datasets.create_dataset(c, key, datasets.DatasetDraft(blob_id=second, **about, **more))
    policy = policies.create_policy(c, key, tenant, "p", {"kind": "table"}, blob, b"f")
    made = hierarchies.HierarchyDraft(tenant_id=tenant, name="h", kind="levels", blob_id=blob, dataset_id=dataset.id)
    hierarchy = hierarchies.create_hierarchy(c, key, made)
    draft = jobs.JobDraft(
        tenant, dataset.id, policy={"kind": "table"}, policy_id=policy.id, policy_blob_id=blob, policy_name="p",
        hierarchy_id=hierarchy.id, created_by=analyst.id, fingerprint=b"f", then={"publish": []},
    )  # fmt: skip
    job = jobs.submit(c, jobs.bind(key, draft))
    contents.add_content(c, key, contents.ContentRecord(dataset.id, tenant, b"digest", first.id))
    lineage = dataset.lineage_id
    ledger.open_account(c, key, tenant, lineage, 100, "pure", 10)
    grants.set_grant(c, key, tenant, lineage, analyst.id, dataset.id, 50)
    assert ledger.spend(c, key, lineage, 5, 1, analyst.id)
    ledger.enter(c, key, lineage, job.id, ledger.Price(5, 1), analyst.id)
    declarations.add_declarations(c, key, tenant, lineage, {"columns": {}}, analyst.id)
    answers.save_answer(c, key, tenant, job.id, [{"cells": []}])
    advice.save_advice(c, key, tenant, dataset.id, {"policy": {}}, {"a": "b"})
    comparisons.save_comparison(c, key, tenant, job.id, [{"k": 2}])
    idempotency.remember(c, key, tenant, "key", b"f", 201, {"Location": "/"}, {"id": "1"})
    written = blobs.write_release_blob(c, key, tenant, [b"bytes"])
    artifact = releases.ArtifactDraft("csv", "table", "00", 5, written.id)
    release = releases.publish(
        c, key,
        releases.ReleaseDraft(
            job_id=job.id, tenant_id=tenant, dataset_id=dataset.id, lineage_id=lineage, kind="table", name="r",
            shape={"rows": 1}, guarantees=[{"model": "k"}], dictionary=[{"name": "a"}], artifacts=[artifact],
            map_blob_id=blob,
        ),
    )  # fmt: skip
    assert releases.withdraw(c, key, tenant, release.id, "wrong")
    assert releases.request_destruction(c, key, tenant, release.id)
    reports.save_report(
        c, key,
        reports.ReportDraft(
            job_id=job.id, tenant_id=tenant, dataset_id=dataset.id, release_id=release.id, status="released",
            method="m", guarantees=["k"], achieved_k=3, risk=0.5, content={"a": 1},
        ),
    )  # fmt: skip
    cards.write_card(c, key, tenant, release.id, {"title": "t"})
    hook = webhooks.WebhookDraft(tenant, "https://a.example/", ["job.ended"], None, analyst.id)
    webhook, _ = webhooks.create_webhook(c, key, public, hook)
    assert webhooks.rotate_secret(c, key, public, tenant, webhook.id)
    portal = portals.create_portal(
        c, key, public, portals.PortalDraft(tenant, "ckan", "p", "https://p.example/", {"a": 1}, analyst.id), "token"
    )
    publication = publications.publish(
        c, key, publications.PublicationDraft(tenant, release.id, portal.id, "link", "https://b.example", analyst.id)
    )
    assert other_tenant
    return Story(Keys(key, token_key), _readers(key, token_key, tenant, locals()), tenant, lineage)


def _readers(
    key: bytes, token_key: bytes, tenant: UUID, made: dict[str, Any]
) -> dict[str, Callable[[Connection], Any]]:
    job, dataset, release, analyst = (made[name].id for name in ("job", "dataset", "release", "analyst"))
    lineage = made["dataset"].lineage_id

    def bound(module: Any, record: Any) -> Any:
        if record is not None:
            module.require_bound(key, record)
        return record

    return {
        "tokens": lambda c: tokens.authenticate(c, token_key, made["words"])
        and tokens.authenticate(c, token_key, made["session"]),
        "idempotency": lambda c: idempotency.recall(c, key, tenant, "key"),
        "datasets": lambda c: bound(datasets, datasets.get_dataset(c, tenant, dataset)),
        "contents": lambda c: contents.get_content(c, key, dataset),
        "policies": lambda c: policies.get_policy(c, key, tenant, made["policy"].id),
        "hierarchies": lambda c: bound(hierarchies, hierarchies.get_hierarchy(c, tenant, made["hierarchy"].id)),
        "jobs": lambda c: bound(jobs, jobs.get_job(c, tenant, job)),
        "budgets": lambda c: ledger.account_of(c, key, lineage),
        "charges": lambda c: ledger.charge_record(c, key, job),
        "grants": lambda c: grants.get_grant(c, key, lineage, analyst),
        "declarations": lambda c: declarations.get_declarations(c, key, lineage),
        "query_answers": lambda c: answers.get_answer(c, key, tenant, job),
        "advice": lambda c: advice.get_advice(c, key, tenant, dataset),
        "reports": lambda c: reports.get_report_of_job(c, key, tenant, job),
        "comparisons": lambda c: comparisons.get_comparison(c, key, tenant, job),
        "cards": lambda c: cards.newest_cards(c, key, [release]),
        "webhooks": lambda c: bound(webhooks, webhooks.get_webhook(c, tenant, made["webhook"].id)),
        "portals": lambda c: portals.get_portal(c, key, tenant, made["portal"].id),
        "publications": lambda c: bound(
            publications, publications.get_publication(c, tenant, made["publication"].id)
        ),
        "releases": lambda c: releases.get_release(c, key, tenant, release),
        "artifacts": lambda c: releases.get_release(c, key, tenant, release),
    }  # fmt: skip


@pytest.fixture
def changing(owner: Any) -> Iterator[Connection]:
    """A superuser's connection without foreign keys and triggers; what it changes is rolled back."""
    with owner.main.connect() as c:
        c.execute(text("SET session_replication_role = replica"))
        yield c
        c.rollback()


def test_rows_as_they_were_written_have_their_codes(story: Story, changing: Connection) -> None:
    assert set(story.readers) == {*CODED, "releases", "artifacts"}
    assert all(read(changing) is not None for read in story.readers.values())
    assert forged_rows(changing, story.keys, story.tenant) == []


OTHER = {
    "uuid": "gen_random_uuid()",
    "text": "coalesce({0}, '') || 'x'",
    "bytea": "coalesce({0}, ''::bytea) || '\\x01'::bytea",
    "bigint": "coalesce({0}, 0) + 1",
    "integer": "coalesce({0}, 0) + 1",
    "double precision": "coalesce({0}, 0) + 0.25",
    "boolean": "NOT coalesce({0}, false)",
    "timestamp with time zone": "coalesce({0}, now()) + interval '1 second'",
    "jsonb": "'[{{\"changed\": true}}]'::jsonb",
    "ARRAY": "array_append({0}, 'changed')",
}


def change(c: Connection, table: str, column: str) -> int:
    kind = c.execute(
        text("SELECT data_type FROM information_schema.columns WHERE table_name = :t AND column_name = :c"),
        {"t": table, "c": column},
    ).scalar_one()
    checks = f"SELECT conname FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype = 'c'"
    for name in c.execute(text(checks)).scalars().all():
        c.execute(text(f"ALTER TABLE {table} DROP CONSTRAINT {name}"))
    quoted = f'"{column}"'
    where = " WHERE parent_id IS NOT NULL" if (table, column) == ("tokens", "parent_id") else ""
    return c.execute(text(f"UPDATE {table} SET {quoted} = {OTHER[kind].format(quoted)}{where}")).rowcount


@pytest.mark.parametrize("table", [*CODED, "releases", "artifacts"])
def test_a_coded_column_that_was_changed_is_noticed_and_its_row_is_not_used(
    story: Story, changing: Connection, table: str
) -> None:
    listed = "releases" if table == "artifacts" else table
    before = set(forged_rows(changing, story.keys))
    columns = [column for name, column in (*COVERED, *IN_RELEASES) if name == table]
    assert columns
    for column in columns:
        with changing.begin_nested() as attempt:
            assert change(changing, table, column) >= 1
            # An artifact without a release is also missing from the release that had it.
            found = {row.table for row in set(forged_rows(changing, story.keys)) - before}
            assert listed in found, column
            assert not is_read(story.readers[table], changing), column
            attempt.rollback()


def is_read(read: Callable[[Connection], Any], c: Connection) -> bool:
    try:
        return bool(read(c))
    except Forged:
        return False


@pytest.mark.parametrize("table", ["budgets", "charges", "grants"])
def test_a_row_with_the_code_of_another_is_noticed(story: Story, changing: Connection, table: str) -> None:
    """Binding: the code of one account is none of another's, nor of another kind of row."""
    source = {"budgets": "grants", "charges": "budgets", "grants": "charges"}[table]
    changing.execute(text(f"UPDATE {table} SET mac = (SELECT mac FROM {source} LIMIT 1)"))
    with pytest.raises(Forged):
        story.readers[table](changing)


def test_a_new_key_in_front_of_the_old_one_checks_old_codes_and_makes_new_ones(
    story: Story, changing: Connection
) -> None:
    lineage = story.lineage
    rotated = bytes(32) + story.keys.release
    assert ledger.spend(changing, rotated, lineage, 5)
    account = ledger.account_of(changing, bytes(32), lineage)
    assert account is not None
    assert account.spent >= 10
    with pytest.raises(Forged):
        ledger.account_of(changing, story.keys.release, lineage)


def test_what_is_reported_names_table_and_row(story: Story, changing: Connection) -> None:
    changing.execute(text("UPDATE budgets SET total = total + 1"))
    lineages = set(map(str, changing.execute(text("SELECT lineage_id FROM budgets")).scalars()))
    found = {row for row in forged_rows(changing, story.keys) if row.table == "budgets"}
    assert found == {ForgedRow("budgets", lineage) for lineage in lineages}
