"""The oracle itself: it must detect the violations it was written for."""

import pytest

from tests.faults.harness import CANARY, World
from tests.faults.oracle import examine


def test_a_secret_in_a_log_is_noticed(rig: World) -> None:
    log = rig.stack.logs / "planted.log"
    log.write_text(f"a name: {CANARY}7")
    with pytest.raises(AssertionError, match="O6"):
        examine(rig)
    log.unlink()


def test_a_secret_in_the_databases_files_is_noticed(rig: World) -> None:
    file = rig.postgres.cluster / "planted"
    file.write_bytes(CANARY.encode("utf-16-le"))
    with pytest.raises(AssertionError, match="O6"):
        examine(rig)
    file.unlink()


def test_a_temporary_file_is_noticed(rig: World) -> None:
    residue = rig.folder / "temporary" / "residue"
    residue.touch()
    with pytest.raises(AssertionError, match="O8"):
        examine(rig)
    residue.unlink()


def test_a_release_without_its_job_and_a_broken_chain_are_noticed(rig: World) -> None:
    job_id = rig.submit()
    assert rig.end_of(job_id) == "released"
    rig.ask("UPDATE jobs SET status = 'failed' WHERE id = %s", job_id)
    with pytest.raises(AssertionError, match="O3"):
        examine(rig)
    rig.ask("UPDATE jobs SET status = 'released' WHERE id = %s", job_id)
    [(number, actor)] = rig.ask("SELECT number, actor FROM audit_events ORDER BY number DESC LIMIT 1")
    rig.ask("UPDATE audit_events SET actor = 'somebody' WHERE number = %s", number)
    with pytest.raises(AssertionError, match="O7"):
        examine(rig)
    rig.ask("UPDATE audit_events SET actor = %s WHERE number = %s", actor, number)


def test_a_budget_whose_charges_do_not_add_up_is_noticed(rig: World) -> None:
    job_id = rig.insist(rig.private_request())
    assert rig.end_of(job_id) == "released"
    rig.ask("UPDATE charges SET units = 499999 WHERE job_id = %s", job_id)
    with pytest.raises(AssertionError, match="O4"):
        examine(rig)
    rig.ask("UPDATE charges SET units = 500000 WHERE job_id = %s", job_id)
    [mark] = rig.ask("SELECT fingerprint FROM jobs WHERE id = %s", job_id)
    rig.ask("UPDATE jobs SET fingerprint = NULL WHERE id = %s", job_id)
    with pytest.raises(AssertionError, match="O4"):
        examine(rig)
    rig.ask("UPDATE jobs SET fingerprint = %s WHERE id = %s", mark[0], job_id)
