-- Jobs, the outbox of wake-up messages, consumers of queues, and totals by tenant.

CREATE TABLE jobs (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    task text NOT NULL DEFAULT 'publish',
    dataset_id uuid NOT NULL REFERENCES datasets,
    hierarchy_id uuid REFERENCES hierarchies,
    policy jsonb,
    policy_id uuid REFERENCES policies,
    policy_blob_id uuid REFERENCES blobs,
    queue text NOT NULL,
    status text NOT NULL DEFAULT 'queued',
    stage text,
    progress double precision NOT NULL DEFAULT '0',
    attempt integer NOT NULL DEFAULT 0,
    fence bigint NOT NULL DEFAULT '0',
    lease_until timestamptz,
    cancel_requested boolean NOT NULL DEFAULT false,
    release_id uuid,
    refusal jsonb,
    error jsonb,
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    rung_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    fingerprint bytea,
    mac bytea NOT NULL,
    noise_at timestamptz,
    policy_name text,
    "then" jsonb,
    CONSTRAINT jobs_released CHECK (status <> 'released' OR release_id IS NOT NULL),
    CONSTRAINT jobs_status CHECK (
        status IN ('queued', 'running', 'verifying', 'released', 'assessed', 'refused', 'failed', 'cancelled', 'done')
    )
);
CREATE INDEX jobs_by_dataset ON jobs (dataset_id);
CREATE INDEX jobs_by_fingerprint ON jobs (dataset_id, fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX jobs_by_start ON jobs (tenant_id, started_at);
CREATE INDEX jobs_by_tenant ON jobs (tenant_id, created_at, id);
CREATE INDEX jobs_unfinished ON jobs (status, lease_until) WHERE finished_at IS NULL;

CREATE TABLE outbox (
    id bigserial PRIMARY KEY,
    job_id uuid NOT NULL REFERENCES jobs,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_by_job_id ON outbox (job_id);

-- Rows change every few seconds: their versions stay on the page and are pruned there.
CREATE TABLE consumers (
    id text NOT NULL,
    queue text NOT NULL,
    beat_at timestamptz,
    consumed_at timestamptz,
    PRIMARY KEY (id, queue)
) WITH (fillfactor = 20);

-- What each tenant has taken, as running totals, so that a submission does not sum up everything before it. Triggers
-- update them when a transaction commits: nothing can be stored without being counted, and a long transaction does not
-- keep the tenant's other requests waiting for the row. They run with the rights of the table's owner: no process may
-- write to it.
--
-- Originals are stored one by one but deleted by the thousand, a dataset together with its policies, and changing one
-- row n times in a transaction takes n² steps. So each deletion adds its own row (`change`), which the next upload or
-- submission merges into the total. A row that changes at every submission stays on its page, and is pruned there.
CREATE TABLE tallies (
    tenant_id uuid NOT NULL REFERENCES tenants,
    change bigint NOT NULL DEFAULT '0',
    originals bigint NOT NULL DEFAULT '0',
    jobs bigint NOT NULL DEFAULT '0',
    PRIMARY KEY (tenant_id, change)
) WITH (fillfactor = 20);

CREATE SEQUENCE tally_changes;

CREATE FUNCTION tally_originals() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        tenant uuid := COALESCE(NEW.tenant_id, OLD.tenant_id);
        bytes bigint := COALESCE(NEW.size, 0) - COALESCE(OLD.size, 0);
    BEGIN
        IF bytes < 0 THEN
            INSERT INTO public.tallies (tenant_id, change, originals)
                VALUES (tenant, nextval('public.tally_changes'), bytes);
            RETURN NULL;
        END IF;
        -- This locks the total: of two at once the second sees that the first has added the changes.
        INSERT INTO public.tallies AS t (tenant_id, originals) VALUES (tenant, bytes)
            ON CONFLICT (tenant_id, change) DO UPDATE SET originals = t.originals + EXCLUDED.originals;
        WITH added AS (DELETE FROM public.tallies WHERE tenant_id = tenant AND change > 0 RETURNING originals)
            SELECT SUM(originals) INTO bytes FROM added;
        IF bytes IS NOT NULL THEN
            UPDATE public.tallies SET originals = originals + bytes WHERE tenant_id = tenant AND change = 0;
        END IF;
        RETURN NULL;
    END $$;

CREATE FUNCTION tally_jobs() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN
        INSERT INTO public.tallies AS t (tenant_id, jobs) VALUES (
            COALESCE(NEW.tenant_id, OLD.tenant_id),
            CASE WHEN TG_OP = 'DELETE' OR NEW.finished_at IS NOT NULL THEN -1 ELSE 1 END
        ) ON CONFLICT (tenant_id, change) DO UPDATE SET jobs = t.jobs + EXCLUDED.jobs;
        RETURN NULL;
    END $$;

CREATE CONSTRAINT TRIGGER tally_stored AFTER INSERT ON blobs DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.purpose = 'original' AND NEW.size <> 0) EXECUTE FUNCTION tally_originals();
CREATE CONSTRAINT TRIGGER tally_settled AFTER UPDATE OF size ON blobs DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.purpose = 'original' AND NEW.size <> OLD.size) EXECUTE FUNCTION tally_originals();
CREATE CONSTRAINT TRIGGER tally_deleted AFTER DELETE ON blobs DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.purpose = 'original' AND OLD.size <> 0) EXECUTE FUNCTION tally_originals();
CREATE CONSTRAINT TRIGGER tally_submitted AFTER INSERT ON jobs DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.finished_at IS NULL) EXECUTE FUNCTION tally_jobs();
CREATE CONSTRAINT TRIGGER tally_finished AFTER UPDATE OF finished_at ON jobs DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((NEW.finished_at IS NULL) <> (OLD.finished_at IS NULL)) EXECUTE FUNCTION tally_jobs();
CREATE CONSTRAINT TRIGGER tally_forgotten AFTER DELETE ON jobs DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.finished_at IS NULL) EXECUTE FUNCTION tally_jobs();
