"""People sign in at the provider: the code flow with PKCE, in the browser that started it."""

from urllib.parse import parse_qs, urlsplit

import pytest

from service.access.sessions import COOKIE as SESSION
from service.console.oidc_sign_in import COOKIE

TENANT = {"org": {"tenant": "default"}}
OURS = {"Sec-Fetch-Site": "same-origin"}


def begin(api, target=""):
    """What the provider is asked, and the cookie that remembers it."""
    answer = api.client(None).get("/sign-in/oidc", params={"next": target})
    assert answer.status_code == 303, answer.text
    asked = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
    cookie = answer.headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"))
    return asked, cookie.partition(";")[0]


def come_back(api, cookie, **given):
    headers = {"Cookie": cookie, "Sec-Fetch-Site": "cross-site"} if cookie else {"Sec-Fetch-Site": "cross-site"}
    return api.client(None).get("/sign-in/oidc/callback", params=given, headers=headers)


def session_of(answer):
    cookies = [each for each in answer.headers.get_list("set-cookie") if each.startswith(f"{SESSION}=")]
    return cookies[0].partition(";")[0] if cookies else None


def who(api, session):
    return api.client(None).get("/v1/me", headers={"Cookie": session, **OURS})


def test_the_page_offers_the_provider_beside_tokens(api):
    page = api.client(None).get("/sign-in").text
    assert 'href="/sign-in/oidc?next="' in page
    assert 'name="token"' in page


def test_somebody_signs_in_at_the_provider_and_has_a_session_like_any_other(api, issuer):
    asked, cookie = begin(api, "/jobs?limit=5")
    assert urlsplit(asked["redirect_uri"]).path == "/sign-in/oidc/callback"
    assert asked["code_challenge_method"] == "S256"
    answer = come_back(api, cookie, code=issuer.give_code(asked, **TENANT), state=asked["state"], iss=issuer.address)
    assert answer.status_code == 200, answer.text
    assert '<meta http-equiv="refresh" content="0;url=/jobs?limit=5">' in answer.text
    me = who(api, session_of(answer)).json()
    assert (me["name"], me["role"], me["tenant"]["name"]) == ("maria", "steward", "default")
    assert f'{COOKIE}=""' in " ".join(answer.headers.get_list("set-cookie")), "it is used up"


def test_revoking_the_token_of_a_session_ends_it_at_once(api, issuer):
    asked, cookie = begin(api)
    session = session_of(
        come_back(api, cookie, code=issuer.give_code(asked, **TENANT, sub="leaver"), state=asked["state"])
    )
    token_id = who(api, session).json()["token_id"]
    api.client("admin").delete(f"/v1/tokens/{token_id}")
    assert who(api, session).status_code == 401
    asked, cookie = begin(api)
    again = come_back(api, cookie, code=issuer.give_code(asked, **TENANT, sub="leaver"), state=asked["state"])
    assert again.status_code == 401
    assert session_of(again) is None


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of another sign-in"},
        {"aud": "another client"},
        {"aud": ["console", "other"], "azp": "other"},
        {"iss": "https://elsewhere.example"},
        {"exp": 1},
    ],
)
def test_an_id_token_of_another_sign_in_client_or_issuer_signs_nobody_in(api, issuer, claims):
    asked, cookie = begin(api)
    answer = come_back(api, cookie, code=issuer.give_code(asked, **TENANT, **claims), state=asked["state"])
    assert answer.status_code == 401
    assert session_of(answer) is None


def test_an_answer_counts_only_in_the_browser_that_asked(api, issuer):
    asked, cookie = begin(api)
    _, other = begin(api)
    for given in (None, other, f"{COOKIE}=", f"{COOKIE}={'A' * 43}."):
        code = issuer.give_code(asked, **TENANT)
        answer = come_back(api, given, code=code, state=asked["state"])
        assert answer.status_code == 401
        assert session_of(answer) is None
        assert code in issuer.codes, "the code is not even sent"
    assert come_back(api, cookie, code="x", state="é").status_code == 401


def test_a_code_that_the_provider_does_not_know_or_a_refusal_signs_nobody_in(api, issuer):
    asked, cookie = begin(api)
    assert come_back(api, cookie, code="invented", state=asked["state"]).status_code == 401
    assert come_back(api, cookie, error="access_denied", state=asked["state"]).status_code == 401
    mixed = come_back(api, cookie, code=issuer.give_code(asked), state=asked["state"], iss="https://elsewhere.example")
    assert mixed.status_code == 401


def test_whom_the_settings_give_no_role_is_told_so(api, issuer):
    asked, cookie = begin(api)
    answer = come_back(api, cookie, code=issuer.give_code(asked, **TENANT, roles=["strangers"]), state=asked["state"])
    assert answer.status_code == 403
    assert "no role that is mapped here" in answer.text


@pytest.mark.parametrize("target", ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example"])
def test_a_sign_in_leads_to_no_other_host(api, issuer, target):
    asked, cookie = begin(api, target)
    answer = come_back(api, cookie, code=issuer.give_code(asked, **TENANT), state=asked["state"])
    assert "elsewhere" not in answer.text
    assert 'content="0;url=/datasets"' in answer.text


def test_without_the_provider_one_can_still_sign_in_by_token(api, issuer):
    asked, cookie = begin(api)
    issuer.is_down = True
    answer = come_back(api, cookie, code="some", state=asked["state"])
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert 'name="token"' in answer.text


def test_without_a_client_there_is_no_such_page(make_api, issuer):
    plain = make_api()
    for path in ("/sign-in/oidc", "/sign-in/oidc/callback"):
        assert plain.client(None).get(path).status_code == 404
    assert "/sign-in/oidc" not in plain.client(None).get("/sign-in").text
