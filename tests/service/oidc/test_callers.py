"""Access tokens of an OpenID provider at the API: which are accepted, for whom, and which never are."""

import base64
import hmac
import json
import time

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from tests.service.oidc.issuer import CLIENT, new_elliptic_key, new_rsa_key

TENANT = {"org": {"tenant": "default"}}


def ask(api, token, path="/v1/me"):
    with api.client(None) as client:
        return client.get(path, headers={"Authorization": f"Bearer {token}"})


def token_for(issuer, **changes):
    return issuer.access_token(**(TENANT | changes))


def test_a_portal_gets_in_with_the_role_and_the_tenant_that_its_claims_say(api, issuer):
    me = ask(api, token_for(issuer))
    assert me.status_code == 200, me.text
    assert (me.json()["role"], me.json()["tenant"]["name"], me.json()["name"]) == ("steward", "default", "portal")
    assert ask(api, token_for(issuer), "/v1/datasets").status_code == 200
    assert ask(api, token_for(issuer), "/v1/tokens").status_code == 403


def test_the_same_portal_is_the_same_caller_tomorrow_and_is_made_once(api, issuer):
    ids = {ask(api, token_for(issuer, sub="twin", jti=str(number))).json()["token_id"] for number in range(3)}
    assert len(ids) == 1
    with api.client("admin") as admin:
        events = admin.get("/v1/audit-events", params={"action": "token.create", "limit": 200}).json()["items"]
    assert [event["details"] for event in events if event["subject"] in ids] == [{"role": "steward", "by": "oidc"}]


def test_another_role_counts_from_the_next_token_on(api, issuer):
    assert ask(api, token_for(issuer, sub="mover", roles=["auditors"]), "/v1/audit-events").status_code == 200
    moved = token_for(issuer, sub="mover", roles=["readers"])
    assert ask(api, moved, "/v1/audit-events").status_code == 403
    assert ask(api, moved).json()["role"] == "consumer"


def test_of_several_roles_the_first_of_the_settings_counts(api, issuer):
    assert (
        ask(api, token_for(issuer, sub="many", roles=["readers", "data-stewards", "other"])).json()["role"] == "steward"
    )


@pytest.mark.parametrize("roles", [None, [], ["strangers"], "steward", {"data-stewards": True}, [["data-stewards"]]])
def test_whom_the_settings_give_no_role_is_refused(api, issuer, roles):
    answer = ask(api, token_for(issuer, sub="stranger", roles=roles))
    assert answer.status_code == 403
    assert answer.json()["detail"] == "The provider names no role that is mapped here."


@pytest.mark.parametrize(
    "org", [{}, {"tenant": "nobody's"}, {"tenant": ["default", "other"]}, {"tenant": 7}, "default"]
)
def test_whom_the_claims_give_no_tenant_that_is_here_is_refused(api, issuer, org):
    before = api.count("tenants")
    assert ask(api, token_for(issuer, org=org)).status_code == 403
    assert api.count("tenants") == before


def test_each_tenant_has_its_own_caller_and_sees_its_own_data(api, issuer):
    api.token("admin", "second")
    mine = ask(api, token_for(issuer)).json()
    theirs = ask(api, token_for(issuer, org={"tenant": "second"})).json()
    assert theirs["tenant"]["name"] == "second"
    assert theirs["token_id"] != mine["token_id"]


def test_a_revoked_caller_stays_out_however_good_its_tokens_are(api, issuer):
    me = ask(api, token_for(issuer, sub="gone")).json()
    with api.client("admin") as admin:
        assert admin.delete(f"/v1/tokens/{me['token_id']}").status_code == 204
    answer = ask(api, token_for(issuer, sub="gone"))
    assert answer.status_code == 401
    assert "revoked" in answer.json()["detail"]


def test_own_tokens_count_as_before(api):
    assert ask(api, api.token("steward")).json()["role"] == "steward"
    assert ask(api, "afz_nonsense").status_code == 401


@pytest.mark.parametrize(
    "text", ["{}", '["http://127.0.0.1","portal","default","steward"]', "identity", "oidc portal default steward"]
)
def test_no_text_opens_the_row_of_a_caller(api, issuer, text):
    ask(api, token_for(issuer))
    assert ask(api, text).status_code == 401


def refused(answer):
    assert answer.status_code == 401, answer.text
    assert answer.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    return answer.json()["detail"]


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ({"iss": "https://elsewhere.example"}, "iss"),
        ({"iss": None}, "iss"),
        ({"aud": "https://elsewhere.example"}, "aud"),
        ({"aud": ["one", "two"]}, "aud"),
        ({"aud": CLIENT}, "aud"),
        ({"aud": None}, "aud"),
        ({"exp": int(time.time()) - 120}, "exp"),
        ({"exp": None}, "exp"),
        ({"exp": "tomorrow"}, "exp"),
        ({"nbf": int(time.time()) + 3600}, "nbf"),
        ({"iat": int(time.time()) + 3600}, "iat"),
        ({"sub": None}, "sub"),
        ({"sub": ""}, "sub"),
        ({"sub": "x" * 300}, "sub"),
        ({"sub": "a\nb"}, "sub"),
    ],
)
def test_a_token_of_another_issuer_audience_or_time_does_not_count(api, issuer, changes, claim):
    assert refused(ask(api, token_for(issuer, **changes))) == (
        f"This token is not valid. Its {claim} cannot be accepted."
    )


def test_clocks_may_differ_by_the_leeway_and_no_more(api, issuer):
    now = int(time.time())
    assert ask(api, token_for(issuer, exp=now - 20)).status_code == 200
    assert ask(api, token_for(issuer, iat=now + 40, nbf=now + 40)).status_code == 200
    assert ask(api, token_for(issuer, exp=now - 70)).status_code == 401


