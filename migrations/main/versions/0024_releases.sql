-- Releases with their files and reports, their cards, and the open catalog.

CREATE TABLE releases (
    id uuid PRIMARY KEY,
    job_id uuid NOT NULL UNIQUE REFERENCES jobs,
    tenant_id uuid NOT NULL REFERENCES tenants,
    dataset_id uuid NOT NULL REFERENCES datasets,
    lineage_id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    shape jsonb NOT NULL,
    guarantees jsonb NOT NULL,
    dictionary jsonb NOT NULL,
    audience text NOT NULL DEFAULT 'tenant',
    map_blob_id uuid REFERENCES blobs,
    created_at timestamptz NOT NULL DEFAULT now(),
    withdrawn_at timestamptz,
    withdrawn_reason text,
    destroyed_at timestamptz,
    mac bytea NOT NULL,
    CONSTRAINT releases_audience CHECK (audience IN ('tenant', 'public'))
);
CREATE INDEX releases_by_dataset ON releases (dataset_id);
CREATE INDEX releases_by_lineage_id ON releases (lineage_id);
CREATE INDEX releases_by_tenant ON releases (tenant_id, created_at, id);
CREATE INDEX releases_destroyed ON releases (destroyed_at) WHERE destroyed_at IS NOT NULL;

CREATE TABLE artifacts (
    id uuid PRIMARY KEY,
    release_id uuid NOT NULL REFERENCES releases,
    format text NOT NULL,
    part text NOT NULL,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    blob_id uuid NOT NULL REFERENCES blobs,
    UNIQUE (release_id, format, part)
);
CREATE INDEX artifacts_by_release_id ON artifacts (release_id);

CREATE TABLE reports (
    job_id uuid PRIMARY KEY REFERENCES jobs,
    tenant_id uuid NOT NULL REFERENCES tenants,
    dataset_id uuid NOT NULL REFERENCES datasets,
    release_id uuid,
    status text NOT NULL,
    method text NOT NULL,
    guarantees text[] NOT NULL,
    achieved_k integer,
    risk double precision,
    private boolean NOT NULL DEFAULT false,
    content jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL
);
CREATE INDEX reports_by_release ON reports (release_id);
CREATE INDEX reports_by_tenant ON reports (tenant_id, created_at, job_id);

CREATE TABLE comparisons (
    job_id uuid PRIMARY KEY REFERENCES jobs,
    tenant_id uuid NOT NULL REFERENCES tenants,
    rows jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL
);

CREATE TABLE cards (
    subject uuid NOT NULL,
    version integer NOT NULL,
    tenant_id uuid NOT NULL REFERENCES tenants,
    content jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL,
    PRIMARY KEY (subject, version)
);

CREATE TABLE listings (
    release_id uuid PRIMARY KEY REFERENCES releases,
    tenant_id uuid NOT NULL REFERENCES tenants,
    changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX listings_by_change ON listings (changed_at, release_id);
CREATE INDEX listings_by_tenant ON listings (tenant_id);
