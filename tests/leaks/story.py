"""A day of the service over canary data: every request that is possible, and everything that can go wrong.

All answers and all commands to Redis are recorded. The tests then search every trace of the day for canaries.
"""

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from stack.servers import databases as installation
from stack.servers.broker import RedisServer
from stack.servers.ports import free_port
from stack.servers.postgres import PostgresServer
from storage.trail.events import EVENTS
from tests.conftest import Databases
from tests.courier.portals.little_ckan import LittleCkan, little_ckan
from tests.courier.receivers import Receiver, receiving
from tests.leaks.canary import CanaryData
from tests.leaks.witness import Monitor, Witness, WitnessedStack
from tests.patience import wait_for
from tests.service.samples import ABOUT
from tests.system.conftest import is_ready, make_stack

SHARED = [folder for folder in (Path("/dev/shm"), Path("/var/tmp")) if folder.is_dir()]
"""Folders of the machine into which a process might write although it has its own temporary folder."""


@dataclass
class Story:
    """The running service, the data and the results."""

    stack: WitnessedStack
    data: CanaryData
    postgres: PostgresServer
    redis: RedisServer
    monitor: Monitor
    temporary: Path
    """Folder for the processes' temporary files."""
    metrics_port: int
    main: str
    keyring: str
    sink: Receiver | None = None
    """Webhook receiver of every event."""
    portal: LittleCkan | None = None
    """Portal on which a release is published, and later removed."""
    uploads: list[bytes] = field(default_factory=list)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Finished jobs by their intended end."""
    kept: dict[str, str] = field(default_factory=dict)
    """Ids by the resource's name in paths, of existing resources."""
    gone: dict[str, str] = field(default_factory=dict)
    """Ids by the resource's name in paths, of deleted or withdrawn resources."""
    residue: dict[str, list[str]] = field(default_factory=dict)
    """Canaries found in temporary files while a killed worker's job was unfinished."""

    def left_outside(self) -> dict[str, list[str]]:
        """Canaries in every folder where a process can leave files: its own for temporary ones, and those that all
        processes of the machine share, the ones in memory too."""
        return {
            f"{folder}/{name}": places
            for folder in (self.temporary, *SHARED)
            for name, places in self.data.anything.find_in_folder(folder).items()
        }

    @property
    def witness(self) -> Witness:
        return self.stack.witness

    def publish(self, name: str, content: bytes, policy: dict[str, Any], extension: str = "csv", **more: Any) -> None:
        """Upload with a policy, wait for the end, and remember the job under a name."""
        self.uploads.append(content)
        self.jobs[name] = self.stack.publish(content, policy, file_name=self.data.file_name(extension), **more)

    def upload(self, content: bytes, extension: str = "csv", **more: Any) -> str:
        """Upload without a policy and wait until a worker has read it; returns the dataset's id."""
        self.uploads.append(content)
        answer = self.stack.upload(content, file_name=self.data.file_name(extension), **more)
        assert answer.status_code == 201, answer.text
        dataset_id = str(answer.json()["id"])
        self.wait_for_status("datasets", dataset_id, "ready")
        return dataset_id

    def wait_for_status(self, resource: str, item_id: str, *wanted: str) -> str:
        """Wait until a dataset or hierarchy has one of these states."""
        with self.stack.client() as steward:

            def state() -> str:
                return str(steward.get(f"/v1/{resource}/{item_id}").json()["status"])

            wait_for(lambda: state() in wanted, f"{resource} {' or '.join(wanted)}")
            return state()

    def run(self, name: str, dataset_id: str, policy: dict[str, Any]) -> None:
        """Run a policy on a stored dataset."""
        with self.stack.client() as steward:
            answer = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": policy})
            assert answer.status_code == 202, answer.text
        self.jobs[name] = self.stack.finish(answer.json()["id"])

    def tamper(self, statement: str, **parameters: Any) -> None:
        """Change the main database as its owner."""
        engine = create_engine(self.stack.database_url, hide_parameters=True)
        with engine.begin() as connection:
            assert connection.execute(text(statement), parameters).rowcount > 0
        engine.dispose()

    def said(self) -> bytes:
        """The logs of all processes."""
        return b"".join(log.read_bytes() for log in sorted(self.stack.logs.glob("*.log")))


