"""Static files are served to anyone, complete, and nothing else is."""

import httpx
import pytest

from service.report.assets import ASSETS, MEDIA_TYPES
from tests.patience import patience


def test_every_asset_is_served_with_its_type_and_digest(api):
    for name, asset in ASSETS.items():
        answer = httpx.get(f"{api.address}/static/{name}", timeout=patience())
        assert answer.content == asset.content
        assert answer.headers["content-type"] == MEDIA_TYPES["." + name.rpartition(".")[2]]
        again = httpx.get(answer.url, headers={"If-None-Match": answer.headers["etag"]}, timeout=patience())
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["nothing.css", "../assets.py", "..%2fassets.py", "%2e%2e/assets.py", ".", "a" * 65])
def test_nothing_else_is_served(api, name):
    assert httpx.get(f"{api.address}/static/{name}", timeout=patience()).status_code in (404, 422)
