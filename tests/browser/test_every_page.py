"""Every page: accessible to everyone (WCAG 2.2 AA by axe), never wider than the screen, readable without scripts."""

import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from bench.screenshots import pages_of
from tests.browser.conftest import Visit
from tests.browser.test_steward import EVIL, ROLES, as_csv, open_to_all, people, refused_job
from tests.patience import wait_for
from tests.service.console.test_pages import PATHS
from tests.system.conftest import Stack

WIDTHS = (320, 400, 768, 1280)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLORS = ["color-contrast", "link-in-text-block", "target-size"]
"""What depends on colors, and on the width."""
AXE = """(rules) => axe.run(document, {runOnly: rules, resultTypes: ["violations"]}).then((found) =>
  found.violations.map((each) => [each.id, each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160))]))"""


@pytest.fixture(scope="module")
def paths(stack: Stack) -> list[tuple[str, str]]:
    """Every page, with something of every kind to show, and with hostile names wherever people can write one."""
    refused_job(stack)
    policy: dict[str, Any] = {
        "kind": "table",
        "attributes": {name: {"role": role} for name, role in zip(people(1)[0], ROLES, strict=True)},
        "guarantees": [{"model": "k_anonymity", "k": 3}],
        "method": {"name": "mondrian"},
    }
    job = stack.publish(as_csv(people(63)), policy, name=EVIL)
    assert job["status"] == "released"
    with stack.client() as client:
        one = {"dataset_id": job["dataset_id"], "policy": policy}
        tried = client.post("/v1/jobs", json=one | {"trial": True}).json()
        compared = client.post("/v1/comparisons", json=one | {"vary": {"/guarantees/0/k": [3, 4]}}).json()
    for each in (tried, compared):
        assert stack.finish(each["id"])["status"] == "assessed"
    send_out(stack, job["release_id"])
    open_to_questions(stack, job["dataset_id"])
    found = pages_of(stack.address, stack.token("admin"))
    return [(name, path) for name, path in found if not path.startswith("/v1/") or path.endswith(".html")]


def send_out(stack: Stack, release_id: str) -> None:
    """A webhook and a portal to which nothing can be sent: no server listens there."""
    open_to_all(stack, release_id)
    with stack.client("admin") as admin:
        hook = {"url": "http://127.0.0.1:9999/", "events": ["job.released"], "description": EVIL}
        made = admin.post("/v1/webhooks", json=hook).json()
        assert admin.post(f"/v1/webhooks/{made['id']}/test").status_code == 202
        portal = {"kind": "ckan", "name": EVIL, "url": "http://127.0.0.1:9999", "token": "key"}
        sent = {"portal": admin.post("/v1/portals", json=portal).json()["id"]}
        assert admin.post(f"/v1/releases/{release_id}/publications", json=sent).status_code == 202


def open_to_questions(stack: Stack, dataset_id: str) -> None:
    """Declare a column with a hostile name, and grant an analyst with one a part of the budget."""
    column = list(people(1)[0])[4]
    declared = {
        "columns": {column: {"type": "text", "keys": [EVIL, "=1+1"]}},
        "budget": {"epsilon": 1},
        "waivers": [{"rule": "composition", "reason": EVIL}],
    }
    path = f"/v1/datasets/{dataset_id}"
    with stack.client("admin") as admin:
        wait_for(lambda: bool(admin.get(path).json()["status"] == "ready"), "the profile")
        assert admin.put(f"{path}/declarations", json=declared).status_code == 200
        analyst = admin.post("/v1/tokens", json={"name": EVIL, "role": "analyst"}).json()
        granted = admin.post(f"{path}/grants", json={"token_id": analyst["id"], "epsilon": 0.5})
        assert granted.status_code == 201, granted.text


def settled(visit: Visit, path: str) -> None:
    visit.go(path)
    if "/new?" in path:
        visit.page.wait_for_selector("#valid")


def faults_of(visit: Visit) -> dict[str, Any]:
    """What axe finds and what is too wide, on the page as it is loaded."""
    page, found = visit.page, {}
    page.evaluate(Axe().axe_script)
    for scheme, width, rules in (("light", 1280, RULES), ("dark", 320, OF_COLORS)):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        found[scheme] = page.evaluate(AXE, rules)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        needed = page.evaluate("document.documentElement.scrollWidth")
        found[f"wider than {width}"] = needed if needed > width else None
    return {what: fault for what, fault in found.items() if fault}


def test_every_page_is_among_those_looked_at(paths: list[tuple[str, str]]) -> None:
    looked = [path.partition("?")[0] for _, path in paths]
    for page, (pattern, _) in PATHS.items():
        wanted = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(pattern.partition("?")[0])))
        if page != "page_sign_in" and not page.startswith("page_docs_"):
            assert any(wanted.fullmatch(path) for path in looked), page


def test_axe_finds_no_fault_and_nothing_is_wider_than_the_screen_or_a_script(
    visit: Callable[..., Visit], paths: list[tuple[str, str]]
) -> None:
    """Each page is loaded once, with the content policy in force: what it forbids would be complained of in the end."""
    admin, nobody = visit("admin"), visit(None)
    said: list[str] = []
    admin.page.on("dialog", lambda dialog: said.append(dialog.message))
    faults = {}
    for name, path in [*paths, ("sign-in", "/sign-in")]:
        looking = nobody if name == "sign-in" else admin
        settled(looking, path)
        assert looking.page.locator("script:not([src]):not([type$='json'])").count() == 0
        found = faults_of(looking)
        if found:
            faults[name] = found
    assert (faults, said) == ({}, []), faults


def test_reading_pages_say_the_same_without_scripts(visit: Callable[..., Visit], paths: list[tuple[str, str]]) -> None:
    plain = visit("admin", java_script_enabled=False)
    for name, path in paths:
        answer = plain.go(path)
        assert answer.status == (404 if name == "problem" else 200)
        if not name.startswith(("new", "prepare")):
            assert plain.page.locator("h1").count() == 1
            assert len(str(plain.page.locator("main").inner_text())) > 40


PAGE = """<!doctype html><title>another port</title><body><script>
const address = "%s/v1/tokens", page = "%s/tokens", forged = '{"name": "forged", "role": "admin"}';
const headers = {"Content-Type": "application/json", "X-Antifaz-Session": "0"};
const read = (answer) => answer.text().then((text) => { document.title = text; });
const tries = [
  fetch(address, {method: "POST", credentials: "include", mode: "no-cors", body: forged}),
  fetch(address, {method: "POST", credentials: "include", headers, body: forged}),
  fetch(address, {credentials: "include"}).then(read),
  fetch(page, {credentials: "include"}).then(read),
];
Promise.allSettled(tries).then(() => { document.body.dataset.done = "yes"; });
</script><form method="post" action="%s/sign-out"><input name="session" value="0"><button>out</button></form>"""


@pytest.fixture
def other_port(stack: Stack) -> Iterator[str]:
    """A page of another application on this host."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((PAGE % ((stack.address,) * 3)).encode())

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def test_a_page_on_another_port_of_this_host_can_neither_read_nor_change(
    visit: Callable[..., Visit], stack: Stack, other_port: str
) -> None:
    admin = visit("admin")
    admin.page.goto(other_port)
    admin.page.wait_for_selector("body[data-done]")
    assert admin.page.title() == "another port"
    with admin.page.expect_navigation():
        admin.page.click("button")
    with stack.client("admin") as client:
        assert "forged" not in client.get("/v1/tokens").text
    admin.go("/tokens")
    assert admin.page.locator("h1").inner_text() == "Tokens"
    # What the browser refused to let the other page read is in its console.
    admin.complaints.clear()