def test_one_of_several_audiences_may_be_ours(api, issuer):
    assert ask(api, token_for(issuer, aud=["other", issuer.claims()["aud"]])).status_code == 200


def test_an_id_token_is_no_access_token(api, issuer):
    assert "type" in refused(ask(api, issuer.id_token(**TENANT)))
    assert "type" in refused(ask(api, issuer.id_token(**TENANT, aud=issuer.claims()["aud"])))
    assert "ID token" in refused(ask(api, token_for(issuer, nonce="n")))
    assert "ID token" in refused(ask(api, token_for(issuer, at_hash="h")))
    assert "ID token" in refused(ask(api, token_for(issuer, typ="ID")))


def test_no_algorithm_counts_that_a_secret_or_nothing_satisfies(api, issuer):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    for alg in ("none", "None", "HS256", "HS512", "RS1", ""):
        unsigned = f"{part({'alg': alg, 'kid': 'first', 'typ': 'at+jwt'})}.{part(issuer.claims(**TENANT))}."
        refused(ask(api, unsigned))
        refused(ask(api, unsigned + "AAAA"))
    # The public key as a shared secret: what a library that trusts the header would accept.
    head = part({"alg": "HS256", "kid": issuer.keys[0].kid, "typ": "at+jwt"})
    signed = f"{head}.{part(issuer.claims(**TENANT))}"
    code = hmac.digest(issuer.keys[0].as_pem(private=False), signed.encode(), "sha256")
    confused = f"{signed}.{base64.urlsafe_b64encode(code).rstrip(b'=').decode()}"
    assert "algorithm" in refused(ask(api, confused))


def test_a_shared_secret_among_the_keys_is_none_of_them(api, issuer):
    issuer.shared_secret = OctKey.generate_key(256, {"kid": "shared"}, auto_kid=False)
    signed = jwt.encode(
        {"alg": "HS256", "kid": "shared", "typ": "at+jwt"}, issuer.claims(**TENANT), issuer.shared_secret, ["HS256"]
    )
    refused(ask(api, signed))


def test_a_signature_by_another_key_does_not_count(api, issuer):
    impostor = new_rsa_key("first")
    assert "signature" in refused(ask(api, issuer.access_token(key=impostor, **TENANT)))
    token = token_for(issuer)
    head, body, signature = token.split(".")
    changed = issuer.access_token(**TENANT, roles=["data-admins"]).split(".")[1]
    assert "signature" in refused(ask(api, f"{head}.{changed}.{signature}"))
    assert body != changed


@pytest.mark.parametrize("text", ["eyJ..", "eyJhbGciOiJSUzI1NiJ9.e30.", "eyJ.eyJ.eyJ", "eyJ" + "a" * 5000 + ".b.c"])
def test_what_is_no_token_is_refused_and_not_an_error(api, text):
    refused(ask(api, text))


def test_a_rotated_key_is_fetched_when_it_is_first_seen(api, issuer):
    old = token_for(issuer)
    assert ask(api, old).status_code == 200
    time.sleep(0.1)
    issuer.keys = [new_elliptic_key("second")]
    assert ask(api, token_for(issuer)).status_code == 200
    assert "does not publish" in refused(ask(api, old)), "a key that is gone signs nothing any more"


def test_tokens_with_unknown_keys_do_not_make_us_ask_the_provider_again_and_again(make_api, issuer):
    calm = make_api(oidc_issuer=issuer.address, oidc_audience=issuer.claims()["aud"], oidc_refetch_seconds=600)
    issuer.asked.clear()
    for number in range(10):
        forged = issuer.access_token(key=issuer.keys[0], header={"kid": f"unknown-{number}"})
        refused(ask(calm, forged))
    refused(ask(calm, token_for(issuer, iss="https://elsewhere.example")))
    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]


def test_if_the_provider_is_down_its_new_tokens_are_a_503_and_our_own_work_on(make_api, issuer):
    issuer.is_down = True
    alone = make_api(oidc_issuer=issuer.address, oidc_audience=issuer.claims()["aud"], oidc_refetch_seconds=0.05)
    answer = ask(alone, token_for(issuer))
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) >= 1
    assert ask(alone, alone.token("steward")).status_code == 200
    assert "algorithm" in refused(ask(alone, "eyJhbGciOiJub25lIn0.e30.")), "seen without a key"
    issuer.is_down = False
    time.sleep(0.1)
    assert ask(alone, token_for(issuer)).status_code == 403, "no roles are mapped there: recognized, and nobody"


def test_keys_that_are_known_serve_through_an_outage(api, issuer):
    assert ask(api, token_for(issuer)).status_code == 200
    issuer.is_down = True
    assert ask(api, token_for(issuer, jti="during the outage")).status_code == 200


def test_nothing_is_fetched_from_anywhere_but_the_issuer(make_api, issuer):
    for configuration in (
        {"jwks_uri": "https://elsewhere.example/keys"},
        {"token_endpoint": "http://169.254.169.254/latest"},
        {"issuer": "https://elsewhere.example"},
        {"jwks_uri": 7},
    ):
        issuer.configuration = configuration
        api = make_api(oidc_issuer=issuer.address, oidc_audience=issuer.claims()["aud"])
        issuer.asked.clear()
        assert ask(api, token_for(issuer)).status_code == 503
        assert issuer.asked == ["/.well-known/openid-configuration"]


def test_a_redirect_of_the_provider_is_not_followed(make_api, issuer):
    issuer.redirects_to = f"{issuer.address}/elsewhere"
    api = make_api(oidc_issuer=issuer.address, oidc_audience=issuer.claims()["aud"])
    issuer.asked.clear()
    assert ask(api, token_for(issuer)).status_code == 503
    assert issuer.asked == ["/.well-known/openid-configuration"]
