-- What each process may do: everything that is not granted here is denied.

REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- The service stores originals and cannot read them back; it serves releases and cannot create one.
GRANT USAGE ON SCHEMA public TO antifaz_service;
GRANT SELECT ON alembic_version TO antifaz_service;
GRANT SELECT, INSERT ON tenants TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (revoked_at) ON tokens TO antifaz_service;
GRANT SELECT, INSERT, DELETE ON idempotency TO antifaz_service;
GRANT SELECT, INSERT ON audit_events TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (chunks, size) ON blobs TO antifaz_service;
GRANT SELECT (blob_id, number), INSERT, DELETE ON original_chunks TO antifaz_service;
GRANT SELECT ON release_chunks TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (status, deleted_at) ON datasets TO antifaz_service;
GRANT SELECT ON contents TO antifaz_service;
GRANT SELECT, DELETE ON advice TO antifaz_service;
GRANT SELECT, INSERT ON policies TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (status, problem) ON hierarchies TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (status, cancel_requested, rung_at, finished_at) ON jobs TO antifaz_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON outbox TO antifaz_service;
GRANT USAGE ON SEQUENCE outbox_id_seq TO antifaz_service;
GRANT SELECT ON consumers TO antifaz_service;
GRANT SELECT ON tallies TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (total, spent, measure, delta_total, delta_spent, mac) ON budgets TO antifaz_service;
GRANT SELECT, INSERT ON charges TO antifaz_service;
GRANT SELECT, INSERT ON declarations TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (dataset_id, total, spent, mac) ON grants TO antifaz_service;
GRANT SELECT ON projections TO antifaz_service;
GRANT SELECT ON query_answers TO antifaz_service;
GRANT SELECT, UPDATE (audience, withdrawn_at, withdrawn_reason, destroyed_at, mac) ON releases TO antifaz_service;
GRANT SELECT ON artifacts TO antifaz_service;
GRANT SELECT ON reports TO antifaz_service;
GRANT SELECT ON comparisons TO antifaz_service;
GRANT SELECT, INSERT ON cards TO antifaz_service;
GRANT SELECT, INSERT, UPDATE ON listings TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (secret, former_secret, former_until, mac, deleted_at) ON webhooks TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (state, attempts, next_at) ON deliveries TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (deleted_at) ON portals TO antifaz_service;
GRANT SELECT, INSERT, UPDATE (mode, base, created_by, mac, state, reason, attempts, next_at, changed_at)
    ON publications TO antifaz_service;

-- Workers read originals and create releases. Nobody changes or removes an entry of the trail.
GRANT USAGE ON SCHEMA public TO antifaz_worker;
GRANT SELECT ON alembic_version TO antifaz_worker;
GRANT SELECT ON tenants TO antifaz_worker;
GRANT SELECT, DELETE ON idempotency TO antifaz_worker;
GRANT SELECT, INSERT ON audit_events TO antifaz_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON blobs TO antifaz_worker;
GRANT SELECT, INSERT, DELETE ON original_chunks TO antifaz_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON release_chunks TO antifaz_worker;
GRANT SELECT, UPDATE ON datasets TO antifaz_worker;
GRANT SELECT, INSERT ON contents TO antifaz_worker;
GRANT SELECT, INSERT ON advice TO antifaz_worker;
GRANT SELECT ON policies TO antifaz_worker;
GRANT SELECT, UPDATE ON hierarchies TO antifaz_worker;
GRANT SELECT, UPDATE ON jobs TO antifaz_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON outbox TO antifaz_worker;
GRANT USAGE ON SEQUENCE outbox_id_seq TO antifaz_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON consumers TO antifaz_worker;
GRANT SELECT ON budgets TO antifaz_worker;
GRANT SELECT ON charges TO antifaz_worker;
GRANT SELECT ON declarations TO antifaz_worker;
GRANT SELECT, INSERT, DELETE ON projections TO antifaz_worker;
GRANT SELECT, INSERT ON query_answers TO antifaz_worker;
GRANT SELECT, INSERT ON releases TO antifaz_worker;
GRANT SELECT, INSERT ON artifacts TO antifaz_worker;
GRANT SELECT, INSERT ON reports TO antifaz_worker;
GRANT SELECT, INSERT ON comparisons TO antifaz_worker;
GRANT SELECT ON cards TO antifaz_worker;
GRANT SELECT, INSERT, UPDATE ON listings TO antifaz_worker;
GRANT SELECT (id, tenant_id, events, disabled_at, deleted_at) ON webhooks TO antifaz_worker;
GRANT SELECT (id, webhook_id, type, created_at), INSERT ON deliveries TO antifaz_worker;
GRANT SELECT, INSERT ON publications TO antifaz_worker;

-- The courier reads releases and the items that it sends, and records the results. It has no right to any original.
GRANT USAGE ON SCHEMA public TO antifaz_courier;
GRANT SELECT ON alembic_version TO antifaz_courier;
GRANT SELECT ON tenants TO antifaz_courier;
GRANT SELECT, INSERT ON audit_events TO antifaz_courier;
GRANT SELECT (id, tenant_id, purpose, chunks, size, wrapped_key, published) ON blobs TO antifaz_courier;
GRANT SELECT ON release_chunks TO antifaz_courier;
GRANT SELECT, INSERT, UPDATE ON consumers TO antifaz_courier;
GRANT SELECT ON releases TO antifaz_courier;
GRANT SELECT ON artifacts TO antifaz_courier;
GRANT SELECT ON cards TO antifaz_courier;
GRANT SELECT, UPDATE (failing_since, disabled_at, disabled_reason) ON webhooks TO antifaz_courier;
GRANT SELECT, INSERT, UPDATE (state, attempts, next_at, lease_until, last_status, last_error, delivered_at), DELETE
    ON deliveries TO antifaz_courier;
GRANT SELECT ON portals TO antifaz_courier;
GRANT SELECT, UPDATE (state, reason, remote, attempts, next_at, lease_until, changed_at)
    ON publications TO antifaz_courier;
