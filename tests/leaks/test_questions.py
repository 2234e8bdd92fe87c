"""Questions about extreme values: no answer, page, problem or log line holds a true figure or a value of the table.

Figures are so large, and the noise so wide, that a random match happens once in 10^11 such tests.
"""

import json
from typing import Any

import httpx
import pytest

from tests.leaks.story import Story
from tests.patience import patience

EXTREMES = (987_654_321_234_567, 918_273_645_546_372, 876_543_219_912_345)
ROWS, STEP = 301, 10**6
SHOWN = {
    *("id", "dataset_id", "status", "question", "declarations", "answers", "cost", "remaining", "error"),
    *("answers_withheld", "created_at"),
}
"""Everything an analyst sees of a question: no time at which its work began or ended."""
OF_QUEUES = ("antifaz_queue_last_consumed_seconds", "antifaz_queue_oldest_waiting_seconds")
"""Ages of what is in a queue, for alarms: read at most every ten seconds, and rounded down to ten."""
TIMES = {"seconds", "duration", "elapsed", "took", "timing", "cpu", "wall", "progress", "started_at", "finished_at"}
DECLARED: dict[str, Any] = {
    "columns": {
        "wealth": {"type": "integer", "bounds": [0, 10**15], "step": STEP},
        "debt": {"type": "integer", "bounds": [0, 10]},
        "sex": {"type": "text", "keys": ["F", "M", "X"]},
        "town": {"type": "text"},
    },
    "privacy_unit": "who",
    "contributions": 2,
    "budget": {"epsilon": 100},
    "delta": 1e-6,
}
QUESTIONS: dict[str, dict[str, Any]] = {
    "figures": {"select": [{"sum": "wealth"}, {"mean": "wealth"}, {"variance": "wealth"}], "epsilon": 0.01},
    "quantiles": {"select": [{"quantile": {"column": "wealth", "at": at}} for at in (0.5, 0.999)], "epsilon": 1},
    "a bound": {"select": [{"sum": "debt"}, {"quantile": {"column": "debt", "at": 0.99}}], "epsilon": 1},
    "groups without rows": {"select": [{"mean": "wealth"}], "group_by": ["sex"], "epsilon": 0.01},
    "who has it": {
        "select": [{"count": {}}],
        "where": [{"column": "wealth", "op": "eq", "value": EXTREMES[0]}],
        "epsilon": 0.001,
    },
    "keys of one person": {
        "select": [{"count": {}}, {"sum": "wealth"}],
        "group_by": ["town"],
        "keys": "threshold",
        "epsilon": 0.01,
        "delta": 1e-13,
    },
}
REFUSED: dict[str, dict[str, Any]] = {
    "more than there is": {"select": [{"sum": "wealth"}], "epsilon": 1000},
    "no key": {"select": [{"count": {}}], "where": [{"column": "sex", "op": "eq", "value": "?"}], "epsilon": 1},
    "not declared": {"select": [{"sum": "who"}], "epsilon": 1},
    "far beyond": {"select": [{"count": {}}], "where": [{"column": "debt", "op": "eq", "value": 1e300}], "epsilon": 1},
}


@pytest.fixture(scope="module")
def asked(story: Story) -> dict[str, httpx.Response]:
    """All questions with the answers to an analyst, and the pages that show them."""
    towns = story.data
    rows = [f"{towns.hidden()},{EXTREMES[n % 3]},{EXTREMES[0]},F,{towns.hidden()}" for n in range(ROWS)]
    dataset_id = story.upload("\n".join(["who,wealth,debt,sex,town", *rows, ""]).encode())
    found: dict[str, httpx.Response] = {}
    with story.stack.client() as steward, story.stack.client("analyst") as analyst:
        answer = steward.put(f"/v1/datasets/{dataset_id}/declarations", json=DECLARED)
        assert answer.status_code == 200, answer.text
        grant = {"token_id": analyst.get("/v1/me").json()["token_id"], "epsilon": 50}
        assert steward.post(f"/v1/datasets/{dataset_id}/grants", json=grant).status_code == 201
        path = f"/v1/datasets/{dataset_id}/queries"
        for name, question in {**QUESTIONS, **REFUSED}.items():
            found[f"accuracy of {name}"] = analyst.post(path, json=question | {"accuracy": True, "rows": 1000})
            found[name] = answer = analyst.post(path, json=question)
            if name in QUESTIONS:
                assert answer.status_code == 202, answer.text
                place = answer.headers["Location"]
                found[name] = analyst.get(place, params={"wait": 60})
    for role, page in (("analyst", "ask"), ("analyst", "ask/{id}"), ("steward", "datasets/{id}/questions")):
        found[f"page {page}"] = page_of(story, role, page.replace("{id}", dataset_id))
    return found


