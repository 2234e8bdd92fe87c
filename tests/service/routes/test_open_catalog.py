"""The open catalog and the metadata of releases, as anonymous clients get them."""

import hashlib
import json
import re

import pytest

from tests.service.samples import ABOUT

PROFILES = {
    "dcat-ap": "application/ld+json",
    "dcat-us": "application/ld+json",
    "croissant": "application/ld+json",
    "datapackage": "application/json",
    "schema-org": "application/ld+json",
    "ro-crate": "application/ld+json",
    "datacite": "application/json",
    "oai_dc": "application/xml",
}


@pytest.fixture(scope="module")
def published(api):
    made = api.publish(tenant="open data", name="Pacientes de aquí")
    api.open_to_all(made, "open data")
    return made


def datasets(document):
    return [node for node in document["@graph"] if "dcat:Dataset" in node["@type"]]


def test_the_catalog_is_open_and_holds_what_is_public_alone(api, published):
    hidden = api.publish(tenant="open data")
    with api.client(None) as nobody:
        whole, one = nobody.get("/v1/catalog"), nobody.get("/v1/catalog/open%20data")
    for answer in (whole, one):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/ld+json"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert published.release_id in answer.text
        assert hidden.release_id not in answer.text
    assert [node["@id"] for node in datasets(one.json())] == [f"{api.address}/v1/releases/{published.release_id}"]


def test_a_tenant_without_public_releases_is_like_one_that_is_not_there(api):
    api.publish(tenant="closed")
    with api.client(None) as nobody:
        closed, unknown = nobody.get("/v1/catalog/closed"), nobody.get("/v1/catalog/nobody")
    assert closed.status_code == unknown.status_code == 404
    assert closed.content == unknown.content


def test_every_page_leads_to_the_next_until_all_were_shown(api):
    made = [api.publish(tenant="paged") for _ in range(5)]
    for each in made:
        api.open_to_all(each, "paged")
    seen, place = [], f"{api.address}/v1/catalog/paged?limit=2"
    with api.client(None) as nobody:
        while place:
            page = nobody.get(place).json()
            [view] = [node for node in page["@graph"] if "hydra:PartialCollectionView" in node["@type"]]
            assert view["hydra:totalItems"]["@value"] == "5"
            seen += [node["@id"].rpartition("/")[2] for node in datasets(page)]
            place = view.get("hydra:next", {}).get("@id")
    assert seen == [each.release_id for each in reversed(made)]


def test_what_is_withdrawn_or_closed_again_is_gone_from_the_catalog(api):
    first, second = api.publish(tenant="leaving"), api.publish(tenant="leaving")
    for each in (first, second):
        api.open_to_all(each, "leaving")
    with api.client("steward", "leaving") as steward, api.client(None) as nobody:
        steward.post(f"/v1/releases/{first.release_id}/withdraw", json={"reason": "a mistake"})
        page = nobody.get("/v1/catalog/leaving")
        assert first.release_id not in page.text
        assert second.release_id in page.text
        assert nobody.get(f"/v1/releases/{first.release_id}/metadata").status_code == 410
        steward.post(f"/v1/releases/{second.release_id}/audience", json={"audience": "tenant"})
        assert nobody.get("/v1/catalog/leaving").status_code == 404
        assert nobody.get(f"/v1/releases/{second.release_id}/metadata").status_code == 404


