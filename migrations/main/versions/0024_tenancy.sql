-- Tenants, their tokens, requests that were answered before, and the trail.

CREATE TABLE tenants (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tokens (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    role text NOT NULL,
    digest bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    mac bytea NOT NULL,
    parent_id uuid REFERENCES tokens
);
CREATE INDEX tokens_by_tenant_id ON tokens (tenant_id);

CREATE TABLE idempotency (
    tenant_id uuid NOT NULL REFERENCES tenants,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    status integer NOT NULL,
    headers jsonb NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL,
    PRIMARY KEY (tenant_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- The trail: rows are only ever added.
CREATE TABLE audit_events (
    tenant_id uuid NOT NULL REFERENCES tenants,
    number bigint NOT NULL,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL,
    previous bytea NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (tenant_id, number)
);
