"""A browser for the whole service: the system's Chromium, and one stack for all tests here."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import own_databases
from tests.patience import patience
from tests.system.conftest import Stack, make_stack, run_stack

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from bench.screenshots import chromium, chromium_path, sign_in  # noqa: E402 - it needs playwright

NOTE_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) => console.error("CSP: " + event.violatedDirective));
"""


def slow() -> float:
    """Milliseconds that a step may take."""
    return 1000 * patience()


@dataclass
class Visit:
    """A user at a browser, and everything that happened there."""

    page: Any
    context: Any
    address: str
    complaints: list[str] = field(default_factory=list)
    """Complaints in the browser's console: violations of the content security policy and script errors."""

    def go(self, path: str) -> Any:
        return self.page.goto(self.address + path, wait_until="load")

    def released(self) -> str:
        """Wait on the page of a job until it shows "released"; returns the path of the release."""
        self.page.wait_for_selector("a:has-text('See the release')", timeout=slow())
        return str(self.page.get_attribute("a:has-text('See the release')", "href"))


@pytest.fixture(scope="session")
def installed() -> None:
    """Chromium; without it these tests are skipped with a reason."""
    if chromium_path() is None:
        pytest.skip("NO BROWSER: install Chromium (apt-get install chromium) to test the console")


@pytest.fixture(scope="module")
def browser(installed: None) -> Iterator[Any]:
    """A running Chromium. For one module only: its event loop runs in this thread, and other tests start their own."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="package")
def stack(
    installed: None, templates: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """API, worker, sweeper and courier on databases of their own."""
    with own_databases(templates, "browser_") as made:
        running = make_stack(made, redis_server.work_url, tmp_path_factory.mktemp("browser"))
        running.start("courier")
        yield from run_stack(running)


@pytest.fixture
def visit(browser: Any, stack: Stack) -> Iterator[Callable[..., Visit]]:
    """Opens a browser for a user with a role, or without one; at the end there must be no complaints."""
    with ExitStack() as opened:
        visits: list[Visit] = []

        def begin(role: str | None = "steward", **options: Any) -> Visit:
            made = opened.enter_context(visiting(browser, stack, role, **options))
            visits.append(made)
            return made

        yield begin
        assert [each for made in visits for each in made.complaints] == []


@contextmanager
def visiting(browser: Any, stack: Stack, role: str | None, **options: Any) -> Iterator[Visit]:
    context = browser.new_context(**options)
    context.set_default_timeout(slow())
    context.add_init_script(NOTE_VIOLATIONS)
    made = Visit(None, context, stack.address)
    context.on("console", lambda message: made.complaints.append(message.text) if _matters(message) else None)
    context.on("weberror", lambda error: made.complaints.append(str(error.error)))
    if role is not None:
        sign_in(context, stack.address, stack.token(role))
    made.page = context.new_page()
    made.page.on("dialog", lambda dialog: dialog.accept())
    try:
        yield made
    finally:
        context.close()


def _matters(message: Any) -> bool:
    """A problem response is also logged as an error; the page shows those."""
    return message.type == "error" and "Failed to load resource" not in message.text


def bodies(log: Path) -> list[tuple[str, str]]:
    """Address and content of everything in the network log."""
    found = []
    for entry in json.loads(log.read_text())["log"]["entries"]:
        content = entry["response"]["content"]
        text = content.get("text", "")
        if content.get("encoding") == "base64":
            text = base64.b64decode(text).decode("utf-8", "replace")
        found.append((entry["request"]["url"], text))
    return found