def page_of(story: Story, role: str, page: str) -> httpx.Response:
    """A page of the console, as a signed-in user sees it."""
    with httpx.Client(base_url=story.stack.address, timeout=patience(), follow_redirects=False) as browser:
        home = {"Origin": story.stack.address, "Sec-Fetch-Site": "same-origin"}
        signed = browser.post("/sign-in", data={"token": story.stack.token(role)}, headers=home)
        cookie = signed.headers["Set-Cookie"].partition(";")[0]
        answer = browser.get(f"/{page}", headers={"Cookie": cookie, "Accept": "text/html", **home})
    assert answer.status_code == 200, f"{page}: {answer.status_code}"
    return answer


def test_every_question_was_answered_or_refused_before_it_was_charged(asked: dict[str, httpx.Response]) -> None:
    for name in QUESTIONS:
        assert asked[name].json()["status"] == "done", name
        assert set(asked[name].json()) == SHOWN
        assert asked[f"accuracy of {name}"].status_code == 200
    assert {asked[name].status_code for name in REFUSED} == {409, 422}
    assert asked["keys of one person"].json()["answers"][0]["cells"] == []


def test_no_answer_page_or_problem_holds_a_value_or_a_true_figure(
    story: Story, asked: dict[str, httpx.Response]
) -> None:
    truths = true_figures()
    for name, answer in asked.items():
        stated = json.dumps(QUESTIONS.get(name) or REFUSED.get(name) or {})
        # Text that the asker wrote does not come from the table.
        text = answer.text.replace(str(EXTREMES[0]), "") if str(EXTREMES[0]) in stated else answer.text
        assert [figure for figure in truths if figure in text] == [], name
        assert story.data.anything.find(text) == []


def test_no_log_line_and_no_metric_holds_a_true_figure(story: Story, asked: dict[str, httpx.Response]) -> None:
    told = httpx.get(f"http://127.0.0.1:{story.metrics_port}/metrics", timeout=patience()).text
    said = story.said().decode(errors="replace") + told
    assert "create_query" in said
    assert [figure for figure in true_figures() if figure in said] == []


def test_nobody_is_told_how_long_the_work_on_the_data_took(story: Story, asked: dict[str, httpx.Response]) -> None:
    """Only requests have times; they never read data, and they wait for an end at a fixed pace. No job shows when it
    began, ended or how far it is; no log line or metric of a worker has a duration. Ages of queues are too coarse
    to tell one."""
    with story.stack.client() as steward:
        for name in QUESTIONS:
            query_id = asked[name].json()["id"]
            assert steward.get(f"/v1/jobs/{query_id}").status_code == 404
            assert steward.get(f"/v1/jobs/{query_id}/events").status_code == 404
        listed = steward.get("/v1/jobs", params={"limit": 200}).text
    assert not any(asked[name].json()["id"] in listed for name in QUESTIONS)
    lines = [json.loads(line) for line in story.said().splitlines() if line.startswith(b"{")]
    timed = {(line["process"], line["event"]) for line in lines if TIMES & set(line)}
    assert timed == {("api", "request")}
    told = httpx.get(f"http://127.0.0.1:{story.metrics_port}/metrics", timeout=patience()).text
    families = {line.split()[2].removesuffix("_created") for line in told.splitlines() if line.startswith("# TYPE")}
    timed_families = {name for name in families if {"seconds", "time", "cpu"} & set(name.split("_"))}
    assert timed_families == {"antifaz_request_seconds", *OF_QUEUES}
    ages = [float(line.split()[-1]) for line in told.splitlines() if line.startswith(OF_QUEUES)]
    assert len(ages) > len(OF_QUEUES)
    assert {age % 10 for age in ages} == {0}


def true_figures() -> list[str]:
    """The exact figures of the table: values, sums, means and squares, as they would be written."""
    found = [*map(str, EXTREMES)]
    for unit in (1, STEP):
        wealth = [round(EXTREMES[n % 3] / unit) * unit for n in range(ROWS)]
        mean = sum(wealth) / ROWS
        variance = sum((value - mean) ** 2 for value in wealth) / ROWS
        # The first digits: they would appear even if more digits were written.
        found += [str(sum(wealth)), f"{mean:.0f}"[:13], f"{variance:.0f}"[:13]]
    return found
