"""Pages of portals, webhooks and publications: who sees which form, what is shown, and what never is."""

import json

import pytest
from sqlalchemy import text

from tests.service.conftest import Api, Published
from tests.service.console.test_pages import EVIL, PORTAL_KEY, Visitor, name_outbound, visitors

__all__ = ["visitors"]
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;=1+1"
Visitors = dict[str | None, Visitor]


@pytest.fixture(scope="module")
def outbound(api: Api) -> tuple[str, str]:
    return name_outbound(api, EVIL)


@pytest.fixture(scope="module")
def release(api: Api, outbound: tuple[str, str]) -> Published:
    """A public release that is to be on a portal, as copies."""
    published = api.publish()
    api.open_to_all(published)
    body = {"portal": outbound[1], "mode": "upload", "acknowledge_copies": True}
    answer = api.client().post(f"/v1/releases/{published.release_id}/publications", json=body)
    assert answer.status_code == 202
    return published


def find_out(api: Api, published: Published, state: str, reason: str | None, url: str) -> None:
    """Store a portal's answer as a courier does."""
    found = {"state": state, "reason": reason, "remote": json.dumps({"url": url}), "id": published.release_id}
    with api.owner.begin() as c:
        c.execute(
            text("UPDATE publications SET state = :state, reason = :reason, remote = :remote WHERE release_id = :id"),
            found,
        )


def test_names_are_text_and_keys_and_secrets_are_on_no_page(visitors: Visitors, outbound: tuple[str, str]) -> None:
    for path in ("/portals", "/webhooks", f"/webhooks/{outbound[0]}"):
        page = visitors["admin"].look(path).text
        assert ESCAPED in page
        assert "<script>alert" not in page
        assert PORTAL_KEY not in page
        assert "whsec_" not in page


def test_a_steward_sees_portals_and_only_an_administrator_registers_them(
    visitors: Visitors, outbound: tuple[str, str]
) -> None:
    steward, admin = (visitors[role].look("/portals").text for role in ("steward", "admin"))
    for form in ('data-path="/v1/portals"', f"/v1/portals/{outbound[1]}", 'id="token"'):
        assert form in admin
        assert form not in steward
    assert ESCAPED in steward
    # Users who may use only one of the pages find it by its name; others find all of them side by side.
    assert '<a href="/portals" aria-current="page">Portals</a>' in steward
    assert 'aria-label="Settings"' not in steward
    assert 'aria-label="Settings"' in admin


def test_a_webhooks_page_shows_deliveries_and_offers_what_can_be_done(
    visitors: Visitors, outbound: tuple[str, str]
) -> None:
    page = visitors["admin"].look(f"/webhooks/{outbound[0]}").text
    assert "webhook.test" in page
    assert "pending" in page
    for path in (f"/v1/webhooks/{outbound[0]}/test", f"/v1/webhooks/{outbound[0]}/rotate", "/redeliver"):
        assert path in page


def test_a_disabled_webhook_says_why_and_offers_nothing_to_send(api: Api, visitors: Visitors) -> None:
    webhook, _ = name_outbound(api, "broken")
    with api.owner.begin() as c:
        c.execute(
            text("UPDATE webhooks SET disabled_at = now(), disabled_reason = 'it answered 410' WHERE id = :id"),
            {"id": webhook},
        )
    page = visitors["admin"].look(f"/webhooks/{webhook}").text
    assert "It answered 410." in page
    assert f"/v1/webhooks/{webhook}/test" not in page.partition("The same for programs")[0]
    assert "/redeliver" not in page.partition("The same for programs")[0]


def test_a_release_shows_its_portals_with_states_and_reasons(api: Api, visitors: Visitors, release: Published) -> None:
    path = f"/releases/{release.release_id}/publications"
    assert "data-pending" in visitors["steward"].look(path).text
    find_out(api, release, "could_not_be_removed", EVIL, "https://portal.example/dataset/1")
    for role in ("steward", "auditor", "admin"):
        page = visitors[role].look(path).text
        assert "could not be removed" in page
        assert ESCAPED in page
        assert 'href="https://portal.example/dataset/1"' in page
        assert "data-pending" not in page
        # An auditor sees, and changes nothing.
        assert ("data-method" in page) == (role != "auditor")
    assert "could not be removed" in visitors["steward"].look(f"/releases/{release.release_id}/manage").text


def test_sending_copies_again_repeats_what_was_acknowledged(visitors: Visitors, release: Published) -> None:
    page = visitors["steward"].look(f"/releases/{release.release_id}/publications").text
    row = page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert '<input type="hidden" name="mode" value="upload">' in row
    assert '<input type="hidden" name="acknowledge_copies" value="true" data-boolean>' in row
    assert "irrevocable" not in row


def test_an_address_that_a_portal_gave_is_a_link_only_if_it_is_one(
    api: Api, visitors: Visitors, release: Published
) -> None:
    find_out(api, release, "published", None, "javascript:alert(1)")
    page = visitors["steward"].look(f"/releases/{release.release_id}/publications").text
    assert 'href="javascript' not in page
    assert "javascript:alert(1)" in page


def test_what_is_not_public_or_withdrawn_is_not_offered_to_portals(api: Api, visitors: Visitors) -> None:
    published = api.publish()
    path = f"/releases/{published.release_id}/publications"
    page = visitors["steward"].look(path).text
    assert "make the release public first" in page
    assert 'id="publish"' not in page
    answer = api.client().post(f"/v1/releases/{published.release_id}/withdraw", json={"reason": "wrong"})
    assert answer.status_code == 200
    page = visitors["steward"].look(path).text
    assert "The release is withdrawn" in page
    assert 'id="publish"' not in page
