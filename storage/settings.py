"""Settings: every knob of the service, read from ANTIFAZ_* environment variables.

Limits have defaults that suit one machine; intervals are short in tests. A process is given only the keys it needs.
"""

from functools import cache
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

MEBIBYTE = 1 << 20


class Settings(BaseSettings):
    """All settings of all processes."""

    model_config = SettingsConfigDict(
        env_prefix="ANTIFAZ_", use_attribute_docstrings=True, extra="ignore", hide_input_in_errors=True
    )

    database_url: SecretStr = SecretStr("postgresql+psycopg://localhost/antifaz")
    """Main database: everything but the keys of originals."""
    keyring_url: SecretStr = SecretStr("postgresql+psycopg://localhost/antifaz_keyring")
    """Second database: sealed keys of originals and anchored audit heads; never part of the main database's dumps."""
    broker_url: SecretStr = SecretStr("redis://localhost:6379/0")
    """Redis, as Celery's broker: a doorbell, not a store."""
    database_role: str | None = None
    """Role that every connection takes (SET ROLE), where one login serves several processes."""

    host: str = "127.0.0.1"
    port: int = 8000
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 9464
    """Where /metrics listens; 0 switches it off."""
    data_dir: Path = Path(".antifaz")
    """Where the embedded servers keep their files."""
    bootstrap_token: SecretStr | None = Field(default=None, min_length=32)
    """Text of the first token, an admin's of the default tenant."""

    worker_public_key_file: Path | None = None
    """Public half of the workers' key: originals are sealed to it."""
    worker_key_file: Path | None = None
    """Private half; given to workers only."""
    release_key_file: Path | None = None
    """Key under which releases' data keys are wrapped; given to the API and the workers."""

    max_bytes: int = 2 << 30
    """Largest upload, after decompression."""
    max_ratio: int = 100
    """Largest ratio of decompressed to compressed size."""
    max_rows: int = 50_000_000
    max_columns: int = 2_000
    max_cell_bytes: int = 100_000
    max_policy_bytes: int = 16 * MEBIBYTE
    """Largest metadata or policy part, and largest JSON body."""
    max_json_depth: int = 32
    sniff_bytes: int = MEBIBYTE
    """How much of a file is looked at before it is accepted."""
    requests_per_minute: int = 6_000
    """Requests of one token in a minute; 0 is no limit."""
    uploads_per_minute: int = 120
    """Uploads of one token in a minute; 0 is no limit."""
    max_reads_at_once: int = Field(default=500, ge=1)
    """Requests that read, at work at one time in one API process; more are told to come back."""
    max_writes_at_once: int = Field(default=32, ge=1)
    """Requests that change something, at work at one time in one API process; more are told to come back."""
    idempotency_hours: int = 48

    lease_seconds: float = 30.0
    beat_seconds: float = 5.0
    sweep_seconds: float = 5.0
    rering_seconds: float = 20.0
    """How long after its last bell a job that is still queued is rung again."""
    max_attempts: int = 3
    worker_nice: int = Field(default=10, ge=0, le=19)
    """How far workers give way to other processes of the machine, so that the API answers while they compute."""
    job_budget_seconds: float = 600.0
    """After this long an anytime method returns its best so far."""
    job_soft_seconds: int = 3_300
    job_hard_seconds: int = 3_600
    job_memory_bytes: int = 8 << 30
    """Memory that one job may add to its worker process."""
    large_bytes: int = 64 * MEBIBYTE
    """Uploads above this size go to the queue of large jobs."""
    failpoint: str | None = None
    """For fault tests only: ``name:kill``, ``name:stop``, ``name:raise``, ``name:sleep=SECONDS``, or ``@FILE``."""


@cache
def settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()