@contextlib.contextmanager
def running_story(folder: Path) -> Iterator[Story]:
    """Start our own servers and processes, run the story, and stop everything."""
    with contextlib.ExitStack() as ending:
        postgres = PostgresServer.start(folder / "postgres", durable=False, install=True)
        ending.callback(postgres.stop)
        doorbell = RedisServer.start(folder / "redis", durable=False, install=True)
        ending.callback(doorbell.stop)
        story = _prepared(folder, postgres, doorbell)
        story.sink, story.portal = ending.enter_context(receiving()), ending.enter_context(little_ckan())
        ending.callback(lambda: [story.stack.stop(name) for name in list(story.stack.processes)])
        with story.monitor.listening():
            tell(story)
        yield story


def _prepared(folder: Path, postgres: PostgresServer, doorbell: RedisServer) -> Story:
    passwords = {login.name: secrets.token_urlsafe(16) for login in installation.LOGINS}
    made = Databases(postgres.address, "canary_main", "canary_keyring", passwords)
    for name in (made.main, made.keyring):
        installation.create_database(made.address, name)
    installation.migrate(made.url, made.keyring_url)
    installation.grant_logins(made.address, passwords)
    plain = make_stack(made, doorbell.work_url, folder)
    temporary, metrics_port = folder / "temporary", free_port()
    temporary.mkdir()
    plain.api_environment |= {"TMPDIR": str(temporary), "ANTIFAZ_METRICS_PORT": str(metrics_port)}
    plain.worker_environment |= {"TMPDIR": str(temporary)}
    plain.courier_environment |= {"TMPDIR": str(temporary)}
    stack = WitnessedStack(**vars(plain))
    monitor = Monitor(doorbell)
    return Story(stack, CanaryData(), postgres, doorbell, monitor, temporary, metrics_port, made.main, made.keyring)


def tell(story: Story) -> None:
    """The whole day, in order."""
    story.stack.start("api")
    story.stack.start("sweeper")
    story.stack.start("worker", ANTIFAZ_FAILPOINT="protected:sleep=600")
    wait_for(lambda: is_ready(story.stack.address), "the API")
    story.stack.start("courier")
    _register(story)
    _kill_a_worker_in_the_middle(story)
    _succeed(story)
    _compare(story)
    _ask(story)
    _fail(story)
    _delete(story)


def _register(story: Story) -> None:
    """Register a webhook for all events, and a portal."""
    assert story.sink is not None
    assert story.portal is not None
    with story.stack.client("admin") as admin:
        hook = admin.post("/v1/webhooks", json={"url": story.sink.url, "events": list(EVENTS)})
        portal = {"kind": "ckan", "name": "little", "url": story.portal.url, "token": story.portal.key}
        place = admin.post("/v1/portals", json=portal)
        tried = admin.post(f"/v1/webhooks/{hook.json()['id']}/test")
    story.kept |= {"webhooks": hook.json()["id"], "portals": place.json()["id"], "deliveries": tried.json()["id"]}


def _publish_and_withdraw(story: Story, release_id: str) -> None:
    """Publish a release on the portal, and remove it again."""
    path = f"/v1/releases/{release_id}"
    with story.stack.client() as steward:
        assert steward.put(f"{path}/about", json=ABOUT).status_code == 200
        assert steward.post(f"{path}/audience", json={"audience": "public"}).status_code == 200
        sent = steward.post(f"{path}/publications", json={"portal": story.kept["portals"]})
        assert sent.status_code == 202, sent.text
        story.kept["publications"] = sent.json()["id"]

        def state() -> str:
            return str(steward.get(f"{path}/publications").json()["items"][0]["state"])

        wait_for(lambda: state() == "published", f"the release on the portal\n{story.stack.said()}")
        steward.post(f"{path}/withdraw", json={"reason": "test"})
        wait_for(lambda: state() == "withdrawn", "its removal")
        steward.post(f"{path}/audience", json={"audience": "tenant"})


