"""What a steward does in the browser, from the file to the public release."""

import csv
import io
import os
import secrets
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import networkx
import pyarrow
import pyarrow.parquet
import pytest

from tests.browser.conftest import Visit, bodies, slow
from tests.formats.workbooks import xlsx
from tests.system.conftest import Stack

DISEASES = ("flu", "asthma", "diabetes", "migraine")
EVIL = "<script>alert(1)</script>"
ROLES = ("identifier", "quasi_identifier", "quasi_identifier", "quasi_identifier", "sensitive")
"""Of the columns of `people`."""
CANARY = "Zyxwvut"
"""Begins every name in the files; no answer of the service may hold it."""


def people(count: int = 60) -> list[dict[str, str]]:
    """A table that was not uploaded before: the same bytes again would be recognized."""
    mark = secrets.token_hex(8)
    return [
        {
            "name": f"{CANARY}{mark}{number:03}",
            "age": str(20 + number % 50),
            "zip": f"08{100 + number % 7:03}",
            "=sex": "fm"[number % 2],
            f"disease{EVIL}": DISEASES[number % 4],
        }
        for number in range(count)
    ]


def as_csv(rows: list[dict[str, str]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_parquet() -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(people()), sink)
    return sink.getvalue()


def as_xlsx() -> bytes:
    rows = people()
    return xlsx([list(rows[0]), *(list(each.values()) for each in rows)])


def as_graphml() -> bytes:
    graph = networkx.relabel_nodes(networkx.barabasi_albert_graph(40, 3, seed=1), lambda node: f"{CANARY}{node}")
    return "\n".join(networkx.generate_graphml(graph)).encode()


def as_timed_edges() -> bytes:
    graph = networkx.barabasi_albert_graph(30, 3, seed=1)
    lines = [f"{CANARY}{u},{CANARY}{v},{1_700_000_000 + 86_400 * ((u + v) % 3)}" for u, v in graph.edges]
    return ("source,target,time\n" + "\n".join(lines) + "\n").encode()


FILES: dict[str, Callable[[], bytes]] = {
    "people.csv": lambda: as_csv(people()),
    "people.parquet": as_parquet,
    "people.xlsx": as_xlsx,
    "friends.graphml": as_graphml,
    "calls.csv": as_timed_edges,
}


def choose(visit: Visit, name: str, content: bytes) -> None:
    """Choose a file and upload it; the policy's draft is there and can be submitted."""
    visit.go("/new")
    visit.page.set_input_files("#file", {"name": name, "mimeType": "application/octet-stream", "buffer": content})
    visit.page.wait_for_selector("#local:not([hidden])")
    # Before anything is sent the browser shows what it read itself: cells, and of parquet the names of columns.
    shown = visit.page.inner_text("#preview")
    assert (CANARY in shown) == (not name.endswith(".parquet")), shown
    assert ("age" in shown) == name.startswith("people")
    visit.page.fill("#name", f"{name} {EVIL}")
    visit.page.click("#upload")
    visit.page.wait_for_selector("#valid", timeout=slow())


def is_valid(visit: Visit) -> None:
    visit.page.wait_for_selector("#valid.badge--good", timeout=slow())


@pytest.mark.parametrize("name", FILES)
def test_a_file_becomes_a_release_and_no_answer_holds_a_cell_of_it(
    visit: Callable[..., Visit], tmp_path: Path, name: str
) -> None:
    log = tmp_path / "network.har"
    steward = visit(record_har_path=log, record_har_content="embed")
    choose(steward, name, FILES[name]())
    is_valid(steward)
    steward.page.click("#release")
    path = steward.released()
    steward.go(path)
    assert EVIL in str(steward.page.text_content("h1"))
    steward.context.close()
    seen = bodies(log)
    assert any(EVIL in content or "\\u003cscript\\u003e" in content for _, content in seen)
    assert [address for address, content in seen if CANARY in content] == []


def test_a_wrong_role_is_named_and_corrected_and_every_change_can_be_undone(visit: Callable[..., Visit]) -> None:
    steward = visit()
    page = steward.page
    choose(steward, "people.csv", as_csv(people()))
    is_valid(steward)
    assert page.is_checked("#role-0-identifier")
    # By keyboard: age, zip and sex become identifiers, so that nothing is left to be k-anonymous in.
    for place in (1, 2, 3):
        page.press(f"#role-{place}-identifier", "Space")
    page.wait_for_selector("#valid.badge--bad")
    assert "quasi-identifier" in page.inner_text("#verdict")
    page.click("#undo")
    is_valid(steward)
    assert page.is_checked("#role-3-quasi_identifier")
    page.click("#redo")
    page.wait_for_selector("#valid.badge--bad")
    for place in (1, 2, 3):
        page.check(f"#role-{place}-quasi_identifier")
    is_valid(steward)
    # The draft is still there after a reload, and the preview, which was the browser's own, is not.
    page.reload()
    is_valid(steward)
    assert page.is_checked("#role-0-identifier")
    assert CANARY not in page.content()
    assert EVIL in str(page.text_content("#columns"))


def test_a_ready_made_hierarchy_is_chosen_and_its_groups_are_counted(visit: Callable[..., Visit]) -> None:
    steward = visit()
    page = steward.page
    choose(steward, "people.csv", as_csv(people(64)))
    is_valid(steward)
    page.select_option("#way-1", "sets")
    page.wait_for_selector("#count-1", state="detached")
    with page.expect_request(lambda sent: "/policies/validate" in sent.url and '"ages"' in (sent.post_data or "")):
        page.select_option("#way-1", "ages")
        # By keyboard, before the draft is checked: the columns may be drawn again while a worker counts.
        page.press("#count-1", "Enter")
    page.wait_for_selector("#groups-1:has-text('Groups at each level')", timeout=slow())
    # Fifty ages in ten groups of five years, five of ten years, three stages of life and one of all, in bands.
    counted = "Groups at each level: 10-99 → 10-99 → 1-9 → 1-9 → 1-9"
    assert page.inner_text("#groups-1") == counted
    is_valid(steward)
    assert page.input_value("#way-1") == "ages"
    assert page.inner_text("#groups-1") == counted
    page.select_option("#way-1", "icd10")
    page.click("#count-1")
    page.wait_for_selector("#groups-1:has-text('distinct values are not')", timeout=slow())
    page.select_option("#way-1", "ages")
    assert page.inner_text("#groups-1") == counted


def refused_job(stack: Stack) -> str:
    """A job that promises less than its gate asks for."""
    rows = people()
    policy = {
        "kind": "table",
        "attributes": {name: {"role": role} for name, role in zip(rows[0], ROLES, strict=True)},
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
        "gate": {"max_prosecutor_risk": 0.2},
    }
    job = stack.publish(as_csv(people(61)), policy, name=f"too risky {EVIL}")
    assert job["status"] == "refused", job
    return str(job["id"])


@contextmanager
def standing_still(stack: Stack, name: str) -> Iterator[None]:
    """A process that does nothing meanwhile."""
    group = stack.processes[name].pid
    os.killpg(group, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(group, signal.SIGCONT)


def test_the_page_of_a_job_follows_it_by_server_sent_events(visit: Callable[..., Visit], stack: Stack) -> None:
    steward = visit()
    page: Any = steward.page
    policy = {
        "kind": "table",
        "attributes": {name: {"role": role} for name, role in zip(people(1)[0], ROLES, strict=True)},
        "guarantees": [{"model": "k_anonymity", "k": 3}],
        "method": {"name": "mondrian"},
    }
    with standing_still(stack, "worker"):
        job = stack.upload(as_csv(people(67)), policy).json()["job"]["id"]
        with page.expect_response(f"**/v1/jobs/{job}/events") as stream:
            steward.go(f"/jobs/{job}")
        assert stream.value.headers["content-type"].startswith("text/event-stream")
        assert page.inner_text("#headline") == "Waiting for a worker"
    steward.released()
    # The stream's last event takes the focus to what came out; a reload because the stream broke off would not.
    page.wait_for_function("() => document.activeElement?.tagName === 'H1'", timeout=slow())


def test_a_refusal_offers_the_nearest_setting_and_that_is_released(visit: Callable[..., Visit], stack: Stack) -> None:
    steward = visit()
    steward.go(f"/jobs/{refused_job(stack)}")
    assert "max prosecutor risk" in str(steward.page.text_content("main"))
    with steward.page.expect_navigation():
        steward.page.click("button.nearest[data-name=k]")
    release = steward.released()
    steward.go(release)
    assert "k-anonymity, k = " in str(steward.page.text_content("main"))


def test_trials_are_compared_one_is_released_and_made_public(visit: Callable[..., Visit], stack: Stack) -> None:
    steward = visit()
    page: Any = steward.page
    choose(steward, "people.csv", as_csv(people(62)))
    is_valid(steward)
    with page.expect_navigation():
        page.click("#compare")
    page.click("a:has-text('See the comparison')", timeout=slow())
    page.wait_for_function("() => document.querySelector('img.plot')?.naturalWidth > 0", timeout=slow())
    page.locator("form:has(input[value='k=5']) button").click()
    release = steward.released()
    nobody = visit(None)
    assert nobody.go(release).status == 404
    steward.go(f"{release}/manage")
    publish(steward)
    answer = nobody.go(release)
    assert answer.status == 200
    assert "What is promised, and against whom" in str(nobody.page.text_content("main"))
    assert EVIL in str(nobody.page.text_content("h1"))
    with nobody.page.expect_download() as download:
        nobody.page.click("#files a >> nth=0")
    assert Path(download.value.path()).stat().st_size > 0


CARD = {
    "title": f"Admissions {EVIL}",
    "description": "Admissions of one year, generalized and verified, for teaching and research on health services.",
    "license": "CC-BY-4.0",
    "publisher": "A hospital",
    "email": "data@hospital.example",
    "keywords": "health, admissions",
}


def publish(steward: Visit) -> None:
    """Write the card of the release that is managed, and make it public: without a card it stays private."""
    page = steward.page
    page.check("input[name=audience][value=public]")
    page.click("button:has-text('Set the audience')")
    page.wait_for_selector("form[data-path$=audience] .form-answer.error")
    for name, text in CARD.items():
        page.fill(f"#card #{name}", text)
    with page.expect_navigation():
        page.click("button:has-text('Save the card')")
    assert "everything that a public release needs" in page.inner_text("#card")
    page.check("input[name=audience][value=public]")
    with page.expect_navigation():
        page.click("button:has-text('Set the audience')")
    assert page.is_checked("input[name=audience][value=public]")


def open_to_all(stack: Stack, release_id: str) -> None:
    """Write the card of a release and make it public, as a program does."""
    about: dict[str, Any] = {
        **{name: CARD[name] for name in ("title", "description", "license")},
        "publisher": {"name": CARD["publisher"]},
        "contact": {"email": CARD["email"]},
        "keywords": [EVIL, "=1+1"],
    }
    with stack.client() as client:
        answers = [
            client.put(f"/v1/releases/{release_id}/about", json=about),
            client.post(f"/v1/releases/{release_id}/audience", json={"audience": "public"}),
        ]
    assert [answer.status_code for answer in answers] == [200, 200], [answer.text for answer in answers]
