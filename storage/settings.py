"""Settings of all processes, read from ANTIFAZ_* environment variables.

Limits have defaults that suit one machine; intervals are short in tests. A process is given only the keys it needs.
"""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

MEBIBYTE = 1 << 20


class Settings(BaseSettings):
    """All settings of all processes."""

    model_config = SettingsConfigDict(env_prefix="ANTIFAZ_", extra="ignore", hide_input_in_errors=True)

    database_url: SecretStr = SecretStr("postgresql+psycopg://localhost/antifaz")
    """Main database: everything but the keys of originals."""
    keyring_url: SecretStr = SecretStr("postgresql+psycopg://localhost/antifaz_keyring")
    """Second database: sealed keys of originals and anchored audit heads; never part of the main database's dumps."""
    broker_url: SecretStr = SecretStr("redis://localhost:6379/0")
    """Redis, as Celery's broker: it carries wake-up messages and stores nothing."""
    database_role: str | None = None
    """Role that every connection takes (SET ROLE), if one login serves several processes."""

    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str | None = Field(default=None, pattern=r"^https?://[0-9A-Za-z.:\[\]-]+(/[0-9A-Za-z._~/-]*)?$")
    """Public base URL of the service, such as https://data.example.org, for links and metadata. Without it they begin
    with the address in the request."""
    catalog_email: str | None = None
    """Contact address for harvesters of the open catalog."""
    trusted_proxies: str = ""
    """Addresses of proxies, separated by commas, that are trusted to state a client's address; read when the web
    process starts."""
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 9464
    """Port of /metrics; 0 switches it off."""
    data_dir: Path = Path(".antifaz")
    """Folder for the files of the embedded servers."""
    bootstrap_token: SecretStr | None = Field(default=None, min_length=32)
    """Text of the first token, an admin's of the default tenant."""

    oidc_issuer: str | None = Field(default=None, pattern=r"^https?://[0-9A-Za-z.:\[\]-]+(/[0-9A-Za-z._~/-]*)?$")
    """OpenID provider whose tokens are accepted, exactly as it writes `iss`. Its configuration, keys and tokens are
    fetched from this origin only, by https unless it is on this machine. Without it only our own tokens are valid."""
    oidc_audience: str | None = None
    """The `aud` of access tokens for this service."""
    oidc_client_id: str | None = None
    """The console's client at the provider; without it users can sign in by token only."""
    oidc_client_secret: SecretStr | None = None
    """Its secret; without one it is a public client, which PKCE protects."""
    oidc_scope: str = "openid"
    """Scopes that the console requests, separated by spaces."""
    oidc_role_claim: str = "roles"
    """Claim with the caller's groups or roles: a name, or names separated by dots for a nested claim."""
    oidc_roles: dict[str, Literal["steward", "consumer", "auditor", "analyst", "admin"]] = {}
    """Value of that claim → role here, as JSON; if several match, the first in this order. Callers with none are
    refused."""
    oidc_tenant_claim: str | None = None
    """Claim with the name of the caller's tenant; without it every caller belongs to `oidc_tenant`."""
    oidc_tenant: str = "default"
    """Tenant of the provider's users, if no claim names it."""
    oidc_token_types: tuple[str, ...] = ("at+jwt",)
    """Accepted `typ` of access tokens (RFC 9068), as JSON. Add "JWT" for providers that do not state it: anything that
    looks like an ID token is still refused."""
    oidc_leeway_seconds: int = Field(default=60, ge=0, le=600)
    """Largest accepted difference between the provider's clock and ours."""
    oidc_keys_seconds: float = Field(default=300.0, gt=0)
    """Time after which the provider's keys are fetched again."""
    oidc_outage_seconds: float = Field(default=3_600.0, gt=0)
    """Longest use of the provider's keys while it does not answer."""
    oidc_refetch_seconds: float = Field(default=10.0, gt=0)
    """Least time between two fetches, whatever tokens arrive."""

    worker_public_key_file: Path | None = None
    """Public half of the workers' key: originals are sealed to it."""
    worker_key_file: Path | None = None
    """Private half; given to workers only."""
    courier_public_key_file: Path | None = None
    """Public half of the courier's key: keys of portals and webhooks' secrets are sealed to it. Given to the API."""
    courier_key_file: Path | None = None
    """Private half; given to the courier only."""
    release_key_file: Path | None = None
    """Key that wraps releases' data keys and authenticates stored rows; given to the API, the workers and the courier.
    32 bytes, or several keys one after the other, newest first."""
    token_key_file: Path | None = None
    """Key that authenticates tokens; given to the API only. Several keys as in the release key's file."""
    audit_key_file: Path | None = None
    """Key that signs the heads of audit chains (Ed25519, PEM, newest first); given to the API and the sweeper."""

    max_bytes: int = 2 << 30
    """Largest upload, after decompression."""
    max_ratio: int = 100
    """Largest ratio of decompressed to compressed size."""
    max_rows: int = 50_000_000
    max_columns: int = 2_000
    max_cell_bytes: int = 100_000
    max_policy_bytes: int = MEBIBYTE
    """Largest metadata or policy part, and largest JSON body except that of a hierarchy."""
    max_hierarchy_bytes: int = 16 * MEBIBYTE
    """Largest separately uploaded hierarchy."""
    max_json_depth: int = 32
    sniff_bytes: int = MEBIBYTE
    """Bytes of a file that are checked before it is accepted."""
    max_release_bytes: int = Field(default=8 << 30, ge=1)
    """Largest release: all of its files together."""
    tenant_original_bytes: int = Field(default=20 << 30, ge=1)
    """Bytes that one tenant's originals may take: datasets, policies, hierarchies and maps that are not deleted."""
    tenant_release_bytes: int = Field(default=20 << 30, ge=1)
    """Bytes that one tenant's releases may take; those of withdrawn releases count until they are destroyed."""
    tenant_jobs: int = Field(default=1_000, ge=1)
    """Jobs of one tenant that may wait or run at the same time, including profiling of uploads without a policy."""
    requests_per_minute: int = 6_000
    """Requests per minute with one token; 0 is no limit."""
    uploads_per_minute: int = 120
    """Uploads per minute with one token; 0 is no limit."""
    recognize_files: bool = True
    """Whether a second upload of the same file or data in a tenant is refused unless it declares its relation to the
    first."""
    max_uploads_at_once: int = Field(default=16, ge=1)
    """Concurrent uploads in one API process: each holds a connection to the database until it ends."""
    tenant_uploads_at_once: int = Field(default=4, ge=1)
    """How many of these one tenant may have."""
    max_bodies_at_once: int = Field(default=256, ge=1)
    """JSON bodies and hierarchies received at the same time in one API process."""
    tenant_bodies_at_once: int = Field(default=64, ge=1)
    """How many of these one tenant may have."""
    least_bytes_per_second: int = Field(default=4_096, ge=1)
    """Slowest accepted rate of a body; slower senders are disconnected once their patience is used up, and
    after two seconds if others wait and they send less than 16 times as much."""
    patience_seconds: float = Field(default=30.0, gt=0)
    """Longest pause within an upload."""
    body_patience_seconds: float = Field(default=5.0, gt=0)
    """Longest pause within a JSON body or a hierarchy."""
    upload_seconds: float = Field(default=3_600.0, gt=0)
    """Total time that the service waits for an upload."""
    body_seconds: float = Field(default=120.0, gt=0)
    """Total time that the service waits for a JSON body or a hierarchy."""
    max_reads_at_once: int = Field(default=500, ge=1)
    """Concurrent reading requests in one API process, at most three quarters of them for one tenant."""
    max_writes_at_once: int = Field(default=32, ge=1)
    """The same for requests that change something."""
    turn_seconds: float = Field(default=30.0, ge=0)
    """Longest wait for a free place if as many requests run as may; at most eight wait per place. 0 refuses at once."""
    idempotency_hours: int = 48

    lease_seconds: float = 30.0
    beat_seconds: float = 5.0
    sweep_seconds: float = 5.0
    rering_seconds: float = 20.0
    """Time after its last message when a job that is still queued gets another."""
    consumer_seconds: float = Field(default=30.0, gt=0)
    """Time after its last heartbeat when a consumer of a queue counts as dead."""
    stalled_seconds: float = Field(default=60.0, gt=0)
    """Time that work may wait while a consumer of its queue takes nothing and has nothing to do; then that consumer
    counts as dead, too. Also the time after which a process of a worker without a sign of life is replaced."""
    beat_file: Path | None = None
    """File that a consumer touches at each heartbeat, for the process that restarts it when it does not."""
    unheard_seconds: float = Field(default=20.0, gt=0)
    """Time that cancelled work may continue without checking its watch; then its process ends."""
    max_attempts: int = 3
    worker_nice: int = Field(default=10, ge=0, le=19)
    """Niceness of workers, so that the API responds while they compute."""
    job_budget_seconds: float = 600.0
    """Time after which an anytime method returns its best result so far."""
    job_soft_seconds: int = 3_300
    job_hard_seconds: int = 3_600
    job_memory_bytes: int = 8 << 30
    """Memory that one job may add to its worker process."""
    large_bytes: int = 64 * MEBIBYTE
    """Uploads above this size go to the queue of large jobs."""
    query_pace_seconds: float = Field(default=0.1, ge=0)
    """Answers are given at multiples of this after the work began, so that the time discloses little of the data."""
    outbound_networks: str = ""
    """Networks (10.1.0.0/16) and host names (ckan.intern.example), separated by commas, that webhooks and portals may
    use in addition to public addresses. These may also be called without TLS and on any port."""
    courier_poll_seconds: float = Field(default=1.0, gt=0)
    """Interval at which the courier checks for work."""
    courier_lease_seconds: float = Field(default=120.0, gt=0)
    """Time after which work that a courier held when it died may be tried again."""
    courier_at_once: int = Field(default=64, ge=1)
    """Concurrent calls of webhooks; at most four of one webhook."""
    courier_metrics_port: int = 9465
    """Port of the courier's /metrics, on metrics_host; 0 switches it off."""
    webhook_backoff: str = Field(
        default="5,300,1800,7200,18000,36000,50400,72000,86400", pattern=r"^[0-9]+(\.[0-9]+)?(,[0-9]+(\.[0-9]+)?)*$"
    )
    """Seconds between attempts, separated by commas, the last for all that follow; each is varied by a tenth."""
    webhook_failing_days: float = Field(default=5.0, gt=0)
    """A webhook that fails for this long is disabled."""
    publication_attempts: int = Field(default=6, ge=1)
    """Number of attempts at a portal that does not answer."""
    failpoint: str | None = None
    """For fault tests only: ``name:kill``, ``name:stop``, ``name:raise``, ``name:sleep=SECONDS``, or ``@FILE``."""


@cache
def settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()
