"""The steward's path from sign-in to the public release with only the keyboard; the focus is visible at every step."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import TimeoutError as NothingHappened

from tests.browser.conftest import Visit, slow
from tests.browser.test_steward import CARD, as_csv, is_valid, people
from tests.system.conftest import Stack

MOST_STEPS = 150
TRIES = 20
FOCUS = """() => {
  const element = document.activeElement;
  const ringed = (each) => {
    if (!each) return false;
    const style = getComputedStyle(each), box = each.getBoundingClientRect();
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.width > 4 && box.height > 4;
  };
  const label = element.id ? document.querySelector(`label[for="${CSS.escape(element.id)}"]`) : null;
  const around = [element, element.closest("label"), element.closest(".dropzone"), label];
  const box = element.getBoundingClientRect();
  return {
    is: element.outerHTML.slice(0, 160),
    body: element === document.body,
    ringed: around.some(ringed),
    seen: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
  };
}"""
FORWARD = """() => {
  const before = window.beforeThis, now = document.activeElement;
  window.beforeThis = now;
  return !before || !before.isConnected || before === now ||
    Boolean(before.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING);
}"""


@dataclass
class Keys:
    """Hands on a keyboard."""

    page: Any

    def to(self, target: str, key: str = "Tab") -> None:
        """Go from one focus to the next until the target has it: each is in sight, in order, and none is a trap."""
        self.page.evaluate("window.beforeThis = null")
        for _ in range(MOST_STEPS):
            if self.at(target):
                return
            self.page.keyboard.press(key)
            focus = self.page.evaluate(FOCUS)
            if not focus["body"]:
                assert focus["ringed"], f"no ring around {focus['is']}"
                assert focus["seen"], f"out of sight: {focus['is']}"
            assert key != "Tab" or focus["body"] or self.page.evaluate(FORWARD), f"a step back to {focus['is']}"
        raise AssertionError(f"{target} cannot be reached; the focus is on {focus['is']}")

    def at(self, target: str) -> bool:
        return bool(
            self.page.locator(target).evaluate_all("(all) => all.some((one) => one === document.activeElement)")
        )

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def write(self, target: str, text: str) -> None:
        self.to(target)
        self.page.keyboard.insert_text(text)

    def follow(self, target: str, key: str = "Enter") -> None:
        """Go there, press a key, and be on the page that comes."""
        self.to(target)
        with self.page.expect_navigation():
            self.page.keyboard.press(key)

    def wait_at(self, target: str) -> None:
        """Wait until the focus was moved to the target."""
        self.page.wait_for_function(
            "(target) => [...document.querySelectorAll(target)].includes(document.activeElement)",
            arg=target,
            timeout=slow(),
        )


@pytest.fixture
def keys(visit: Callable[..., Visit]) -> tuple[Visit, Keys]:
    somebody = visit(None)
    return somebody, Keys(somebody.page)


def sign_in(somebody: Visit, keys: Keys, token: str) -> None:
    somebody.go("/sign-in")
    keys.write("#token", token)
    with somebody.page.expect_navigation():
        keys.press("Enter")


def asked_for_file(somebody: Visit, keys: Keys) -> Any:
    """Press Enter, and again if nothing opens, as a user would whose key press was lost while a page loads."""
    for _ in range(TRIES):
        with suppress(NothingHappened):
            with somebody.page.expect_file_chooser(timeout=slow() / TRIES) as asked:
                keys.press("Enter")
            return asked.value
    raise AssertionError("the browser never asked for a file")


def prepare(somebody: Visit, keys: Keys) -> None:
    """From the first page to a policy that can be submitted."""
    # From now on the browser hands its question for a file to us; asked to do so just before a key, it may be too late.
    somebody.page.on("filechooser", lambda chooser: None)
    keys.follow(".site-nav a[href='/new']")
    keys.to("#file")
    chooser = asked_for_file(somebody, keys)
    chooser.set_files({"name": "people.csv", "mimeType": "text/csv", "buffer": as_csv(people(64))})
    somebody.page.wait_for_selector("#local:not([hidden])")
    keys.to("#upload")
    keys.press("Enter")
    keys.wait_at("#roles-title")
    is_valid(somebody)


def correct(somebody: Visit, keys: Keys) -> None:
    """Choose a wrong role with the arrows, undo it, add and remove a promise; the focus stays with the hands."""
    page = somebody.page
    keys.to("#role-1-quasi_identifier")
    keys.press("ArrowLeft")
    assert keys.at("#role-1-identifier")
    page.wait_for_function("() => !document.getElementById('undo').disabled")
    keys.to("#undo", "Shift+Tab")
    keys.press("Space")
    assert page.is_checked("#role-1-quasi_identifier")
    # There is nothing left to undo: the focus is on the way back, and not lost.
    assert keys.at("#redo")
    keys.to("#add-guarantee")
    keys.to("#add")
    keys.press("Enter")
    assert keys.at("#guarantees .guarantee:last-child :is(input, select)")
    keys.to("#guarantees .guarantee:last-child button")
    keys.press("Enter")
    assert keys.at("#add-guarantee")
    is_valid(somebody)


def open_up(keys: Keys) -> None:
    """Make a release public: refused without a card, then with one."""
    keys.to("input[name=audience]:checked")
    keys.press("ArrowDown")
    keys.to("form[data-path$=audience] button")
    keys.press("Enter")
    keys.wait_at("form[data-path$=audience] .form-answer.error")
    keys.to("#card #title", "Shift+Tab")
    keys.press("Control+a")
    for name, text in CARD.items():
        keys.write(f"#card #{name}", text)
        if name == "title":
            keys.press("Tab")
    with keys.page.expect_navigation():
        keys.press("Enter")
    keys.wait_at(".notice")
    assert "The card is saved." in keys.page.inner_text(".notice")
    keys.to("input[name=audience]:checked")
    keys.press("ArrowDown")
    keys.follow("form[data-path$=audience] button", "Space")
    keys.wait_at(".notice")


def test_the_whole_way_from_signing_in_to_the_public_release(keys: tuple[Visit, Keys], stack: Stack) -> None:
    somebody, hands = keys
    sign_in(somebody, hands, stack.token("steward"))
    prepare(somebody, hands)
    correct(somebody, hands)
    hands.follow("#release")
    # While it runs, the page follows; at its end the focus is on what came out.
    somebody.page.wait_for_selector("a:has-text('See the release')", timeout=slow())
    hands.follow("main a:has-text('See the release')")
    hands.follow("main a:has-text('Manage')")
    open_up(hands)
    assert somebody.page.is_checked("input[name=audience][value=public]")


def test_the_first_key_offers_to_skip_to_the_content(keys: tuple[Visit, Keys]) -> None:
    somebody, hands = keys
    somebody.go("/releases")
    hands.press("Tab")
    assert hands.at(".skip")
    assert somebody.page.locator(".skip").bounding_box()["y"] >= 0
    hands.press("Enter")
    hands.press("Tab")
    assert somebody.page.evaluate("document.getElementById('main').contains(document.activeElement)")


@pytest.mark.parametrize("path", ["/", "/releases", "/docs/api/jobs", "/sign-in"])
def test_no_page_keeps_the_focus(keys: tuple[Visit, Keys], path: str) -> None:
    """From the first focus to the last, and out of the page again."""
    somebody, hands = keys
    somebody.go(path)
    hands.to(".site-footer a:last-of-type")