def test_a_page_that_did_not_change_is_not_sent_again(api, published):
    with api.client(None) as nobody:
        first = nobody.get("/v1/catalog/open%20data")
        again = nobody.get("/v1/catalog/open%20data", headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        with api.client("steward", "open data") as steward:
            steward.put(f"/v1/releases/{published.release_id}/about", json=ABOUT | {"title": "Newer"})
        newer = nobody.get("/v1/catalog/open%20data", headers={"If-None-Match": first.headers["ETag"]})
    assert newer.status_code == 200
    assert "Newer" in newer.text


@pytest.mark.parametrize("path", ["/v1/catalog", "/v1/catalog/open%20data", "release", "metadata"])
def test_turtle_is_given_to_a_client_that_asks_for_it(api, published, path):
    release = f"/v1/releases/{published.release_id}"
    place = {"release": release, "metadata": f"{release}/metadata"}.get(path, path)
    with api.client(None) as nobody:
        answer = nobody.get(place, headers={"Accept": "text/html;q=0.5, text/turtle"})
    assert answer.headers["content-type"].startswith("text/turtle")
    assert answer.text.startswith("@prefix adms:")
    assert answer.headers["Vary"] == "Accept"


def test_a_media_type_that_there_is_not_is_a_406(api, published):
    with api.client(None) as nobody:
        for path in ("/v1/catalog", f"/v1/releases/{published.release_id}/metadata?profile=datacite"):
            assert nobody.get(path, headers={"Accept": "image/png"}).status_code == 406


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_every_profile_says_the_promise_the_license_and_the_files(api, published, profile):
    path = f"/v1/releases/{published.release_id}/metadata"
    with api.client(None) as nobody:
        answer = nobody.get(path, params={"profile": profile})
        assert nobody.get(path, params={"profile": "nonsense"}).status_code == 422
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == PROFILES[profile]
    said = answer.text if profile == "oai_dc" else json.dumps(answer.json(), ensure_ascii=False)
    said = said.replace("&amp;", "&")
    assert "Guarantee k anonymity (k = 3), verified on the released files" in said
    assert "creativecommons.org/licenses/by/4.0/" in said
    assert f"{api.address}/v1/releases/{published.release_id}/data?format=csv&part=table" in said
    assert "Hospital of Nowhere" in said
    if profile not in ("oai_dc", "datacite"):
        assert hashlib.sha256(published.content).hexdigest() in said


def test_metadata_of_a_release_that_is_not_public_is_for_its_tenant(api):
    path = f"/v1/releases/{api.publish(tenant='open data').release_id}/metadata"
    with api.client(None) as nobody, api.client("consumer", "open data") as consumer:
        assert nobody.get(path).status_code == 404
        own = consumer.get(path)
    assert own.status_code == 200
    assert "Access-Control-Allow-Origin" not in own.headers


def test_without_a_token_public_releases_are_listed_and_no_others(api, published):
    hidden = api.publish(tenant="open data")
    with api.client(None) as nobody:
        found, cursor = [], None
        while True:
            page = nobody.get("/v1/releases", params={"limit": 200} | ({"cursor": cursor} if cursor else {})).json()
            found += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                break
    ids = [item["id"] for item in found]
    assert published.release_id in ids
    assert hidden.release_id not in ids
    assert {item["audience"] for item in found} == {"public"}
    assert all(item["withdrawn_at"] is None for item in found)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"q": "HOSPITAL patients"}, 1),
        ({"q": "pacientes"}, 1),
        ({"q": "zip code"}, 1),
        ({"q": "health"}, 1),
        ({"q": "hospital elephants"}, 0),
        ({"q": "%"}, 0),
        ({"q": "_"}, 0),
        ({"kind": "table"}, 1),
        ({"kind": "graph"}, 0),
        ({"guarantee": "k_anonymity"}, 1),
        ({"guarantee": "l_diversity"}, 0),
        ({"license": "CC-BY-4.0"}, 1),
        ({"license": "CC0-1.0"}, 0),
        ({"since": "2020-01-01"}, 1),
        ({"since": "2999-01-01T00:00:00Z"}, 0),
    ],
)
def test_releases_are_found_by_what_is_said_of_them(api, query, count):
    if not getattr(api, "searched", None):
        api.searched = api.publish(tenant="searched", name="Pacientes")
        api.open_to_all(api.searched, "searched")
    with api.client("consumer", "searched") as consumer:
        answer = consumer.get("/v1/releases", params=query)
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["items"]) == count


@pytest.mark.parametrize("query", ["kind=text", "guarantee=k_anonimity", "since=yesterday", "license=a%20b", "q="])
def test_a_filter_that_cannot_match_anything_is_a_422(api, query):
    with api.client(None) as nobody:
        answer = nobody.get(f"/v1/releases?{query}")
    assert answer.status_code == 422
    if "anonimity" in query:
        assert "did you mean k_anonymity?" in answer.text


