"""Settings: every knob of the service, read from ANTIFAZ_* environment variables.

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
    """Redis, as Celery's broker: a doorbell, not a store."""
    database_role: str | None = None
    """Role that every connection takes (SET ROLE), where one login serves several processes."""

    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str | None = Field(default=None, pattern=r"^https?://[0-9A-Za-z.:\[\]-]+(/[0-9A-Za-z._~/-]*)?$")
    """Where the world finds the service, such as https://data.example.org: links and metadata begin with it. Without it
    they begin with the address that a request names."""
    catalog_email: str | None = None
    """Whom harvesters of the open catalog may write to."""
    trusted_proxies: str = ""
    """Addresses, with commas, whose word on a client's address is taken; read when the web process starts."""
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 9464
    """Where /metrics listens; 0 switches it off."""
    data_dir: Path = Path(".antifaz")
    """Where the embedded servers keep their files."""
    bootstrap_token: SecretStr | None = Field(default=None, min_length=32)
    """Text of the first token, an admin's of the default tenant."""

    oidc_issuer: str | None = Field(default=None, pattern=r"^https?://[0-9A-Za-z.:\[\]-]+(/[0-9A-Za-z._~/-]*)?$")
    """OpenID provider whose tokens are accepted, exactly as it writes `iss`. Its configuration, keys and tokens are
    fetched from this origin alone, by https unless it is on this machine. Without it only our own tokens count."""
    oidc_audience: str | None = None
    """What access tokens for this service have in `aud`."""
    oidc_client_id: str | None = None
    """The console's client at the provider; without it people sign in by token alone."""
    oidc_client_secret: SecretStr | None = None
    """Its secret; without one it is a public client, which PKCE protects."""
    oidc_scope: str = "openid"
    """What the console asks for, in one line with spaces."""
    oidc_role_claim: str = "roles"
    """Claim with the caller's groups or roles: a name, or names with dots for a claim within claims."""
    oidc_roles: dict[str, Literal["steward", "consumer", "auditor", "analyst", "admin"]] = {}
    """Value of that claim → role here, as JSON; of several the first in this order. Who has none is refused."""
    oidc_tenant_claim: str | None = None
    """Claim with the name of the caller's tenant; without it everybody belongs to `oidc_tenant`."""
    oidc_tenant: str = "default"
    """The tenant of whoever the provider vouches for, if no claim says it."""
    oidc_token_types: tuple[str, ...] = ("at+jwt",)
    """Accepted `typ` of access tokens (RFC 9068), as JSON. Add "JWT" for providers that do not state it: what looks
    like an ID token is refused all the same."""
    oidc_leeway_seconds: int = Field(default=60, ge=0, le=600)
    """How far the provider's clock may be from ours."""
    oidc_keys_seconds: float = Field(default=300.0, gt=0)
    """How long the provider's keys are used before they are fetched again."""
    oidc_outage_seconds: float = Field(default=3_600.0, gt=0)
    """How long they are used while the provider does not answer."""
    oidc_refetch_seconds: float = Field(default=10.0, gt=0)
    """Least time between two fetches, whatever tokens come."""

    worker_public_key_file: Path | None = None
    """Public half of the workers' key: originals are sealed to it."""
    worker_key_file: Path | None = None
    """Private half; given to workers only."""
    courier_public_key_file: Path | None = None
    """Public half of the courier's key: keys of portals and webhooks' secrets are sealed to it. Given to the API."""
    courier_key_file: Path | None = None
    """Private half; given to the courier only."""
    release_key_file: Path | None = None
    """Key under which releases' data keys are wrapped and stored rows authenticated; given to the API, the workers and
    the courier.
    32 bytes, or several keys one after the other, newest first."""
    token_key_file: Path | None = None
    """Key under which tokens are known; given to the API only. Several keys as in the release key's file."""
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
    """Largest metadata or policy part, and largest JSON body but that of a hierarchy."""
    max_hierarchy_bytes: int = 16 * MEBIBYTE
    """Largest hierarchy that is uploaded on its own."""
    max_json_depth: int = 32
    sniff_bytes: int = MEBIBYTE
    """How much of a file is looked at before it is accepted."""
    max_release_bytes: int = Field(default=8 << 30, ge=1)
    """Largest release: all of its files together."""
    tenant_original_bytes: int = Field(default=20 << 30, ge=1)
    """Bytes that one tenant's originals may take: datasets, policies, hierarchies and maps that are not deleted."""
    tenant_release_bytes: int = Field(default=20 << 30, ge=1)
    """Bytes that one tenant's releases may take; those of withdrawn releases count until they are destroyed."""
    tenant_jobs: int = Field(default=1_000, ge=1)
    """Jobs of one tenant that may wait or run at one time, reading of uploads without a policy among them."""
    requests_per_minute: int = 6_000
    """Requests of one token in a minute; 0 is no limit."""
    uploads_per_minute: int = 120
    """Uploads of one token in a minute; 0 is no limit."""
    recognize_files: bool = True
    """Whether a second upload of the same file in a tenant is refused unless it says how it relates to the first."""
    max_uploads_at_once: int = Field(default=16, ge=1)
    """Uploads at one time in one API process: each holds a connection to the database for as long as it takes."""
    tenant_uploads_at_once: int = Field(default=4, ge=1)
    """Of these, how many one tenant may have."""
    max_bodies_at_once: int = Field(default=256, ge=1)
    """JSON bodies and hierarchies received at one time in one API process."""
    tenant_bodies_at_once: int = Field(default=64, ge=1)
    """Of these, how many one tenant may have."""
    least_bytes_per_second: int = Field(default=4_096, ge=1)
    """Senders of a body that are slower than this are cut off once their patience_seconds are used up."""
    patience_seconds: float = Field(default=30.0, gt=0)
    """How long a body may pause."""
    upload_seconds: float = Field(default=3_600.0, gt=0)
    """How long an upload may keep us waiting altogether."""
    body_seconds: float = Field(default=120.0, gt=0)
    """How long a JSON body or a hierarchy may keep us waiting altogether."""
    max_reads_at_once: int = Field(default=500, ge=1)
    """Requests that read, at work at one time in one API process, one tenant's at most three quarters of them."""
    max_writes_at_once: int = Field(default=32, ge=1)
    """The same for requests that change something."""
    idempotency_hours: int = 48

    lease_seconds: float = 30.0
    beat_seconds: float = 5.0
    sweep_seconds: float = 5.0
    rering_seconds: float = 20.0
    """How long after its last bell a job that is still queued is rung again."""
    unheard_seconds: float = Field(default=20.0, gt=0)
    """How long work that is no longer wanted may go on without looking at its watch; then its process ends."""
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
    query_pace_seconds: float = Field(default=0.1, ge=0)
    """Answers are given at multiples of this after the work began, so that its time tells little of the data."""
    outbound_networks: str = ""
    """Networks (10.1.0.0/16) and host names (ckan.intern.example), with commas, that webhooks and portals may have
    beside public addresses. What is named here may also be called without TLS and on any port."""
    courier_poll_seconds: float = Field(default=1.0, gt=0)
    """How often the courier looks for what is to be sent."""
    courier_lease_seconds: float = Field(default=120.0, gt=0)
    """After this long another attempt may be made at what a courier was sending when it died."""
    courier_at_once: int = Field(default=64, ge=1)
    """Webhooks called at one time; of one webhook at most four."""
    courier_metrics_port: int = 9465
    """Where the courier's /metrics listens, on metrics_host; 0 switches it off."""
    webhook_backoff: str = Field(
        default="5,300,1800,7200,18000,36000,50400,72000,86400", pattern=r"^[0-9]+(\.[0-9]+)?(,[0-9]+(\.[0-9]+)?)*$"
    )
    """Seconds between attempts, the last for all that follow; each is varied by a tenth."""
    webhook_failing_days: float = Field(default=5.0, gt=0)
    """A webhook that fails for this long is disabled."""
    publication_attempts: int = Field(default=6, ge=1)
    """How often a portal that does not answer is tried."""
    failpoint: str | None = None
    """For fault tests only: ``name:kill``, ``name:stop``, ``name:raise``, ``name:sleep=SECONDS``, or ``@FILE``."""


@cache
def settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()
