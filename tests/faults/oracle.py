"""The oracle: the properties that must hold after every scenario, whatever fails in it.

O1 every accepted request has exactly one job, and no request has two; O2 every job ends; O3 a job has one
release if it is released, else none, and a question one answer if it is answered; O4 no budget is overspent, its
charges are what it has spent, and every job that drew noise has one; O5 every release passes the verifier, byte for
byte as its report states; O6 no secret appears in an answer, a log, the broker or the databases' files; O7 the audit
chain verifies; O8 nothing is left in temporary folders; O9 no failure shows internal details, and "unavailable" states
when to retry.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

import redis

import verifier
from tests.faults.harness import CANARY, World
from tests.leaks.canary import Scanner
from tests.patience import RECOVERY, wait_for

_INSIDES = re.compile(r'Traceback|File "|sqlalchemy|psycopg|\.py\b', re.IGNORECASE)


def examine(world: World) -> None:
    """Check everything."""
    _all_jobs_end(world)
    _one_job_for_each_request(world)
    _one_release_for_each_released_job(world)
    _one_answer_for_each_answered_question(world)
    _no_budget_is_overspent(world)
    _releases_verify(world)
    _audit_chain_verifies(world)
    _no_secret_leaked(world)
    _nothing_left_behind(world)
    _failures_are_discreet(world)


def _all_jobs_end(world: World) -> None:
    unfinished = "SELECT count(*) FROM jobs WHERE finished_at IS NULL"
    wait_for(lambda: world.ask(unfinished)[0][0] == 0, f"O2: the end of every job\n{world.stack.said()}", RECOVERY)


def _one_job_for_each_request(world: World) -> None:
    for request in world.requests:
        found = world.ask(
            "SELECT j.id FROM jobs j JOIN datasets d ON d.id = j.dataset_id"
            " WHERE d.name = %s AND j.task = 'publish' AND j.policy_blob_id IS NOT NULL ORDER BY j.created_at",
            request.name,
        )
        ids = [str(row[0]) for row in found]
        assert len(request.job_ids) <= 1, "O1: one request was answered with two jobs"
        assert request.job_ids <= set(ids), "O1: an accepted job does not exist"
        uploads = world.ask("SELECT count(*) FROM datasets WHERE name = %s", request.name)[0][0]
        if request.key is not None:
            assert uploads <= 1, "O1: one request was stored twice"


def _one_release_for_each_released_job(world: World) -> None:
    wrong = world.ask(
        "SELECT j.id FROM jobs j LEFT JOIN releases r ON r.job_id = j.id GROUP BY j.id"
        " HAVING count(r.id) <> CASE WHEN j.status = 'released' THEN 1 ELSE 0 END"
        " OR (j.status = 'released') <> (j.release_id IS NOT NULL)"
    )
    assert not wrong, "O3: a job has another number of releases than its status says"
    orphans = world.ask(
        "SELECT r.id FROM releases r LEFT JOIN artifacts a ON a.release_id = r.id"
        " LEFT JOIN reports p ON p.release_id = r.id GROUP BY r.id HAVING count(a.id) = 0 OR count(p.job_id) = 0"
    )
    assert not orphans, "O3: a release lacks its artifacts or its report"


def _one_answer_for_each_answered_question(world: World) -> None:
    wrong = world.ask(
        "SELECT j.id FROM jobs j LEFT JOIN query_answers a ON a.job_id = j.id"
        " WHERE (j.task = 'query' AND j.status = 'done') <> (a.job_id IS NOT NULL)"
    )
    assert not wrong, "O3: a question has an answer that its status does not say, or none"


def _no_budget_is_overspent(world: World) -> None:
    wrong = world.ask(
        "SELECT b.lineage_id FROM budgets b LEFT JOIN charges c USING (lineage_id) GROUP BY b.lineage_id"
        " HAVING b.spent > b.total OR b.spent <> coalesce(sum(c.units), 0)"
    )
    assert not wrong, "O4: a budget is overspent, or its charges do not add up"
    free = world.ask(
        "SELECT j.id FROM jobs j JOIN datasets d ON d.id = j.dataset_id JOIN budgets b ON b.lineage_id = d.lineage_id"
        " LEFT JOIN charges c ON c.job_id = j.id WHERE (j.fingerprint IS NOT NULL) <> (c.job_id IS NOT NULL)"
    )
    assert not free, "O4: a job that promises differential privacy was not charged, or another one was"


def _releases_verify(world: World) -> None:
    policies = {request.name: request.policy for request in world.requests}
    rows = world.ask("SELECT id, name FROM releases WHERE name = ANY(%s) AND withdrawn_at IS NULL", list(policies))
    for release_id, name in rows:
        artifacts = world.ask("SELECT format, part, sha256 FROM artifacts WHERE release_id = %s", release_id)
        served = []
        for form, part, digest in artifacts:
            content = world.stack.data(str(release_id), format=form, part=part)
            assert hashlib.sha256(content).hexdigest() == digest, "O5: other bytes are served than were verified"
            served.append(verifier.Artifact(form, part, content))
        verdict = verifier.verify(policies[name], served)
        assert not verdict.faults, "O5: a release is not in form"
        shown = [finding for finding in verdict.findings if finding.evidence != "mechanism"]
        assert all(finding.holds for finding in shown), "O5: a guarantee does not hold"


def _audit_chain_verifies(world: World) -> None:
    with world.stack.client("auditor") as auditor:
        state = auditor.get("/v1/audit-events/verify").json()
    assert state["intact"], "O7: the audit chain is broken"
    told = {"release.publish": "releases", "dataset.upload": "datasets", "budget.charge": "charges"}
    for action, table in told.items():
        noted = world.ask("SELECT count(*) FROM audit_events WHERE action = %s", action)[0][0]
        there = world.ask(f"SELECT count(*) FROM {table}")[0][0]
        assert noted == there, f"O7: {there} {table}, but {noted} times {action} in the audit trail"


def _no_secret_leaked(world: World) -> None:
    scanner = Scanner(CANARY)
    for answer in world.stack.answers:
        assert not scanner.find(str(answer.headers.raw)), "O6: a secret in an answer's headers"
        assert not scanner.find(answer.content), "O6: a secret in an answer"
    for log in [*world.stack.logs.glob("*.log"), world.postgres.log, world.redis.log]:
        assert not scanner.find_in_file(log), f"O6: a secret in {log.name}"
    with redis.Redis.from_url(world.redis.url) as client:
        kept = b"".join(client.dump(key) or b"" for key in client.scan_iter())
    assert not scanner.find(kept), "O6: a secret in the broker"
    world.ask("CHECKPOINT")
    for file in _changed_files(world.postgres.cluster, since=world.began_here - 1):
        assert not _holds(file, scanner), "O6: a secret in the databases' files"


def _changed_files(folder: Path, since: float) -> Iterable[Path]:
    for file in folder.rglob("*"):
        try:
            if file.is_file() and file.stat().st_mtime >= since:
                yield file
        except FileNotFoundError:
            continue  # the server removes its own files meanwhile


def _holds(file: Path, scanner: Scanner) -> bool:
    try:
        return bool(scanner.find_in_file(file))
    except FileNotFoundError:
        return False


def _nothing_left_behind(world: World) -> None:
    left = [file.name for file in (world.folder / "temporary").rglob("*") if file.is_file()]
    assert not left, f"O8: {len(left)} file(s) left in the temporary folder"


def _failures_are_discreet(world: World) -> None:
    for answer in world.stack.answers:
        if answer.status_code >= 500:
            assert answer.headers["content-type"] == "application/problem+json", "O9: a failure is not a problem"
            assert not _INSIDES.search(answer.text), "O9: a failure shows its insides"
        if answer.status_code == 503:
            assert "retry-after" in answer.headers, "O9: unavailable, without saying when to come again"
