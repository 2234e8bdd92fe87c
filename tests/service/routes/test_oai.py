"""OAI-PMH: the protocol's verbs, its errors, and harvests that miss nothing."""

from xml.etree import ElementTree

import pytest

from service.releases import oai as protocol
from tests.service.samples import ABOUT

SPACE = {"o": "http://www.openarchives.org/OAI/2.0/", "dc": "http://purl.org/dc/elements/1.1/"}


@pytest.fixture(scope="module")
def published(api):
    made = api.publish(tenant="archive")
    api.open_to_all(made, "archive")
    return made


def ask(api, **arguments):
    with api.client(None) as nobody:
        answer = nobody.get("/oai", params={name.rstrip("_"): value for name, value in arguments.items()})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/xml")
    return ElementTree.fromstring(answer.content)


def code(root):
    found = root.find("o:error", SPACE)
    return None if found is None else found.get("code")


def texts(root, path):
    return [element.text for element in root.iterfind(f".//{path}", SPACE)]


def identifiers(api, **arguments):
    found, root = [], ask(api, verb="ListIdentifiers", metadataPrefix="oai_dc", **arguments)
    while True:
        found += texts(root, "o:identifier")
        [token] = texts(root, "o:resumptionToken") or [None]
        if not token:
            return found
        root = ask(api, verb="ListIdentifiers", resumptionToken=token)


def test_the_repository_says_what_it_is(api, published):
    root = ask(api, verb="Identify")
    assert texts(root, "o:protocolVersion") == ["2.0"]
    assert texts(root, "o:deletedRecord") == ["persistent"]
    assert texts(root, "o:baseURL") == [f"{api.address}/oai"]
    assert texts(ask(api, verb="ListMetadataFormats"), "o:metadataPrefix") == ["oai_dc"]
    assert "archive" in texts(ask(api, verb="ListSets"), "o:setName")


def test_a_record_holds_the_promise_and_the_files(api, published):
    name = f"oai:127.0.0.1:{published.release_id}"
    root = ask(api, verb="GetRecord", identifier=name, metadataPrefix="oai_dc")
    assert texts(root, "dc:title") == [ABOUT["title"]]
    assert "Guarantee k anonymity (k = 3)" in texts(root, "dc:description")[0]
    assert texts(root, "dc:relation") == [
        f"{api.address}/v1/releases/{published.release_id}/data?format=csv&part=table"
    ]


def test_every_record_is_harvested_once_over_all_pages(api, monkeypatch):
    monkeypatch.setattr(protocol, "PAGE", 2)
    made = [api.publish(tenant="harvested") for _ in range(5)]
    for each in made:
        api.open_to_all(each, "harvested")
    sets = ask(api, verb="ListSets")
    [spec] = [
        one.find("o:setSpec", SPACE).text for one in sets.iterfind(".//o:set", SPACE) if one[1].text == "harvested"
    ]
    assert identifiers(api, set=spec) == [f"oai:127.0.0.1:{each.release_id}" for each in made]


def test_what_was_withdrawn_is_a_deleted_record_that_a_later_harvest_learns_of(api):
    made = api.publish(tenant="withdrawing")
    api.open_to_all(made, "withdrawing")
    name = f"oai:127.0.0.1:{made.release_id}"
    with api.client("steward", "withdrawing") as steward:
        steward.post(f"/v1/releases/{made.release_id}/withdraw", json={"reason": "a mistake"})
    root = ask(api, verb="GetRecord", identifier=name, metadataPrefix="oai_dc")
    assert root.find(".//o:header", SPACE).get("status") == "deleted"
    assert root.find(".//o:metadata", SPACE) is None
    [stamp] = texts(root, "o:datestamp")
    assert name in identifiers(api, from_=stamp)


def test_a_release_that_was_never_public_is_unknown(api):
    hidden = api.publish(tenant="archive")
    root = ask(api, verb="GetRecord", identifier=f"oai:127.0.0.1:{hidden.release_id}", metadataPrefix="oai_dc")
    assert code(root) == "idDoesNotExist"
    assert f"oai:127.0.0.1:{hidden.release_id}" not in identifiers(api)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "badVerb"),
        ({"verb": "Nonsense"}, "badVerb"),
        ({"verb": "Identify", "more": "x"}, "badArgument"),
        ({"verb": "ListRecords"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "marc"}, "cannotDisseminateFormat"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "yesterday"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2024-02-30"}, "badArgument"),
        (
            {"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2024-01-02", "until": "2024-01-01"},
            "badArgument",
        ),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "until": "2001-01-01"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "9999-12-31"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "until": "0001-01-01"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": "x"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "resumptionToken": "x"}, "badResumptionToken"),
        ({"verb": "ListRecords", "resumptionToken": "WzEsMiwzLDQsNV0="}, "badResumptionToken"),
        ({"verb": "ListSets", "resumptionToken": "WzEsMiwzLDQsNV0="}, "badResumptionToken"),
        ({"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:x:y"}, "idDoesNotExist"),
        ({"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "\u0001<&"}, "idDoesNotExist"),
    ],
)
def test_errors_are_answers_of_the_protocol(api, published, arguments, expected):
    with api.client(None) as nobody:
        for answer in (nobody.get("/oai", params=arguments), nobody.post("/oai", data=arguments or {"a": "b"})):
            assert answer.status_code == 200, answer.text
            assert code(ElementTree.fromstring(answer.content)) == expected


def test_a_form_asks_like_a_query_and_nothing_else_is_taken(api, published):
    with api.client(None) as nobody:
        answer = nobody.post("/oai", data={"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"})
        assert published.release_id in answer.text
        assert nobody.post("/oai", json={"verb": "Identify"}).status_code == 415
        assert nobody.post("/oai", data={"verb": "x" * 20_000}).status_code == 413
