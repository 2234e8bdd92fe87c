-- The keys of originals, each sealed for the workers.
CREATE TABLE sealed_keys (
    blob_id uuid PRIMARY KEY,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
-- A removed key should soon be gone from the disk pages too.
) WITH (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0);

-- Signed heads of the audit chains, so that a chain that was forged or rolled back is detected.
CREATE TABLE audit_anchors (
    tenant_id uuid NOT NULL,
    number bigint NOT NULL,
    digest bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    signature bytea NOT NULL,
    PRIMARY KEY (tenant_id, number)
);

-- The signed spending of accounts, so that an account that was rolled back is detected.
CREATE TABLE ledger_anchors (
    lineage_id uuid NOT NULL,
    spent bigint NOT NULL,
    delta_spent bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    signature bytea NOT NULL,
    PRIMARY KEY (lineage_id, spent, delta_spent)
);

REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- The service stores and removes sealed keys without ever reading one; anchors are only ever added.
GRANT USAGE ON SCHEMA public TO antifaz_service;
GRANT SELECT ON alembic_version TO antifaz_service;
GRANT SELECT (blob_id), INSERT, DELETE ON sealed_keys TO antifaz_service;
GRANT SELECT, INSERT ON audit_anchors TO antifaz_service;
GRANT SELECT ON ledger_anchors TO antifaz_service;

-- Workers, who hold the private key, read sealed keys too.
GRANT USAGE ON SCHEMA public TO antifaz_worker;
GRANT SELECT ON alembic_version TO antifaz_worker;
GRANT SELECT, INSERT, DELETE ON sealed_keys TO antifaz_worker;
GRANT SELECT, INSERT ON audit_anchors TO antifaz_worker;
GRANT SELECT, INSERT ON ledger_anchors TO antifaz_worker;