def _kill_a_worker_in_the_middle(story: Story) -> None:
    """kill -9 while the worker holds the plaintext; then another worker finishes the job."""
    stack, data = story.stack, story.data
    content = data.table()
    story.uploads.append(content)
    answer = stack.upload(content, data.table_policy(), file_name=data.file_name("csv"))
    assert answer.status_code == 202, answer.text
    job_id = answer.json()["job"]["id"]
    with stack.client() as steward:
        wait_for(lambda: steward.get(f"/v1/jobs/{job_id}").json()["stage"] == "protect", "a job at work")
    stack.kill("worker")
    story.residue = story.left_outside()
    stack.start("worker")
    story.jobs["table"] = stack.finish(job_id)


def _succeed(story: Story) -> None:
    data, stack = story.data, story.stack
    story.publish("graph", data.edges(), data.graph_policy(), "edges", nodes=data.nodes())
    story.publish("contacts", data.contacts(), data.temporal_policy(), "csv", nodes=data.nodes(), window="day")
    story.kept["datasets"] = story.upload(data.table())
    with stack.client() as steward:
        rows = steward.post("/v1/hierarchies", json={"name": "homes", "hierarchy": data.hierarchy()})
        lines = steward.post(
            "/v1/hierarchies?name=text", content=data.hierarchy_text(), headers={"Content-Type": "text/csv"}
        )
        policy = steward.post("/v1/policies", json={"name": "kept", "policy": data.table_policy()})
        wish = {"name": "mask", "dataset_id": story.kept["datasets"], "column": "home", "hierarchy": {"kind": "mask"}}
        generated = steward.post("/v1/hierarchies/generate", json=wish)
        del wish["name"]
        looked = steward.post("/v1/hierarchies/preview", json=wish)
    for answer in (rows, lines, policy, generated, looked):
        assert answer.status_code in (201, 202), answer.text
    story.wait_for_status("hierarchies", generated.json()["id"], "ready")
    story.wait_for_status("hierarchies", looked.json()["id"], "preview")
    story.kept |= {"hierarchies": rows.json()["id"], "policies": policy.json()["id"]}
    story.kept |= {"jobs": story.jobs["table"]["id"], "releases": story.jobs["table"]["release_id"]}
    with stack.client("admin") as admin:
        spare = {"name": "spare", "role": "consumer", "expires_in_days": 1}
        story.kept["tokens"] = admin.post("/v1/tokens", json=spare).json()["id"]


FAILURES: dict[str, str] = {
    "a text in a column of integers": "failed",
    "a value without a place in its hierarchy": "failed",
    "a ragged row far down": "failed",
    "a k above the number of rows": "failed",
    "text that differs in every row": "failed",
    "a loop in a strict graph": "failed",
    "a time that is none far down": "failed",
    "a node table that does not fit": "failed",
    "a damaged original": "failed",
    "an error that nobody foresaw": "failed",
    "a gate that does not open": "refused",
    "a second release that breaks the first": "refused",
}
"""Every kind of failure, and how its job ends."""


def _compare(story: Story) -> None:
    """Try and compare policies with canaries in their hierarchies; nothing is released."""
    policy, dataset_id = story.data.table_policy(), story.jobs["table"]["dataset_id"]
    with story.stack.client() as steward:
        tried = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": policy, "trial": True})
        assert tried.status_code == 202, tried.text
        assert story.stack.finish(tried.json()["id"])["status"] == "assessed"
        body = {"dataset_id": dataset_id, "policy": policy, "vary": {"/guarantees/0/k": [2, 3]}, "repeats": 2}
        compared = steward.post("/v1/comparisons", json=body)
        assert compared.status_code == 202, compared.text
        place = compared.headers["Location"]
        wait_for(lambda: steward.get(place).json()["finished_at"] is not None, "the comparison's end")
        found = steward.get(place).json()
    assert (found["status"], len(found["rows"])) == ("assessed", 2), found
    story.kept["comparisons"] = found["id"]


