"""The ledger: whole numbers, never overdrawn, never lowered, one charge for a job."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from storage.accounts import grants, ledger
from storage.datasets import datasets
from storage.jobs import jobs
from storage.jobs.jobs import JobDraft, JobRecord
from storage.tenancy import tokens

MARK = b"the same request"
KEYS = bytes(range(32))
"""The key of the codes."""


@pytest.fixture
def account(owner: Any, tenant_id: UUID) -> Callable[[int], UUID]:
    """Opens accounts of given millionths, each with its own lineage."""

    def open_account(total: int) -> UUID:
        lineage_id = uuid4()
        with owner.main.begin() as connection:
            ledger.open_account(connection, KEYS, tenant_id, lineage_id, total)
        return lineage_id

    return open_account


@pytest.mark.parametrize(
    ("epsilon", "charged", "granted"),
    [
        ("1", 1_000_000, 1_000_000),
        ("0.05", 50_000, 50_000),
        ("0.1", 100_000, 100_000),
        ("0.0000001", 1, 0),
        ("1.0000001", 1_000_001, 1_000_000),
        ("0", 0, 0),
    ],
)
def test_a_charge_is_rounded_up_and_a_budget_down(epsilon: str, charged: int, granted: int) -> None:
    assert (ledger.charged_for(Decimal(epsilon)), ledger.granted_by(Decimal(epsilon))) == (charged, granted)


@given(st.lists(st.decimals(min_value="0.0001", max_value="9", places=9), min_size=1, max_size=20))
def test_what_is_granted_never_exceeds_the_budget_in_true_epsilons(costs: list[Decimal]) -> None:
    budget = sum(costs, Decimal(0))
    left = ledger.granted_by(budget)
    spent = Decimal(0)
    for cost in costs:
        if ledger.charged_for(cost) <= left:
            left -= ledger.charged_for(cost)
            spent += cost
    assert spent <= budget


def test_nine_ninths_of_a_budget_are_not_more_than_the_budget(c: Connection, account: Any) -> None:
    ninth = ledger.charged_for(Decimal(str(1 / 9)))
    lineage_id = account(1_000_000)
    assert [ledger.spend(c, KEYS, lineage_id, ninth) for _ in range(9)] == [True] * 8 + [False]
    assert ledger.account_of(c, KEYS, lineage_id) == ledger.Account(lineage_id, 1_000_000, 8 * ninth)


def test_a_lineage_without_an_account_spends_nothing(c: Connection) -> None:
    nobody = uuid4()
    assert ledger.account_of(c, KEYS, nobody) is None
    assert not ledger.spend(c, KEYS, nobody, 1)
    assert ledger.charges_of(c, KEYS, nobody) == []


def test_forty_who_spend_at_once_are_granted_exactly_what_there_is(service: Any, account: Any) -> None:
    lineage_id = account(1_000_000)

    def spend_ten(_: int) -> int:
        granted = 0
        for _ in range(10):
            with service.main.begin() as connection:
                granted += ledger.spend(connection, KEYS, lineage_id, 50_000)
        return granted

    with ThreadPoolExecutor(40) as pool:
        assert sum(pool.map(spend_ten, range(40))) == 20
    with service.main.connect() as connection:
        assert ledger.account_of(connection, KEYS, lineage_id) == ledger.Account(lineage_id, 1_000_000, 1_000_000)


@pytest.mark.long
def test_a_thousand_who_spend_at_once_never_exceed_the_budget_in_twenty_rounds(service: Any, account: Any) -> None:
    for _ in range(20):
        lineage_id = account(1_000_000)

        def spend(micro: int, lineage_id: UUID = lineage_id) -> int:
            with service.main.begin() as connection:
                return micro if ledger.spend(connection, KEYS, lineage_id, micro) else 0

        with ThreadPoolExecutor(20) as pool:
            granted = sum(pool.map(spend, [3_000 + 7 * (n % 100) for n in range(1_000)]))
        with service.main.connect() as connection:
            found = ledger.account_of(connection, KEYS, lineage_id)
        assert found is not None
        assert found.spent == granted <= 1_000_000
        assert 1_000_000 - granted < 3_000


@pytest.mark.parametrize("spent", [1_000_001, -1])
def test_the_database_itself_refuses_an_account_that_is_overdrawn(owner: Any, account: Any, spent: int) -> None:
    lineage_id = account(1_000_000)
    statement = text("UPDATE budgets SET spent = :spent WHERE lineage_id = :lineage")
    with pytest.raises(IntegrityError), owner.main.begin() as connection:
        connection.execute(statement, {"spent": spent, "lineage": lineage_id})


def test_the_database_itself_refuses_to_lower_what_was_spent(owner: Any, account: Any) -> None:
    lineage_id = account(1_000_000)
    with owner.main.begin() as connection:
        assert ledger.spend(connection, KEYS, lineage_id, 10)
    with pytest.raises(IntegrityError, match="stays spent"), owner.main.begin() as connection:
        connection.execute(text("UPDATE budgets SET spent = 9 WHERE lineage_id = :lineage"), {"lineage": lineage_id})


def test_a_job_is_charged_once(c: Connection, account: Any, job: JobRecord) -> None:
    lineage_id = account(1_000_000)
    assert ledger.charge_of(c, KEYS, job.id) is None
    entered = ledger.enter(c, KEYS, lineage_id, job.id, ledger.Price(300_000))
    assert ledger.charges_of(c, KEYS, lineage_id) == [entered]
    assert ledger.charge_of(c, KEYS, job.id) == 300_000
    assert ledger.charged_among(c, KEYS, [job.id, uuid4()]) == {job.id}
    with pytest.raises(DBAPIError):
        ledger.enter(c, KEYS, lineage_id, job.id, ledger.Price(300_000))


def draw(engines: Any, job: JobRecord, fence: int, lineage_id: UUID) -> bool | None:
    with engines.main.begin() as connection:
        return ledger.claim_draw(connection, job, fence, lineage_id)


def test_of_twenty_who_would_draw_at_once_one_is_the_first(
    owner: Any, worker: Any, tenant_id: UUID, dataset_id: UUID
) -> None:
    with owner.main.begin() as connection:
        lineage_id = datasets.get_dataset(connection, tenant_id, dataset_id).lineage_id
        submitted = [submit(connection, tenant_id, dataset_id, None) for _ in range(20)]
        claims = [jobs.claim(connection, job.id, 60, 3) for job in submitted]
    with ThreadPoolExecutor(20) as pool:
        drew = list(pool.map(lambda claim: draw(worker, claim.job, claim.fence, lineage_id), claims))
    assert sorted(drew) == [False] * 19 + [True]
    first = claims[drew.index(True)]
    assert draw(worker, first.job, first.fence, lineage_id) is False


def test_a_job_that_begins_again_is_still_the_first_and_a_lost_one_is_told_so(
    owner: Any, worker: Any, tenant_id: UUID, dataset_id: UUID
) -> None:
    with owner.main.begin() as connection:
        lineage_id = datasets.get_dataset(connection, tenant_id, dataset_id).lineage_id
        job = submit(connection, tenant_id, dataset_id, None)
        claim = jobs.claim(connection, job.id, 60, 3)
    assert [draw(worker, job, claim.fence, lineage_id) for _ in range(2)] == [True, True]
    assert draw(worker, job, claim.fence + 1, lineage_id) is None


def submit(c: Connection, tenant_id: UUID, dataset_id: UUID, mark: bytes | None = MARK) -> JobRecord:
    return jobs.submit(c, JobDraft(tenant_id, dataset_id, fingerprint=mark))


def test_the_same_request_finds_the_job_that_is_under_way(c: Connection, tenant_id: UUID, dataset_id: UUID) -> None:
    assert ledger.standing_job(c, tenant_id, dataset_id, MARK) is None
    submit(c, tenant_id, dataset_id, None)
    made = submit(c, tenant_id, dataset_id)
    assert ledger.standing_job(c, tenant_id, dataset_id, MARK) == made
    assert ledger.standing_job(c, tenant_id, dataset_id, b"another") is None
    assert ledger.standing_job(c, tenant_id, uuid4(), MARK) is None
    assert ledger.standing_job(c, uuid4(), dataset_id, MARK) is None
    assert jobs.claim(c, made.id, 60, 3) is not None
    assert ledger.standing_job(c, tenant_id, dataset_id, MARK) is not None


@pytest.mark.parametrize("end", ["refused", "failed", "cancelled"])
def test_a_job_that_ended_without_a_release_answers_nobody(
    c: Connection, tenant_id: UUID, dataset_id: UUID, end: str
) -> None:
    made = submit(c, tenant_id, dataset_id)
    claimed = jobs.claim(c, made.id, 60, 3)
    assert claimed is not None
    assert jobs.finish(c, made.id, claimed.fence, end)
    assert ledger.standing_job(c, tenant_id, dataset_id, MARK) is None


def test_a_job_that_is_about_to_be_cancelled_answers_nobody(c: Connection, tenant_id: UUID, dataset_id: UUID) -> None:
    made = submit(c, tenant_id, dataset_id)
    assert jobs.claim(c, made.id, 60, 3) is not None
    jobs.request_cancel(c, tenant_id, made.id)
    assert ledger.standing_job(c, tenant_id, dataset_id, MARK) is None


@pytest.fixture
def analyst(owner: Any, tenant_id: UUID, token_key: bytes) -> UUID:
    with owner.main.begin() as connection:
        return tokens.create_token(connection, token_key, tenant_id, "ana", "analyst", None)[0].id


def test_forty_who_ask_at_once_stay_within_the_grant_and_the_account(
    owner: Any, service: Any, account: Any, analyst: UUID, tenant_id: UUID, dataset_id: UUID
) -> None:
    lineage_id = account(1_000_000)
    with owner.main.begin() as connection:
        grants.set_grant(connection, KEYS, tenant_id, lineage_id, analyst, dataset_id, 300_000)

    def spend_ten(number: int) -> tuple[int, int]:
        asker = analyst if number % 2 else None
        granted = 0
        for _ in range(10):
            with service.main.begin() as connection:
                granted += ledger.spend(connection, KEYS, lineage_id, 50_000, 0, asker)
        return (granted, 0) if asker is None else (0, granted)

    with ThreadPoolExecutor(40) as pool:
        others, own = (sum(each) for each in zip(*pool.map(spend_ten, range(40)), strict=True))
    with service.main.connect() as connection:
        found, grant = (
            ledger.account_of(connection, KEYS, lineage_id),
            grants.get_grant(connection, KEYS, lineage_id, analyst),
        )
    assert found is not None
    assert grant is not None
    assert (found.spent, grant.spent) == (1_000_000, own * 50_000)
    assert others + own == 20
    assert own <= 6


def test_who_has_no_grant_takes_nothing_from_the_account(c: Connection, account: Any) -> None:
    lineage_id = account(1_000_000)
    assert not ledger.spend(c, KEYS, lineage_id, 1, 0, uuid4())
    assert ledger.account_of(c, KEYS, lineage_id) == ledger.Account(lineage_id, 1_000_000, 0)


def test_deltas_are_summed_and_bounded(c: Connection, tenant_id: UUID) -> None:
    lineage_id = uuid4()
    ledger.open_account(c, KEYS, tenant_id, lineage_id, 10**9, "zcdp", 100)
    assert [ledger.spend(c, KEYS, lineage_id, 1, 40) for _ in range(3)] == [True, True, False]
    assert ledger.account_of(c, KEYS, lineage_id) == ledger.Account(lineage_id, 10**9, 2, "zcdp", 100, 80)


@pytest.mark.parametrize(
    "change", ["total = total + 1", "measure = 'zcdp'", "spent = spent - 1", "delta_total = 10", "delta_total = NULL"]
)
def test_the_database_itself_lets_no_account_escape_its_charges(owner: Any, tenant_id: UUID, change: str) -> None:
    lineage_id = uuid4()
    with owner.main.begin() as connection:
        ledger.open_account(connection, KEYS, tenant_id, lineage_id, 100, "pure", 5)
        assert ledger.spend(connection, KEYS, lineage_id, 10)
    with pytest.raises(IntegrityError), owner.main.begin() as connection:
        connection.execute(text(f"UPDATE budgets SET {change} WHERE lineage_id = :id"), {"id": lineage_id})


def test_an_account_is_raised_to_what_is_known_of_it_and_never_lowered(c: Connection, account: Any) -> None:
    lineage_id = account(100)
    assert ledger.spend(c, KEYS, lineage_id, 10)
    assert not ledger.catch_up(c, KEYS, lineage_id, 10, 0)
    assert ledger.catch_up(c, KEYS, lineage_id, 60, 0)
    assert not ledger.catch_up(c, KEYS, lineage_id, 30, 0)
    assert ledger.catch_up(c, KEYS, lineage_id, 500, 0)
    found = ledger.account_of(c, KEYS, lineage_id)
    assert found is not None
    assert found.spent == 100
