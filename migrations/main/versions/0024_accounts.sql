-- Accounts of differential privacy, and questions. An account belongs to a lineage, the versions of one dataset.

CREATE TABLE budgets (
    lineage_id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    total bigint NOT NULL,
    spent bigint NOT NULL DEFAULT '0',
    created_at timestamptz NOT NULL DEFAULT now(),
    measure text NOT NULL DEFAULT 'pure',
    delta_total bigint,
    delta_spent bigint NOT NULL DEFAULT '0',
    fixed boolean NOT NULL DEFAULT false,
    mac bytea NOT NULL,
    CONSTRAINT budgets_delta_spent CHECK (0 <= delta_spent AND (delta_total IS NULL OR delta_spent <= delta_total)),
    CONSTRAINT budgets_measure CHECK (measure IN ('pure', 'zcdp')),
    CONSTRAINT budgets_spent CHECK (0 <= spent AND spent <= total)
);

CREATE TABLE charges (
    job_id uuid PRIMARY KEY REFERENCES jobs,
    lineage_id uuid NOT NULL REFERENCES budgets,
    units bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    delta bigint NOT NULL DEFAULT '0',
    token_id uuid,
    spent bigint NOT NULL,
    granted bigint,
    mac bytea NOT NULL,
    CONSTRAINT charges_delta CHECK (delta >= 0),
    CONSTRAINT charges_units CHECK (units > 0)
);
CREATE INDEX charges_by_lineage ON charges (lineage_id, at, job_id);
CREATE INDEX charges_by_spending ON charges (lineage_id, spent);
CREATE INDEX charges_by_token ON charges (lineage_id, token_id, granted);

CREATE TABLE declarations (
    lineage_id uuid NOT NULL REFERENCES budgets,
    version integer NOT NULL,
    tenant_id uuid NOT NULL REFERENCES tenants,
    content jsonb NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL,
    PRIMARY KEY (lineage_id, version)
);

CREATE TABLE grants (
    lineage_id uuid NOT NULL REFERENCES budgets,
    token_id uuid NOT NULL REFERENCES tokens,
    tenant_id uuid NOT NULL REFERENCES tenants,
    dataset_id uuid NOT NULL REFERENCES datasets,
    total bigint NOT NULL,
    spent bigint NOT NULL DEFAULT '0',
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL,
    CONSTRAINT grants_spent CHECK (0 <= spent AND spent <= total),
    PRIMARY KEY (lineage_id, token_id)
);
CREATE INDEX grants_by_tenant ON grants (tenant_id);
CREATE INDEX grants_by_token ON grants (token_id);

CREATE TABLE projections (
    dataset_id uuid NOT NULL REFERENCES datasets,
    version integer NOT NULL,
    place integer NOT NULL,
    blob_id uuid NOT NULL REFERENCES blobs,
    PRIMARY KEY (dataset_id, version, place)
);

CREATE TABLE query_answers (
    job_id uuid PRIMARY KEY REFERENCES jobs,
    tenant_id uuid NOT NULL REFERENCES tenants,
    content jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    mac bytea NOT NULL
);

-- What was spent stays spent, whatever a process does.
CREATE FUNCTION budgets_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.spent < OLD.spent OR NEW.delta_spent < OLD.delta_spent THEN
            RAISE EXCEPTION 'what was spent stays spent' USING ERRCODE = 'check_violation';
        END IF;
        IF (OLD.spent > 0 OR OLD.delta_spent > 0 OR OLD.fixed) AND (
            NEW.measure <> OLD.measure OR NEW.total > OLD.total
            OR COALESCE(NEW.delta_total > OLD.delta_total, NEW.delta_total IS NULL AND OLD.delta_total IS NOT NULL)
        ) THEN
            RAISE EXCEPTION 'an account that was charged keeps its measure and total' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END $$;
CREATE TRIGGER budgets_only_grow BEFORE UPDATE ON budgets FOR EACH ROW EXECUTE FUNCTION budgets_only_grow();

CREATE FUNCTION grants_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.spent < OLD.spent THEN
            RAISE EXCEPTION 'what was spent stays spent' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END $$;
CREATE TRIGGER grants_only_grow BEFORE UPDATE ON grants FOR EACH ROW EXECUTE FUNCTION grants_only_grow();
