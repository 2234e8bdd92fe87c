"""What analysts and administrators do in the browser: ask with a budget, and connect portals and webhooks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Visit, bodies, slow
from tests.browser.test_steward import EVIL, ROLES, as_csv, open_to_all, people
from tests.courier.portals.little_ckan import KEY, little_ckan
from tests.courier.receivers import receiving
from tests.patience import wait_for
from tests.system.conftest import Stack

EPSILON = 0.5
"""What the analyst is granted."""


@pytest.fixture(scope="module")
def asked(stack: Stack) -> str:
    """A dataset that an analyst may ask about."""
    dataset: str = stack.upload(as_csv(people(65)), name=f"questions {EVIL}").json()["id"]
    path = f"/v1/datasets/{dataset}"
    declared = {
        "columns": {"age": {"type": "integer", "bounds": [0, 120]}, "=sex": {"type": "text", "keys": ["f", "m"]}},
        "budget": {"epsilon": 2},
    }
    with stack.client() as steward, stack.client("analyst") as analyst:
        wait_for(lambda: bool(steward.get(path).json()["status"] == "ready"), "the profile")
        assert steward.put(f"{path}/declarations", json=declared).status_code == 200
        grant = {"token_id": analyst.get("/v1/me").json()["token_id"], "epsilon": EPSILON}
        assert steward.post(f"{path}/grants", json=grant).status_code == 201
    return dataset


def focused(page: Any, target: str) -> None:
    """Wait until the focus was moved there."""
    page.wait_for_function("(id) => document.activeElement?.matches(id)", arg=target, timeout=slow())


def test_an_analyst_sees_the_interval_before_paying_and_what_is_left_and_is_stopped_at_the_end(
    visit: Callable[..., Visit], asked: str
) -> None:
    analyst = visit("analyst")
    page: Any = analyst.page
    analyst.go("/ask")
    with page.expect_navigation():
        page.click(f"a[href='/ask/{asked}']")
    assert page.inner_text("#remaining") == "0.5"
    page.select_option("#group", "=sex")
    page.fill("#loss", "0.4")
    page.click("button[value=accuracy]")
    focused(page, "#answer")
    before = page.inner_text("#answer")
    assert "±" in before
    assert "It would cost epsilon 0.4. 0.5 is left. Nothing was charged." in before
    assert page.inner_text("#remaining") == "0.5"
    page.click("button[value=ask]")
    page.wait_for_selector("#answer th:has-text('Value')", timeout=slow())
    answer = page.inner_text("#answer")
    assert "0.1 is left" in answer
    assert page.inner_text("#remaining") == "0.1"
    # Both groups, each with a value and an interval around it.
    cells = page.locator("#answer tbody tr").all_inner_texts()
    assert [line.split("\t")[1] for line in cells] == ["f", "m"]
    for line in cells:
        *_, value, interval = line.split("\t")
        low, high = (float(end) for end in interval.split(" to "))
        assert low <= float(value) <= high
    page.fill("#loss", "0.3")
    page.select_option("#group", "")
    page.click("button[value=ask]")
    focused(page, "#question .form-answer.error")
    assert "left" in page.inner_text("#question .form-answer")
    # Nothing was charged for what was refused.
    page.reload()
    assert page.inner_text("#remaining") == "0.1"


def test_a_steward_declares_and_grants_on_the_page(visit: Callable[..., Visit], stack: Stack, asked: str) -> None:
    steward = visit("steward")
    page: Any = steward.page
    steward.go(f"/datasets/{asked}/questions")
    version = page.inner_text("#declarations h2")
    page.fill("#declared", page.input_value("#declared").replace("120", "110"))
    with page.expect_navigation():
        page.click("button:has-text('Declare')")
    assert page.inner_text("#declarations h2") != version
    assert "The declarations are stored." in page.inner_text(".notice")
    page.fill("#token", "nobody")
    page.fill("#granted", "0.1")
    page.click("button:has-text('Grant')")
    focused(page, "form[data-path$=grants] .form-answer.error")
    with stack.client("admin") as admin:
        analyst = admin.post("/v1/tokens", json={"name": EVIL, "role": "analyst"}).json()
    page.fill("#token", analyst["id"])
    with page.expect_navigation():
        page.click("button:has-text('Grant')")
    assert EVIL in str(page.text_content("main"))


def test_an_administrator_makes_a_webhook_whose_secret_is_shown_once_and_sees_deliveries_live(
    visit: Callable[..., Visit], tmp_path: Path
) -> None:
    admin = visit("admin")
    page: Any = admin.page
    with receiving() as hearing:
        hearing.answers = [(500, b"")]
        admin.go("/webhooks")
        page.fill("#url", "http://10.0.0.1/")
        page.click("button:has-text('Create the webhook')")
        focused(page, "#webhook .form-answer.error")
        assert page.get_attribute("#url", "aria-invalid") == "true"
        page.fill("#url", hearing.url)
        page.fill("#description", EVIL)
        page.check("input[value='release.withdrawn']")
        page.click("button:has-text('Create the webhook')")
        page.wait_for_selector("#webhook code")
        assert page.inner_text("#webhook code").startswith("whsec_")
        with page.expect_navigation():
            page.click("#webhook a:has-text('Continue')")
        assert "whsec_" not in page.content()
        assert "job.released, release.withdrawn" in page.inner_text("main")
        with page.expect_navigation():
            page.click("button:has-text('Send a test')")
        assert "A test is on its way." in page.inner_text(".notice")
        # Without a reload: the first attempt is refused, the second is not.
        page.wait_for_selector("#live .badge--delivered", timeout=slow())
        row = page.inner_text("#live tbody tr")
        assert "webhook.test" in row
        assert "\t2\t" in row
        with page.expect_navigation():
            page.click("#live button:has-text('Send again')")
        wait_for(lambda: len(hearing.heard) == 3, "the third delivery")
        assert len({heard.headers["webhook-id"] for heard in hearing.heard}) == 1
        page.click("button:has-text('Create a new secret')")
        page.wait_for_selector("form[data-path$=rotate] code")
        with page.expect_navigation():
            page.click("button:has-text('Delete the webhook')")
    assert page.url.endswith("/webhooks")
    assert "The webhook is deleted." in page.inner_text(".notice")


def test_a_release_goes_to_a_portal_and_leaves_it_and_the_key_is_in_no_answer(
    visit: Callable[..., Visit], stack: Stack, tmp_path: Path
) -> None:
    policy = {
        "kind": "table",
        "attributes": {name: {"role": role} for name, role in zip(people(1)[0], ROLES, strict=True)},
        "guarantees": [{"model": "k_anonymity", "k": 3}],
        "method": {"name": "mondrian"},
    }
    release = stack.publish(as_csv(people(66)), policy, name="for a portal")["release_id"]
    log = tmp_path / "network.har"
    admin = visit("admin", record_har_path=log, record_har_content="embed")
    with little_ckan() as ckan:
        for name, key in ((EVIL, KEY), ("old key", "a-key-that-is-wrong")):
            register(admin, name, ckan.url, key)
        # The key is written, and is nowhere afterwards.
        assert KEY not in admin.page.content()
        assert EVIL in str(admin.page.text_content("table"))
        steward = visit("steward")
        steward.go(f"/releases/{release}/publications")
        assert "make the release public first" in str(steward.page.text_content("main"))
        open_to_all(stack, release)
        publish(steward, release, EVIL, "published")
        assert [package["state"] for package in ckan.packages.values()] == ["active"]
        publish(steward, release, "old key", "failed")
        steward.page.click(f"#live tr:has-text('{EVIL}') button:has-text('Remove')")
        steward.page.wait_for_selector("#live .badge--withdrawn", timeout=slow())
        assert ckan.live == []
    steward.go(f"/releases/{release}/manage")
    assert "withdrawn on 1 portal" in steward.page.inner_text("section:has(#portals-title)")
    admin.context.close()
    answered = bodies(log)
    assert any("/v1/portals" in address for address, _ in answered)
    assert [address for address, content in answered if KEY in content] == []


def register(admin: Visit, name: str, address: str, key: str) -> None:
    page: Any = admin.page
    admin.go("/portals")
    for field, text in (("name", name), ("url", address), ("token", key)):
        page.fill(f"#portal #{field}", text)
    with page.expect_navigation():
        page.click("button:has-text('Register the portal')")
    assert "Its key is sealed" in page.inner_text(".notice")


def publish(steward: Visit, release: str, portal: str, state: str) -> None:
    """Send the release to a portal; the state follows without a reload."""
    page: Any = steward.page
    steward.go(f"/releases/{release}/publications")
    page.select_option("#portal", label=f"{portal} (CKAN)")
    with page.expect_navigation():
        page.click("button:has-text('Send to the portal')")
    page.wait_for_selector(f"#live .badge--{state}", timeout=slow())