def _ask(story: Story) -> None:
    """Ask a question about a separate dataset: its account would also charge releases."""
    dataset_id = story.upload(story.data.table())
    declared = {"columns": {"age": {"type": "integer", "bounds": [0, 120]}}, "budget": {"epsilon": 100}}
    question = {"select": [{"count": {}}, {"mean": "age"}], "epsilon": 50}
    with story.stack.client() as steward:
        answer = steward.put(f"/v1/datasets/{dataset_id}/declarations", json=declared)
        assert answer.status_code == 200, answer.text
        answer = steward.post(f"/v1/datasets/{dataset_id}/queries", json=question)
        assert answer.status_code == 202, answer.text
    story.kept["queries"] = answer.json()["id"]
    story.wait_for_status("queries", story.kept["queries"], "done")


def _fail(story: Story) -> None:
    data = story.data
    table, rows = data.table(), data.rows()
    cell, illness = data.hidden(), rows[1][6]
    spoiled = table + ",".join([cell, "1", cell, *rows[1][3:6], illness]).encode() + b"\n"
    story.publish("a text in a column of integers", spoiled, data.table_policy())
    misplaced = table + ",".join([cell, "1", "30", cell, *rows[1][4:6], illness]).encode() + b"\n"
    story.publish("a value without a place in its hierarchy", misplaced, data.table_policy())
    line = table.splitlines(keepends=True)[1]
    ragged = table.splitlines(keepends=True)[0] + line * (2_200_000 // len(line)) + f"{cell},1\n".encode() + line
    story.publish("a ragged row far down", ragged, data.table_policy())
    story.publish("a k above the number of rows", table, data.table_policy(k=1000))
    free = data.table_policy()
    free["attributes"]["name"] = {"role": "insensitive"}
    story.publish("text that differs in every row", table, free)
    loop = data.edges() + f"{cell},{cell}\n".encode()
    bare = data.graph_policy(attributes={}, guarantees=[{"model": "k_degree_anonymity", "k": 2}])
    story.publish("a loop in a strict graph", loop, bare, "edges", strict=True)
    late = data.contacts() + b"# a comment that fills the first megabyte\n" * 60_000
    late += f"{cell},{cell}2,{cell},{cell}\n".encode()
    story.publish("a time that is none far down", late, bare | {"kind": "temporal_graph", "formats": ["csv"]},
                  "csv", window="day")  # fmt: skip
    twice = data.nodes() + data.nodes().splitlines(keepends=True)[1]
    story.publish("a node table that does not fit", data.edges(), data.graph_policy(), "edges", nodes=twice)
    damaged = story.upload(table)
    story.tamper(
        "UPDATE original_chunks SET content = set_byte(content, 5, (get_byte(content, 5) + 1) % 256)"
        " WHERE blob_id = (SELECT blob_id FROM datasets WHERE id = :id)",
        id=damaged,
    )
    story.run("a damaged original", damaged, data.table_policy())
    unforeseen = story.upload(table)
    story.tamper("UPDATE datasets SET format = 'unheard-of' WHERE id = :id", id=unforeseen)
    story.run("an error that nobody foresaw", unforeseen, data.table_policy())
    story.publish("a gate that does not open", table, data.table_policy(gate={"max_prosecutor_risk": 0.0001}))
    finer = data.table_policy(k=4, guarantees=[{"model": "k_anonymity", "k": 4}])
    finer["attributes"]["age"] = {"role": "insensitive"}
    # Otherwise the many ages would be refused before the first release is considered.
    finer["waivers"] = [{"rule": "free_text", "reason": "a test of releases together"}]
    story.run("a second release that breaks the first", story.jobs["table"]["dataset_id"], finer)


def _delete(story: Story) -> None:
    """Delete a dataset whose release is withdrawn."""
    story.publish("to be deleted", story.data.table(), story.data.table_policy())
    job = story.jobs["to be deleted"]
    _publish_and_withdraw(story, job["release_id"])
    with story.stack.client() as steward:
        assert steward.delete(f"/v1/datasets/{job['dataset_id']}").status_code == 204
    story.gone = {"datasets": job["dataset_id"], "releases": job["release_id"], "jobs": job["id"]}
