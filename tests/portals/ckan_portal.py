"""A real CKAN on its own databases: its web server, its harvester's consumers and its loader of tables.

All are CKAN's own commands in a separate environment. Only Solr is a stand-in (`little_solr.py`): it needs Java.
"""

import os
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from psycopg import sql

from stack.children.processes import kill_group, spawn
from stack.servers.databases import create_database, drop_database
from stack.servers.ports import free_port
from stack.servers.postgres import PostgresAddress
from tests.patience import RECOVERY, patience, wait_for

ADMIN = "curator"
_PLUGINS = "datastore xloader harvest dcat dcat_rdf_harvester"
_SETTINGS = "ckan.ini"
_LOGGING = """
[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = plain
[logger_root]
level = DEBUG
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = plain
[formatter_plain]
format = %(asctime)s %(levelname)s [%(name)s] %(message)s
"""


class Ckan:
    """The running portal, and its action API as its curator uses it."""

    def __init__(self, environment: Path, folder: Path, database: PostgresAddress, redis_url: str) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self.logs = folder / "logs"
        self.logs.mkdir()
        self.token = ""
        suffix = secrets.token_hex(8)
        self.main, self.datastore, self._reader = f"ckan_{suffix}", f"datastore_{suffix}", f"ckan_reader_{suffix}"
        self._password, self._secret = secrets.token_hex(16), secrets.token_hex(32)
        self._programs, self._folder, self._database, self._redis = environment / "bin", folder, database, redis_url
        self._solr_port = free_port()
        self._processes: list[subprocess.Popen[bytes]] = []
        # A proxy for the machine's requests is not meant for requests to itself.
        self._environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        # It would get warnings that only CKAN can fix.
        self._environment.pop("PYTHONWARNINGS", None)

    def start(self) -> None:
        """Make the databases and a curator with a token, and start every process."""
        for name in (self.main, self.datastore):
            create_database(self._database, name)
        with self._database.connect() as connection:
            made = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
            connection.execute(made.format(sql.Identifier(self._reader), sql.Literal(self._password)))
        schema = next(self._programs.parent.glob("lib/python*/site-packages/ckan/config/solr/schema.xml"))
        solr = Path(__file__).with_name("little_solr.py")
        self._spawn("solr", [self._programs / "python", solr, str(self._solr_port), schema])
        wait_for(lambda: _answers(f"{self._solr}/schema"), "the stand-in of Solr")
        self._write_settings("NOT_SET")
        self._run("db", "init")
        with self._database.connect(self.datastore) as connection:
            script = self._run("datastore", "set-permissions")
            connection.execute("\n".join(line for line in script.splitlines() if not line.startswith("\\connect")))
        self._run("user", "add", ADMIN, f"email={ADMIN}@portal.example", f"password={secrets.token_urlsafe(20)}")
        self._run("sysadmin", "add", ADMIN)
        self.token = self._run("user", "token", "add", ADMIN, "tests", "-q").split()[-1]
        self._write_settings(self.token)
        self._spawn("loader", self._command("jobs", "worker"))
        self._spawn("gather", self._command("harvester", "gather-consumer"))
        self._spawn("fetch", self._command("harvester", "fetch-consumer"))
        self._serve("web", self.url)

    def serve_with_schema(self) -> str:
        """A second web server on the same databases, whose datasets have a schema of the portal's own; its address."""
        url = f"http://127.0.0.1:{free_port()}"
        schema = {
            "ckan.site_url": url,
            "ckan.plugins": f"{_PLUGINS} scheming_datasets",
            "scheming.dataset_schemas": "ckanext.dcat.schemas:dcat_ap_full.yaml",
            "scheming.presets": "ckanext.scheming:presets.json ckanext.dcat.schemas:presets.yaml",
        }
        self._write_settings(self.token, "schema.ini", schema)
        self._serve("schema", url, "schema.ini")
        return url

    def stop(self) -> None:
        """End every process and drop the databases."""
        for process in self._processes:
            kill_group(process)
            process.wait()
        for name in (self.main, self.datastore):
            drop_database(self._database, name)
        with self._database.connect() as connection:
            connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(self._reader)))

    def ask(self, action: str, token: str | None = None, **body: Any) -> httpx.Response:
        """Call an action; as the curator unless another token, or an empty one, is given."""
        headers = {"Authorization": self.token if token is None else token}
        with httpx.Client(trust_env=False, timeout=patience()) as client:
            return client.post(
                f"{self.url}/api/3/action/{action}", json=body, headers={k: v for k, v in headers.items() if v}
            )

    def act(self, action: str, **body: Any) -> Any:
        """The result of an action that must succeed."""
        answer = self.ask(action, **body)
        assert answer.status_code == 200, f"{action}: {answer.text[:2000]}\n{self.said()}"
        return answer.json()["result"]

    def packages(self, **search: Any) -> dict[str, dict[str, Any]]:
        """What an anonymous visitor finds, by the address that each was harvested from."""
        found: list[dict[str, Any]] = []
        while True:
            answer = self.ask("package_search", "", rows=100, start=len(found), **search)
            assert answer.status_code == 200, answer.text
            page = answer.json()["result"]["results"]
            found += page
            if not page:
                return {extra_of(package, "guid") or package["name"]: package for package in found}

    def add_source(self, name: str, url: str) -> str:
        """A source of the harvester for DCAT, as the portal's documentation has it."""
        made = self.act(
            "harvest_source_create", name=name, title=name, url=url, source_type="dcat_rdf", frequency="MANUAL"
        )
        return str(made["id"])

    def harvest(self, source_id: str) -> dict[str, Any]:
        """Have a source harvested, and wait until the portal calls the job finished; its counts."""
        job = self.act("harvest_job_create", source_id=source_id, run=True)

        def is_imported() -> bool:
            shown = self.act("harvest_job_show", id=job["id"])
            # Objects without a state, counted under none, are still to be imported.
            return bool(shown["gather_finished"]) and "null" not in shown["stats"]

        wait_for(is_imported, "the end of a harvest", pause=0.5)
        # A portal's cron closes jobs so; sooner it would send objects on their way a second time.
        self.act("harvest_jobs_run", source_id=source_id)
        report = self.act("harvest_job_report", id=job["id"])
        assert (report["gather_errors"], report["object_errors"]) == ([], {}), report
        closed = self.act("harvest_job_show", id=job["id"])
        assert closed["status"] == "Finished", closed
        return dict(closed["stats"])

    def rows(self, resource_id: str) -> int | None:
        """How many rows of a resource the DataStore has, asked of the database; None if it has no table of it."""
        with self._database.connect(self.datastore) as connection:
            known = "SELECT 1 FROM pg_tables WHERE schemaname = 'public' AND tablename = %s"
            if connection.execute(known, [resource_id]).fetchone() is None:
                return None
            count = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(resource_id))
            [found] = connection.execute(count).fetchone() or (0,)
        return int(found)

    def said(self) -> str:
        """The ends of all logs, for the message of a failing test."""
        return "\n".join(f"== {log.name}\n{log.read_text()[-3000:]}" for log in sorted(self.logs.glob("*.log")))

    @property
    def _solr(self) -> str:
        return f"http://127.0.0.1:{self._solr_port}/solr/ckan"

    def _command(self, *words: str, settings: str = _SETTINGS) -> list[str | Path]:
        return [self._programs / "ckan", "-c", self._folder / settings, *words]

    def _serve(self, name: str, url: str, settings: str = _SETTINGS) -> None:
        # With one thread CKAN would wait for its own loader, which asks it for the resource that it just made.
        address = ("-H", "127.0.0.1", "-p", url.rpartition(":")[2])
        self._spawn(name, self._command("run", *address, "-t", "-r", "-D", settings=settings))
        server = self._processes[-1]

        def is_up() -> bool:
            assert server.poll() is None, f"CKAN ended\n{self.said()}"
            return _answers(f"{url}/api/3/action/status_show")

        wait_for(is_up, "CKAN")

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            self._command(*words), capture_output=True, text=True, timeout=patience(RECOVERY), env=self._environment
        )
        assert done.returncode == 0, f"ckan {words[0]} {words[1]}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
        return done.stdout

    def _spawn(self, name: str, command: list[str | Path]) -> None:
        self._processes.append(spawn(command, environment=self._environment, log=self.logs / f"{name}.log"))

    def _write_settings(self, loader_token: str, file: str = _SETTINGS, more: Mapping[str, str] | None = None) -> None:
        settings = {
            "use": "egg:ckan",
            "SECRET_KEY": self._secret,
            "api_token.jwt.encode.secret": f"string:{self._secret}",
            "api_token.jwt.decode.secret": f"string:{self._secret}",
            "ckan.site_id": "portal",
            "ckan.site_url": self.url,
            "ckan.plugins": _PLUGINS,
            "ckan.storage_path": str(self._folder / "storage"),
            # The harvester waits for messages without end, which new clients of Redis no longer do by themselves.
            "ckan.redis.url": f"{self._redis}?socket_timeout=86400",
            "ckan.harvest.mq.type": "redis",
            "ckan.auth.create_unowned_dataset": "true",
            "solr_url": self._solr,
            "sqlalchemy.url": self._database_url(self.main),
            "ckan.datastore.write_url": self._database_url(self.datastore),
            "ckan.datastore.read_url": self._database_url(self.datastore, self._reader, self._password),
            "ckanext.xloader.jobs_db.uri": self._database_url(self.main),
            "ckanext.xloader.api_token": loader_token,
        }
        settings |= more or {}
        lines = [f"{name} = {value.replace('%', '%%')}" for name, value in settings.items()]
        text = "\n".join(["[DEFAULT]", "debug = false", "[app:main]", *lines, _LOGGING])
        (self._folder / file).write_text(text)

    def _database_url(self, name: str, *login: str) -> str:
        return self._database.url(name, *login).replace("postgresql+psycopg:", "postgresql:")


def extra_of(package: dict[str, Any], key: str) -> str | None:
    """What a package says under a name that CKAN has no field for."""
    return next((each["value"] for each in package["extras"] if each["key"] == key), None)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=10, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


@contextmanager
def running_ckan(environment: Path, folder: Path, database: PostgresAddress, redis_url: str) -> Iterator[Ckan]:
    """A portal that is up; nothing of it is left at the end."""
    portal = Ckan(environment, folder, database, redis_url)
    try:
        portal.start()
        yield portal
    finally:
        portal.stop()
