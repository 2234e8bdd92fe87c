"""Databases: the two databases of an installation and the logins of its processes.

The migrations create the roles and their rights; a login is a member of one role and owns nothing. The login of the
service cannot read an original even if its process is compromised.
"""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from psycopg import sql

from stack.children import commands
from stack.children.processes import NotReady
from stack.servers.postgres import PostgresAddress

MAIN = "antifaz"
KEYRING = "antifaz_keyring"
ROOT = Path(__file__).resolve().parents[2]
"""The folder of the checkout or installation, in which modules are run."""


@dataclass(frozen=True)
class Login:
    """The database login of one process."""

    name: str
    role: str
    """The role, created by the migrations, whose rights the login has."""


API = Login("antifaz_api", "antifaz_service")
WORKER = Login("antifaz_work", "antifaz_worker")
COURIER = Login("antifaz_send", "antifaz_courier")
LOGINS = (API, WORKER, COURIER)


def create_database(address: PostgresAddress, name: str, template: str | None = None) -> bool:
    """Create a database unless it exists. Return whether it is new."""
    with address.connect() as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            return False
        statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
        if template:
            statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
            if connection.info.server_version >= 150_000:
                # Copying the files directly takes half the time of copying block by block through the log.
                statement += sql.SQL(" STRATEGY FILE_COPY")
        connection.execute(statement)
        return True


def drop_database(address: PostgresAddress, name: str) -> None:
    """Drop a database and end all connections to it."""
    with address.connect() as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def grant_logins(address: PostgresAddress, passwords: Mapping[str, str]) -> None:
    """Create each login, or reset its password, and make it a member of its role."""
    with address.connect() as connection:
        for login in LOGINS:
            known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [login.name]).fetchone()
            # A plain password could appear in a server's log or statistics: only the SCRAM verifier is sent.
            verifier = connection.pgconn.encrypt_password(
                passwords[login.name].encode(), login.name.encode(), b"scram-sha-256"
            ).decode()
            verb = sql.SQL("ALTER" if known else "CREATE")
            connection.execute(
                sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD {}").format(
                    verb, sql.Identifier(login.name), sql.Literal(verifier)
                )
            )
            connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(login.role), sql.Identifier(login.name)))


def migrate(database_url: str, keyring_url: str, environment: Mapping[str, str] | None = None) -> None:
    """Run the migrations as the databases' owner."""
    done = subprocess.run(
        commands.migrate(),
        cwd=ROOT,
        env={
            **(os.environ if environment is None else environment),
            "ANTIFAZ_DATABASE_URL": database_url,
            "ANTIFAZ_KEYRING_URL": keyring_url,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        raise NotReady(f"the migrations failed:\n{done.stdout}{done.stderr}")
