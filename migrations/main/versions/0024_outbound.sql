-- What the courier sends: webhooks with their deliveries, portals with their publications.

CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    url text NOT NULL,
    events text[] NOT NULL,
    description text,
    secret bytea NOT NULL,
    former_secret bytea,
    former_until timestamptz,
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL,
    failing_since timestamptz,
    disabled_at timestamptz,
    disabled_reason text,
    deleted_at timestamptz
);
CREATE INDEX webhooks_by_tenant ON webhooks (tenant_id, created_at, id);

CREATE TABLE deliveries (
    id uuid PRIMARY KEY,
    webhook_id uuid NOT NULL REFERENCES webhooks,
    tenant_id uuid NOT NULL REFERENCES tenants,
    type text NOT NULL,
    ids jsonb NOT NULL,
    state text NOT NULL DEFAULT 'pending',
    attempts integer NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz,
    last_status integer,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    delivered_at timestamptz,
    CONSTRAINT deliveries_state CHECK (state IN ('pending', 'delivered', 'failed'))
);
CREATE INDEX deliveries_by_age ON deliveries (created_at);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'pending';

CREATE TABLE portals (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    kind text NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    options jsonb NOT NULL,
    credentials bytea NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL,
    deleted_at timestamptz,
    CONSTRAINT portals_kind CHECK (kind IN ('ckan', 'dataverse', 'invenio'))
);
CREATE INDEX portals_by_tenant ON portals (tenant_id, created_at, id);

CREATE TABLE publications (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    release_id uuid NOT NULL REFERENCES releases,
    portal_id uuid NOT NULL REFERENCES portals,
    mode text NOT NULL,
    base text NOT NULL,
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL,
    state text NOT NULL DEFAULT 'queued',
    reason text,
    remote jsonb NOT NULL DEFAULT '{}',
    attempts integer NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT publications_mode CHECK (mode IN ('link', 'upload')),
    CONSTRAINT publications_state CHECK (
        state IN ('queued', 'published', 'failed', 'withdrawing', 'withdrawn', 'could_not_be_removed')
    ),
    UNIQUE (release_id, portal_id)
);
CREATE INDEX publications_by_portal ON publications (portal_id);
CREATE INDEX publications_due ON publications (next_at) WHERE state IN ('queued', 'withdrawing');
