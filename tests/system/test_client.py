"""The Python client against the running service: data frames and graphs in, verified releases out."""

import os
import subprocess
import sys

import anyio
import networkx
import pandas
import polars
import pytest
from antifaz_client import AsyncClient, Client, Failed, GraphPolicy, Problem, Refused, Stage, TablePolicy

from tests.patience import patience
from tests.system.conftest import ROOT
from tests.system.samples import patients, table_policy

POLICY = (
    TablePolicy(k=3)
    .identifier("name")
    .quasi("age", type="integer")
    .quasi("zip", type="text", hierarchy={"kind": "mask"})
    .quasi("sex")
    .sensitive("disease")
)


@pytest.fixture(scope="module")
def client(stack):
    """A steward's client."""
    with Client(stack.address.removeprefix("http://"), stack.token("steward")) as steward:
        yield steward


@pytest.fixture(scope="module")
def frame(tmp_path_factory):
    """The invented patients as a data frame."""
    path = tmp_path_factory.mktemp("frame") / "patients.csv"
    path.write_bytes(patients(60))
    return pandas.read_csv(path, dtype={"zip": str})


def test_the_example_goes_from_a_frame_to_a_verified_release_and_back(stack):
    example = ROOT / "examples" / "client.py"
    statements = [line for line in example.read_text().splitlines() if line.strip() and not line.startswith('"""')]
    assert len(statements) <= 20
    done = subprocess.run(
        [sys.executable, example],
        env={**os.environ, "ANTIFAZ_URL": stack.address, "ANTIFAZ_TOKEN": stack.token("steward")},
        capture_output=True,
        text=True,
        timeout=patience(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 5


def test_a_frame_goes_in_and_comes_back_in_every_form_with_progress_on_the_way(client, frame, tmp_path):
    stages: list[Stage] = []
    release = client.publish(frame, POLICY, name="patients", progress=stages.append)
    assert stages[0].name == "upload"
    assert stages[-1] == Stage("released", 1.0)
    back = release.to_pandas()
    assert sorted(back["disease"]) == sorted(frame["disease"])
    assert list(back.columns) == ["age", "zip", "sex", "disease"]
    assert back.groupby(["age", "zip", "sex"]).size().min() >= 3
    assert release.to_polars().shape == release.to_arrow().shape == back.shape
    assert release.verify().holds
    assert sorted(path.name for path in release.save(tmp_path)) == ["table.csv", "table.parquet"]
    assert "k_anonymity" in release._repr_html_()
    assert release.report()["release_id"] == release.id


def test_a_graph_goes_in_and_comes_back(client):
    club = networkx.karate_club_graph()
    release = client.publish(club, GraphPolicy(k=3).insensitive("club"), name="karate")
    back = release.to_networkx()
    assert back.number_of_nodes() == club.number_of_nodes()
    assert set(networkx.get_node_attributes(back, "club").values()) == {"Mr. Hi", "Officer"}
    degrees = [degree for _, degree in back.degree()]
    assert min(degrees.count(degree) for degree in degrees) >= 3


def test_a_refusal_brings_its_reasons_the_nearest_setting_and_the_report(client, frame):
    with pytest.raises(Refused) as refusal:
        client.publish(polars.from_pandas(frame), POLICY.sensitive("disease", l=30))
    assert refusal.value.reasons[0]["rule"] == "l_diversity"
    assert refusal.value.nearest
    assert refusal.value.report["status"] == "refused"


def test_a_failure_names_the_job_and_the_row(client, tmp_path):
    rows = patients(60_000) + b"only,two\n"
    (tmp_path / "ragged.csv").write_bytes(rows)
    with pytest.raises(Failed) as failure:
        client.publish(tmp_path / "ragged.csv", POLICY)
    assert failure.value.job_id in str(failure.value)
    assert "6000" in str(failure.value)


def test_a_bad_policy_is_a_problem_with_pointers(client, frame):
    with pytest.raises(Problem) as problem:
        client.publish(frame, table_policy(1))
    assert problem.value.pointers == ["/policy/guarantees/0/k"]


def test_trials_and_comparisons_of_one_dataset_then_one_release(client, frame):
    dataset = client.upload(frame, "to be compared")
    assert client.validate(POLICY, dataset)["valid"] is True
    trial = client.trial(dataset, POLICY)
    dataset.refresh()
    assert dataset.status == "ready"
    assert (trial.status, trial.release_id) == ("assessed", None)
    assert trial.report()["guarantees"][0]["holds"] is True
    comparison = client.compare(dataset, {"loose": POLICY, "strict": POLICY.set(gate={"max_suppressed": 0.0})})
    assert [row["name"] for row in comparison.rows] == ["loose", "strict"]
    assert "loose" in comparison._repr_html_()
    assert comparison.plot().startswith("<svg")
    release = comparison.release("loose")
    assert client.release(release.id).name == "to be compared"
    assert [job.id for job in client.jobs(dataset=dataset, status="released")] == [release.job_id]


def test_the_async_client_has_the_same_names(stack, frame):
    async def story() -> int:
        async with AsyncClient(stack.address, stack.token("steward")) as steward:
            release = await steward.publish(frame, POLICY, name="awaited")
            assert (await release.verify()).holds
            assert len(await release.to_pandas()) == 60
            budget = await (await steward.dataset((await release.report())["dataset"]["id"])).budget()
            assert budget["epsilon"] is None
            return len(await steward.releases(limit=1))

    assert anyio.run(story) == 1
    public = {name for name in dir(Client) if not name.startswith("_")}
    assert public == {name for name in dir(AsyncClient) if not name.startswith("_")}


def test_a_consumer_reads_and_cannot_upload(stack, frame):
    with Client(stack.address, stack.token("consumer")) as consumer:
        assert consumer.releases(limit=1)[0].to_pandas() is not None
        with pytest.raises(Problem) as problem:
            consumer.publish(frame, POLICY)
    assert problem.value.status == 403