def test_a_release_leads_programs_to_its_files_and_metadata(api, published):
    path = f"/v1/releases/{published.release_id}"
    with api.client(None) as nobody:
        links = nobody.head(path).headers["Link"]
        assert f'<{api.address}/releases/{published.release_id}>; rel="cite-as"' in links
        assert f'<{api.address}{path}/data?format=csv&part=table>; rel="item"; type="text/csv"' in links
        for profile in PROFILES:
            assert f'<{api.address}{path}/metadata?profile={profile}>; rel="describedby"' in links
        assert 'rel="collection"; type="text/html"' in nobody.head(f"{path}/data").headers["Link"]
        assert 'rel="describes"' in nobody.head(f"{path}/metadata").headers["Link"]


def test_pages_of_other_sites_read_what_is_public_and_nothing_else(api, published):
    public, hidden = published.release_id, api.publish(tenant="open data").release_id
    with api.client(None) as nobody, api.client("steward", "open data") as steward:
        for place in ("", "/data", "/report", "/report.html", "/metadata"):
            assert nobody.get(f"/v1/releases/{public}{place}").headers["Access-Control-Allow-Origin"] == "*"
            assert "Access-Control-Allow-Origin" not in nobody.get(f"/v1/releases/{hidden}{place}").headers
            assert "Access-Control-Allow-Origin" not in steward.get(f"/v1/releases/{public}{place}").headers
        assert "Access-Control-Allow-Origin" not in nobody.get("/healthz").headers
        assert "Access-Control-Allow-Origin" not in steward.get("/v1/datasets").headers


def test_head_is_answered_wherever_get_is(api, published):
    with api.client("admin") as admin:
        document = admin.get("/openapi.json").json()
        for path, methods in document["paths"].items():
            if "get" in methods and "{" not in path:
                told, whole = admin.head(path), admin.get(path)
                assert (told.status_code, told.content) == (whole.status_code, b""), path
                assert told.headers["content-type"] == whole.headers["content-type"]
        assert all("head" not in methods for methods in document["paths"].values())
        assert admin.head("/v1/audit-events?format=jsonl").status_code == 200


def test_a_file_is_chosen_by_its_media_type_and_named_after_the_dataset(api, published):
    path = f"/v1/releases/{published.release_id}/data"
    with api.client(None) as nobody:
        answer = nobody.get(path, headers={"Accept": "text/csv"})
        assert answer.headers["Content-Disposition"] == 'attachment; filename="pacientes-de-aqui-table.csv"'
        assert nobody.get(path, headers={"Accept": "application/vnd.apache.parquet"}).status_code == 406
        assert nobody.get(f"{path}?format=csv", headers={"Accept": "image/png"}).status_code == 200


def test_links_begin_with_the_public_address(make_api):
    api = make_api(public_url="https://data.example.org/antifaz/")
    made = api.publish(tenant="addressed")
    api.open_to_all(made, "addressed")
    with api.client(None) as nobody:
        release = nobody.get(f"/v1/releases/{made.release_id}", headers={"Host": "evil.example"})
    start = "https://data.example.org/antifaz/v1/releases/"
    assert release.json()["artifacts"][0]["href"].startswith(start)
    assert "evil.example" not in release.text + release.headers["Link"]


@pytest.mark.parametrize("host", ["evil.example/x", 'a">', "a b", "user@host"])
def test_a_host_that_is_none_gets_into_no_link(api, published, host):
    with api.client(None) as nobody:
        answer = nobody.get(f"/v1/releases/{published.release_id}", headers={"Host": host})
    assert answer.status_code in (400, 422)
    assert "evil" not in answer.text


def test_the_page_of_a_public_release_carries_links_and_structured_data(api, published):
    with api.client(None) as nobody:
        page = nobody.get(f"/releases/{published.release_id}")
        assert nobody.get("/releases").status_code == 200
    assert page.status_code == 200
    assert 'rel="cite-as"' in page.headers["Link"]
    [data] = re.findall(r'<script type="application/ld[+]json">(.*?)</script>', page.text, re.DOTALL)
    assert json.loads(data)["url"] == f"{api.address}/releases/{published.release_id}"
