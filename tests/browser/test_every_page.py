"""Every page: usable by everybody (WCAG 2.2 AA by axe), never wider than the screen, readable without scripts."""

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from bench.screenshots import pages_of
from tests.browser.conftest import Visit
from tests.browser.test_steward import EVIL, as_csv, people, refused_job
from tests.system.conftest import Stack

WIDTHS = (320, 400, 768, 1280)
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""What depends on the colors alone."""


@pytest.fixture(scope="module")
def paths(stack: Stack) -> list[tuple[str, str]]:
    """Every page, with something of every kind to show."""
    refused_job(stack)
    policy: dict[str, Any] = {
        "kind": "table",
        "attributes": {
            name: {"role": role}
            for name, role in zip(
                people(1)[0],
                ("identifier", "quasi_identifier", "quasi_identifier", "insensitive", "sensitive"),
                strict=True,
            )
        },
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
    found = pages_of(stack.address, stack.token("admin"))
    return [(name, path) for name, path in found if not path.startswith("/v1/") or path.endswith(".html")]


def settled(visit: Visit, path: str) -> None:
    visit.go(path)
    if "/new?" in path:
        visit.page.wait_for_selector("#valid")


def test_axe_finds_no_fault_on_any_page_light_or_dark(
    visit: Callable[..., Visit], paths: list[tuple[str, str]]
) -> None:
    admin, nobody = (visit(role, bypass_csp=True) for role in ("admin", None))
    faults = {}
    for name, path in [*paths, ("sign-in", "/sign-in")]:
        admin = nobody if name == "sign-in" else admin
        settled(admin, path)
        for scheme, rules in (("light", RULES), ("dark", CONTRAST)):
            admin.page.emulate_media(color_scheme=scheme)
            found = Axe().run(admin.page, options=rules).response["violations"]
            if found:
                said = [(each["id"], [node["html"][:160] for node in each["nodes"][:3]]) for each in found]
                faults[name, scheme] = said
    assert faults == {}


def test_no_page_is_wider_than_the_screen_and_no_name_is_a_script(
    visit: Callable[..., Visit], paths: list[tuple[str, str]]
) -> None:
    """The content policy is in force here: what it forbids would be complained of in the end."""
    admin = visit("admin")
    wide, said = [], []
    admin.page.on("dialog", lambda dialog: said.append(dialog.message))
    for name, path in paths:
        settled(admin, path)
        assert admin.page.locator("script:not([src]):not([type$='json'])").count() == 0
        for width in WIDTHS:
            admin.page.set_viewport_size({"width": width, "height": 800})
            needed = admin.page.evaluate("document.documentElement.scrollWidth")
            if needed > width:
                wide.append((name, width, needed))
    assert (wide, said) == ([], [])


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
    """A page of somebody else on this host."""

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
