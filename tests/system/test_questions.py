"""Questions from the client and the terminal: the price, the answer as a data frame, the remaining budget."""

import asyncio
from typing import Any

import pytest
from antifaz_client import AsyncClient, Client, Problem
from antifaz_client.commands.main import main

from tests.patience import wait_for
from tests.system.conftest import Stack
from tests.system.samples import patients

DECLARED = {
    "columns": {"age": {"type": "integer", "bounds": [0, 120]}, "sex": {"type": "text", "keys": ["F", "M"]}},
    "budget": {"epsilon": 3},
}
MEAN = {"mean": "age"}


@pytest.fixture(scope="module")
def dataset_id(stack: Stack) -> str:
    """A table with declarations and a grant for the analyst."""
    made: str = stack.upload(patients(300)).json()["id"]
    with Client(stack.address, stack.token("steward")) as steward:
        wait_for(lambda: steward.dataset(made).document["status"] == "ready", "the profile")
        steward.declare(made, DECLARED)
        with Client(stack.address, stack.token("analyst")) as analyst:
            steward.grant(made, analyst.me()["token_id"], epsilon=2)
    return made


def test_an_analyst_sees_the_cost_then_asks_and_gets_a_frame(stack: Stack, dataset_id: str) -> None:
    with Client(stack.address, stack.token("analyst")) as analyst:
        assert [grant["dataset_id"] for grant in analyst.grants()] == [dataset_id]
        assert sorted(analyst.declarations(dataset_id)["declarations"]["columns"]) == ["age", "sex"]
        before = analyst.accuracy(dataset_id, MEAN, rows=150, group_by="sex", epsilon=1)
        assert (before["remaining"], before["accuracy"][0]["unit"]) == (2.0, "value")
        frame = analyst.ask(dataset_id, [MEAN, "count"], where="age >= 18", group_by="sex", epsilon=1)
        assert frame["sex"].tolist() == ["F", "M"] * 2
        assert (frame["low"] <= frame["value"]).all()
        assert (frame.attrs["cost"]["epsilon"], frame.attrs["remaining"]) == (1.0, 1.0)
        with stack.client("auditor") as auditor:
            seen = auditor.get(f"/v1/queries/{frame.attrs['query']}").json()
            assert (seen["status"], seen["cost"]["epsilon"]) == ("done", 1.0)
            assert (seen["answers"], seen["answers_withheld"]) == (None, True)
        again = analyst.ask(dataset_id, [MEAN, "count"], where="age >= 18", group_by="sex", epsilon=1)
        assert again.equals(frame)
        with pytest.raises(Problem) as caught:
            analyst.ask(dataset_id, "count", epsilon=1.5)
        assert (caught.value.status, caught.value.document["remaining"]) == (409, 1.0)


def test_the_async_client_asks_as_well(stack: Stack, dataset_id: str) -> None:
    async def ask() -> Any:
        async with AsyncClient(stack.address, stack.token("steward")) as steward:
            return await steward.ask(dataset_id, "count", epsilon=0.5)

    assert asyncio.run(ask())["value"].tolist()[0] == pytest.approx(300, abs=120)


def test_the_terminal_shows_the_interval_before_and_the_answer_after(
    stack: Stack, dataset_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    who = ["--url", stack.address, "--token", stack.token("steward")]
    asked = ["ask", dataset_id, "--quantile", "age:0.5", "--where", "sex = F", "--epsilon", "0.25", *who]
    assert main([*asked, "--accuracy", "--rows", "150"]) == 0
    shown = capsys.readouterr()
    assert "share of rows" in shown.out
    assert "nothing was charged" in shown.err
    assert main(asked) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0].split() == ["SELECT", "COLUMN", "AT", "VALUE", "LOW", "HIGH", "SCALE"]
    assert "left" in shown.err
    assert main(["ask", dataset_id, *who]) == 64
