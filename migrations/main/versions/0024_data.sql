-- Encrypted bytes, and the datasets, policies and hierarchies that they belong to.

CREATE TABLE blobs (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    purpose text NOT NULL,
    chunks integer NOT NULL,
    size bigint NOT NULL,
    wrapped_key bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    published boolean NOT NULL DEFAULT false,
    job_id uuid,
    fence bigint,
    CONSTRAINT blobs_purpose CHECK (purpose IN ('original', 'release'))
);
CREATE INDEX blobs_by_tenant ON blobs (tenant_id, purpose, size);
CREATE INDEX blobs_unpublished ON blobs (created_at) WHERE purpose = 'release' AND NOT published;

CREATE TABLE original_chunks (
    blob_id uuid NOT NULL REFERENCES blobs,
    number integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (blob_id, number)
);

CREATE TABLE release_chunks (
    blob_id uuid NOT NULL REFERENCES blobs,
    number integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (blob_id, number)
);

-- Ciphertext does not compress; trying would cost a pass over every chunk.
ALTER TABLE original_chunks ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE release_chunks ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE datasets (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    kind text NOT NULL,
    format text NOT NULL,
    details jsonb NOT NULL,
    status text NOT NULL,
    problem jsonb,
    columns jsonb,
    size bigint NOT NULL,
    blob_id uuid NOT NULL REFERENCES blobs,
    nodes_blob_id uuid REFERENCES blobs,
    lineage_id uuid NOT NULL,
    supersedes uuid REFERENCES datasets,
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    mac bytea NOT NULL,
    population jsonb,
    created_by uuid,
    counts jsonb,
    digest bytea,
    unrelated_to uuid REFERENCES datasets,
    unrelated boolean,
    CONSTRAINT datasets_status CHECK (status IN ('stored', 'ready', 'invalid', 'deleted'))
);
CREATE INDEX datasets_by_digest ON datasets (tenant_id, digest);
CREATE INDEX datasets_by_lineage ON datasets (lineage_id);
CREATE INDEX datasets_by_tenant ON datasets (tenant_id, created_at, id);

CREATE TABLE contents (
    dataset_id uuid PRIMARY KEY REFERENCES datasets,
    tenant_id uuid NOT NULL REFERENCES tenants,
    digest bytea NOT NULL,
    same_as uuid REFERENCES datasets,
    mac bytea NOT NULL
);
CREATE INDEX contents_by_digest ON contents (tenant_id, digest);

CREATE TABLE advice (
    dataset_id uuid PRIMARY KEY REFERENCES datasets,
    tenant_id uuid NOT NULL REFERENCES tenants,
    content jsonb NOT NULL,
    findings jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL
);

CREATE TABLE policies (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    version integer NOT NULL,
    public jsonb NOT NULL,
    blob_id uuid NOT NULL REFERENCES blobs,
    created_at timestamptz NOT NULL DEFAULT now(),
    fingerprint bytea,
    mac bytea NOT NULL,
    UNIQUE (tenant_id, name, version)
);
CREATE INDEX policies_by_tenant ON policies (tenant_id, created_at, id);

CREATE TABLE hierarchies (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    shape jsonb,
    problem jsonb,
    dataset_id uuid REFERENCES datasets,
    "column" text,
    blob_id uuid NOT NULL REFERENCES blobs,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL,
    CONSTRAINT hierarchies_status CHECK (status IN ('ready', 'generating', 'failed', 'preview'))
);
CREATE INDEX hierarchies_by_dataset ON hierarchies (dataset_id);
CREATE INDEX hierarchies_by_tenant ON hierarchies (tenant_id, created_at, id);
