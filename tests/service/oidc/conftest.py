"""An API that trusts the tests' own provider."""

import pytest

from tests.service.conftest import Api
from tests.service.conftest import make_api as make_api
from tests.service.oidc.issuer import AUDIENCE, CLIENT, SECRET, Issuer, run_issuer

ROLES = {"data-admins": "admin", "data-stewards": "steward", "auditors": "auditor", "readers": "consumer"}


@pytest.fixture(scope="module")
def issuer():
    with run_issuer() as running:
        yield running


@pytest.fixture(autouse=True)
def up_again(issuer: Issuer):
    """Undo a test's changes to the provider; its keys are new ones or the first."""
    yield
    issuer.is_down, issuer.redirects_to, issuer.shared_secret, issuer.configuration = False, None, None, {}


@pytest.fixture(scope="module")
def api(make_api, issuer: Issuer) -> Api:
    return make_api(
        oidc_issuer=issuer.address,
        oidc_audience=AUDIENCE,
        oidc_client_id=CLIENT,
        oidc_client_secret=SECRET,
        oidc_roles=ROLES,
        oidc_tenant_claim="org.tenant",
        oidc_refetch_seconds=0.05,
    )
