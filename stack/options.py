"""Options: settings from the environment and the command line, and those that each process gets."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SHORTEST_TOKEN = 32


class CannotStart(Exception):
    """A setting is wrong or something prevents the start; the message explains what to do."""


@dataclass(frozen=True)
class Options:
    """Settings from the environment and the command line."""

    data_dir: Path
    host: str = "127.0.0.1"
    port: int = 8000
    processes: int = 2
    database_url: str | None = None
    keyring_url: str | None = None
    broker_url: str | None = None
    bootstrap_token: str | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Options":
        """Read ANTIFAZ_* variables; an empty one counts as not given."""
        given = {name: value for name, value in environment.items() if value}
        try:
            port = int(given.get("ANTIFAZ_PORT", "8000"))
        except ValueError:
            raise CannotStart("ANTIFAZ_PORT is not a number") from None
        return cls(
            data_dir=Path(given.get("ANTIFAZ_DATA_DIR", ".antifaz")).absolute(),
            host=given.get("ANTIFAZ_HOST", "127.0.0.1"),
            port=port,
            database_url=given.get("ANTIFAZ_DATABASE_URL"),
            keyring_url=given.get("ANTIFAZ_KEYRING_URL"),
            broker_url=given.get("ANTIFAZ_BROKER_URL"),
            bootstrap_token=given.get("ANTIFAZ_BOOTSTRAP_TOKEN"),
        )

    @property
    def address(self) -> str:
        """The address of the API for clients on this machine."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


@dataclass(frozen=True)
class Connections:
    """The addresses that one process gets."""

    database: str
    keyring: str
    broker: str
    role: str | None = None
    """The role to take if all processes share one external login."""

    def environment(self) -> dict[str, str]:
        """As the process's environment variables."""
        variables = {
            "ANTIFAZ_DATABASE_URL": self.database,
            "ANTIFAZ_KEYRING_URL": self.keyring,
            "ANTIFAZ_BROKER_URL": self.broker,
        }
        return variables | ({"ANTIFAZ_DATABASE_ROLE": self.role} if self.role else {})
