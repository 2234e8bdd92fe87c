"""The documentation in a browser: requests are sent from the page with the session, and none changes data unasked."""

from collections.abc import Callable

from tests.browser.conftest import Visit, slow
from tests.system.conftest import Stack


def sent(visit: Visit, operation: str) -> str:
    """Send the example of an operation; returns the answer as the page shows it."""
    visit.page.click(f"#{operation} form.try button")
    visit.page.wait_for_selector(f"#{operation} .try__answer .badge", timeout=slow())
    return str(visit.page.inner_text(f"#{operation} .try__answer"))


def test_examples_are_sent_with_the_session_and_changes_after_a_question(
    visit: Callable[..., Visit], stack: Stack
) -> None:
    steward = visit("steward")
    steward.go("/docs/api/datasets")
    assert sent(steward, "create_dataset").startswith("202")
    steward.go("/docs/api/policies")
    assert '"valid": true' in sent(steward, "validate_policy")
    steward.go("/docs/api/tokens")
    assert '"role": "steward"' in sent(steward, "get_caller")
    # Forbidden operations are marked in advance, and refused when tried.
    assert "may not do this" in steward.page.inner_text("#create_token")
    assert sent(steward, "create_token").startswith("403")


def test_nothing_is_changed_if_the_question_is_answered_with_no(visit: Callable[..., Visit], stack: Stack) -> None:
    admin = visit("admin")
    admin.go("/docs/api/tokens")
    admin.page.evaluate("window.confirm = () => false")
    admin.page.click("#create_tenant form.try button")
    assert admin.page.inner_text("#create_tenant .try__answer") == ""
    assert "form" in admin.page.locator("#create_tenant form.try").evaluate("(form) => form.tagName").lower()


def test_without_a_session_the_page_is_read_and_an_example_is_refused(visit: Callable[..., Visit]) -> None:
    nobody = visit(None)
    nobody.go("/docs/api/jobs")
    assert "Sign in" in nobody.page.inner_text("#list_jobs")
    assert sent(nobody, "list_jobs").startswith("401")
    nobody.go("/docs/api/releases")
    assert sent(nobody, "list_releases").startswith("200")
