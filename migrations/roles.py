"""The roles of the processes, which belong to the whole cluster and so are never dropped."""

SERVICE = "antifaz_service"
WORKER = "antifaz_worker"
COURIER = "antifaz_courier"


def create_role(name: str) -> str:
    """SQL that creates a role without a login, even if another database's migration creates it at the same time."""
    return f"""
    DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{name}') THEN
            CREATE ROLE {name} NOLOGIN;
        END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
        RAISE NOTICE 'role {name} was made meanwhile';
    END $$
    """
