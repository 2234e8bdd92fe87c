"""A third-party OpenID provider: a portal uses client credentials, a person the code flow in a real browser."""

import os
import shutil
import time

import httpx
import pytest

from bench.screenshots import chromium_path
from stack.children.processes import kill_group, spawn
from stack.servers.ports import free_port
from tests.patience import patience, wait_for
from tests.service.conftest import make_api as make_api
from tests.system.conftest import ROOT

AUDIENCE = "https://antifaz.example/api"
PORTAL = ("portal", "the-secret-of-the-portal")

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


class Provider:
    """The running provider."""

    def __init__(self, environments, folder):
        self.address = f"http://127.0.0.1:{free_port()}"
        self._environments, self._folder, self._process = environments, folder, None

    def start(self, callback):
        # Modules are searched next to the program: it runs from the folder that has them.
        program = self._folder / "provider.mjs"
        shutil.copy(ROOT / "tests" / "portals" / "provider.mjs", program)
        if not (self._folder / "node_modules").exists():
            (self._folder / "node_modules").symlink_to(self._environments / "npm" / "node_modules")
        port = self.address.rpartition(":")[2]
        command = ["node", program, port, AUDIENCE, callback]
        self._process = spawn(command, environment=dict(os.environ), log=self._folder / "provider.log")
        wait_for(self._answers, "the provider")

    def stop(self):
        if self._process is not None:
            kill_group(self._process)
            self._process = None

    def _answers(self):
        try:
            return httpx.get(f"{self.address}/.well-known/openid-configuration", timeout=10).status_code == 200
        except httpx.TransportError:
            return False

    def access_token(self):
        form = {"grant_type": "client_credentials", "resource": AUDIENCE}
        answer = httpx.post(f"{self.address}/token", data=form, auth=PORTAL, timeout=patience())
        assert answer.status_code == 200, answer.text
        return answer.json()["access_token"]


@pytest.fixture(scope="module")
def provider(environments, tmp_path_factory):
    made = Provider(environments, tmp_path_factory.mktemp("provider"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def api(make_api, provider):
    running = make_api(
        oidc_issuer=provider.address,
        oidc_audience=AUDIENCE,
        oidc_client_id="console",
        oidc_client_secret="the-secret-of-the-console",
        oidc_roles={"data-stewards": "steward"},
        oidc_refetch_seconds=1,
    )
    provider.start(f"{running.address}/sign-in/oidc/callback")
    return running


def ask(api, token):
    with api.client(None) as client:
        return client.get("/v1/me", headers={"Authorization": f"Bearer {token}"})


def test_a_portal_gets_in_by_client_credentials(api, provider):
    me = ask(api, provider.access_token())
    assert me.status_code == 200, me.text
    assert (me.json()["name"], me.json()["role"]) == ("portal", "steward")


def test_a_person_signs_in_by_the_code_flow_and_the_id_token_opens_nothing_else(api, provider):
    path = chromium_path()
    if path is None:
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            page = browser.new_context().new_page()
            page.set_default_timeout(patience() * 1000)
            page.goto(f"{api.address}/sign-in?next=/jobs")
            page.get_by_role("link", name="Sign in with your organization").click()
            page.locator('input[name="login"]').fill("maria")
            page.locator('input[name="password"]').fill("anything")
            page.get_by_role("button", name="Sign-in").click()
            page.get_by_role("button", name="Continue").click()
            page.wait_for_url(f"{api.address}/jobs")
            assert "maria" in page.locator("header").inner_text()
            cookies = {cookie["name"]: cookie for cookie in page.context.cookies()}
            assert cookies["__Host-antifaz"]["sameSite"] == "Strict"
            assert "__Host-antifaz-oidc" not in cookies
            page.get_by_role("button", name="Sign out").click()
            page.wait_for_url(f"{api.address}/sign-in")
        finally:
            browser.close()


def test_known_keys_and_own_tokens_serve_while_the_provider_is_down(api, provider):
    token = provider.access_token()
    assert ask(api, token).status_code == 200
    provider.stop()
    time.sleep(1.1)
    assert ask(api, token).status_code == 200
    assert ask(api, api.token("steward")).status_code == 200
    with api.client(None) as client:
        assert client.get("/sign-in").status_code == 200
