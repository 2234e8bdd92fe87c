"""Hostile requests: every route × every place for a text × hostile values gets an answer that is no server error."""

import gzip
import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from service.access.permissions import OPEN, PUBLIC_LISTS, PUBLIC_RELEASES
from service.access.routing import GuardedRoute
from service.app import ROUTERS
from service.documentation.examples import BODIES, FORM
from tests.patience import patience

VALUES = {
    "nul": "%00",
    "nul-inside": "a%00b",
    "line": "a%0d%0aSet-Cookie:%20x=y",
    "delete": "%7f",
    "surrogate": "%ed%a0%80",
    "not-utf-8": "%ff%fe",
    "overlong": "%c0%af",
    "broken-percent": "%",
    "broken-digits": "%zz",
    "long": "x" * 10_000,
    "up": "..%2f..%2f..%2fetc%2fpasswd",
    "up-plain": "../../etc/passwd",
    "backslash": "..%5c..%5cboot.ini",
    "no-character": "%ef%bf%bf",
    "turned": "%e2%80%ae%f0%9f%92%a9",
    "number": "9" * 400,
    "negative": "-1",
    "braces": "%7b%7d$%7bx%7d%27%22--",
}
"""What is put, as it is, into a path or a query."""
SHORT = {kind: VALUES[kind] for kind in ("nul", "surrogate", "broken-percent", "long", "up")}
LEAVES = ["\x00", "a\x00b", "\ud800", "\udfff\ud800", "x" * 10_000, "../../etc/passwd", "%00", "\u202e", "", "9" * 400]
"""What replaces each text of a JSON body."""
NUMBERS = [0, -1, 10**30, -(10**30), 1e308, 5e-324, True, None, [], {}, "1"]
"""What replaces each number of a JSON body."""

ROUTES = [route for module in ROUTERS for route in module.router.routes if isinstance(route, GuardedRoute)]
HEADERS = {
    "Authorization": [b"Bearer \xff\xfe", b"Bearer " + b"x" * 10_000, b"Bearer a.b.c", b"Basic " + b"=" * 100],
    "Idempotency-Key": [b"\xff\xfe", b"", b"x" * 256, b"a\tb"],
    "If-None-Match": [b"\xff\xfe", b",,,,", b'"' * 5_000, b"*", b"W/"],
    "Range": [
        b"bytes=0-0,0-0,",
        b"bytes=9999999999999999999-",
        b"bytes=-0",
        b"bytes=-",
        b"bytes=\xb2-\xb3",
        b"lines=1-2",
    ],
    "If-Range": [b"\xff", b"Mon, 99 Foo 9999"],
    "Accept": [b"\xff\xfe", b"*/*;q=\xb2", b"a/b;q=1e999", b"," * 10_000, b"application/" + b"x" * 10_000],
    "Accept-Language": [b"\xff", b"*;q=nan", b"x" * 10_000],
    "Accept-Encoding": [b"\xff", b"gzip;q=0, *;q=-1"],
    "Content-Type": [
        b"\xff",
        b"application/json; charset=\xff",
        b"multipart/form-data; boundary=",
        b"application/json",
    ],
    "Content-Encoding": [b"gzip", b"br", b"\xff"],
    "Cookie": [
        b"__Host-antifaz=" + b"\xff" * 40,
        b"__Host-antifaz=" + b"x" * 10_000,
        b"=;=;;==",
        b"__Host-antifaz=\x01",
    ],
    "Host": [b"[::::]", b"[1:2]", b"[:::::::::]:99999", b"a:99999", b"\xff", b"a@b", b"..", b"[" + b":" * 45 + b"]"],
    "Last-Event-ID": [b"\xff", b"9" * 5_000, b"-1", b"\xb2"],
    "X-Antifaz-Session": [b"\xff", b"x" * 10_000],
    "Sec-Fetch-Site": [b"\xff", b"same-origin"],
    "Origin": [b"null", b"\xff"],
    "X-Forwarded-For": [b"\xff", b"1.2.3.4," * 1_000],
    "Expect": [b"100-continue", b"\xff"],
    "X-HTTP-Method-Override": [b"DELETE"],
    "Transfer-Encoding": [b"gzip", b"chunked, chunked", b"\xff"],
}
"""What is sent, as it is, in each header that the service or its server reads."""
OAI = ("verb", "identifier", "from", "until", "set", "metadataPrefix", "resumptionToken")
FOR_STRANGERS = OPEN | PUBLIC_LISTS | PUBLIC_RELEASES
SLOW = frozenset({"get_release_report_pdf", "get_job_report_pdf"})
"""Nothing is printed here: these answer 404 for every id, as their neighbors do."""


class Wire:
    """One connection, opened again whenever the server closes it."""

    def __init__(self, api: Any, role: str | None = "admin") -> None:
        self._place = urlsplit(api.address)
        self._headers = {"Authorization": f"Bearer {api.token(role)}".encode()} if role else {}
        self._socket: socket.socket | None = None
        self.content = b""

    def ask(
        self, method: str, target: str, body: bytes | None = None, headers: Mapping[str, bytes] | None = None
    ) -> int:
        """The status of a response; target and headers are sent as they are, which no client library does."""
        sent = {"Host": b"localhost", **self._headers, **(headers or {})}
        if body is not None and "Transfer-Encoding" not in sent:
            sent["Content-Length"] = str(len(body)).encode()
        lines = [f"{method} {target} HTTP/1.1".encode(), *(name.encode() + b": " + sent[name] for name in sent)]
        try:
            if self._socket is None:
                self._socket = socket.create_connection((str(self._place.hostname), self._place.port), patience())
            self._socket.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + (body or b""))
            response = http.client.HTTPResponse(self._socket, method=method)
            response.begin()
            events = response.getheader("content-type", "").startswith("text/event-stream")
            self.content = b"" if events else response.read()
            if events or response.will_close or response.status == 100:
                self._socket.close()
                self._socket = None
            return response.status
        except (http.client.HTTPException, OSError) as error:
            pytest.fail(f"no answer to {method} {target[:80]} {headers}: {error}")


def places_of(route: GuardedRoute) -> list[str]:
    return [parameter.alias for parameter in route.dependant.path_params]


def path_of(route: GuardedRoute, **given: str) -> str:
    path = route.path
    for name in places_of(route):
        path = path.replace(f"{{{name}}}", given.get(name, "2f6c1f0e-5a35-4c38-9c55-6f6f0a3c7a01"))
    return path


def named(route: GuardedRoute) -> str:
    return str(route.operation_id)


def is_answer(status: int) -> bool:
    # 501 is the server's word for a transfer encoding that it does not know.
    return 200 <= status < 500 or status == 501


@pytest.mark.parametrize("values", [SHORT, pytest.param(VALUES, marks=pytest.mark.long)], ids=["some", "all"])
@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_a_hostile_text_in_a_path_or_a_query_is_no_server_error(
    api: Any, route: GuardedRoute, values: dict[str, str]
) -> None:
    failed = []
    for role in ("admin", None) if route.operation_id in FOR_STRANGERS else ("admin",):
        wire, [method, *_] = Wire(api, role), sorted(route.methods)
        asked = [
            (f"{name} {kind}", path_of(route, **{name: value}))
            for (kind, value), name in product(values.items(), places_of(route))
        ]
        for kind, target in [*asked, *(queries(route, values) if method == "GET" else ())]:
            if not is_answer(status := wire.ask(method, target, b"{}" if method in ("POST", "PUT") else None)):
                failed.append((role, kind, status))
    assert failed == []


def queries(route: GuardedRoute, values: dict[str, str]) -> Iterator[tuple[str, str]]:
    path = path_of(route)
    names = OAI if route.operation_id == "oai" else named_in_query(route)
    for (kind, value), name in product(values.items(), names):
        yield f"{name} {kind}", f"{path}?{name}={value}"
    yield "odd names", f"{path}?%00=%ff&a%00b&=&&;"
    yield "many", path + "?" + "&".join(f"a{number}=1" for number in range(200))
    if names:
        yield "repeated", path + "?" + "&".join([f"{names[0]}=1"] * 200)


@pytest.mark.parametrize(
    "path", ["/", "/v1/catalog", "/v1/catalog/default", "/v1/nothing", "/docs/guides", "/static", "/oai"]
)
def test_a_path_that_is_no_text_of_ours_is_not_found(api: Any, path: str) -> None:
    wire = Wire(api, None)
    for kind, value in VALUES.items():
        if kind not in ("up-plain", "negative"):
            assert wire.ask("GET", f"{path.rstrip('/')}/{value}") in (400, 404, 422), kind
    assert wire.ask("GET", "/v1/catalog/default%00") == wire.ask("GET", "/v1/catalog/nobody") == 404


def test_no_path_leads_out_of_the_folders_that_are_served(api: Any) -> None:
    wire = Wire(api, None)
    for folder, way in product(
        ("static", "docs", "docs/guides", "docs/schemas"), ("..", "%2e%2e", "..%2f..", "%252e%252e")
    ):
        for goal in ("pyproject.toml", "etc%2fpasswd", "service%2fapp.py", "promise"):
            assert wire.ask("GET", f"/{folder}/{way}/{goal}") in (303, 404, 422)
            assert b"root:" not in wire.content


@pytest.fixture(scope="module")
def reads(api: Any) -> list[str]:
    """Addresses whose answers depend on headers."""
    published = api.publish()
    api.open_to_all(published)
    path = f"/v1/releases/{published.release_id}"
    shown = [f"{path}/data", f"{path}/bundle.zip", f"{path}/metadata", "/v1/catalog", "/static/forms.js", "/releases"]
    return [
        *shown,
        "/oai?verb=ListRecords&metadataPrefix=oai_dc",
        f"/v1/jobs/{published.job_id}/events",
        "/sign-in?next=/new",
    ]


OFTEN = ("Host", "Range", "Cookie", "Idempotency-Key")
"""Headers that are tried in every run."""


@pytest.mark.parametrize(
    "header", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.long) for name in sorted(HEADERS)]
)
def test_a_hostile_header_is_no_server_error(api: Any, reads: list[str], header: str) -> None:
    wire, failed = Wire(api), []
    said = {"Content-Type": b"application/json"}
    for value in HEADERS[header]:
        asked = [("GET", target, None) for target in reads] + [
            ("POST", target, body) for target, body in WRITES.items()
        ]
        for method, target, body in asked:
            if not is_answer(status := wire.ask(method, target, body, said | {header: value})):
                failed.append((target, value[:30], status))
    assert failed == []


WRITES = {
    "/v1/policies/validate": json.dumps(BODIES["validate_policy"]).encode(),
    "/v1/datasets": b'--edge\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{}\r\n--edge--\r\n',
    "/v1/hierarchies": json.dumps(BODIES["create_hierarchy"]).encode(),
    "/oai": b"verb=Identify",
    "/sign-in": b"token=x",
}


def test_a_body_that_says_it_is_compressed_is_not_unpacked(api: Any) -> None:
    body = gzip.compress(json.dumps(BODIES["create_token"]).encode())
    for coding in (b"gzip", b"identity, gzip", b"deflate"):
        status = Wire(api).ask(
            "POST", "/v1/tokens", body, {"Content-Type": b"application/json", "Content-Encoding": coding}
        )
        assert status == 415


@pytest.mark.parametrize("operation", sorted(BODIES))
def test_a_hostile_text_or_number_anywhere_in_a_body_is_no_server_error(api: Any, operation: str) -> None:
    route = next(route for route in ROUTES if route.operation_id == operation)
    wire, failed = Wire(api), []
    if operation == "oai_form":
        for (kind, value), name in product(VALUES.items(), OAI):
            form = f"verb=GetRecord&metadataPrefix=oai_dc&{name}={value}".encode()
            if not is_answer(
                status := wire.ask("POST", "/oai", form, {"Content-Type": b"application/x-www-form-urlencoded"})
            ):
                failed.append((name, kind, status))
            ElementTree.fromstring(wire.content)
    else:
        # A policy is spoiled in one operation: all of them read it in the same way.
        whole = operation in ("validate_policy", "put_declarations")
        given = (
            BODIES[operation]
            if whole
            else {**BODIES[operation], **({"policy": {}} if "policy" in BODIES[operation] else {})}
        )
        for place, body in spoiled(given):
            said = {"Content-Type": b"application/json"}
            if not is_answer(status := wire.ask(min(route.methods), path_of(route), json.dumps(body).encode(), said)):
                failed.append((place, status))
    assert failed == []


def spoiled(body: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """The body, each time with one text or number replaced, or with one name changed."""
    if isinstance(body, dict | list):
        for key, value in body.items() if isinstance(body, dict) else enumerate(body):
            for where, other in spoiled(value, f"{place}/{key}"):
                yield (
                    where,
                    ({**body, key: other} if isinstance(body, dict) else [*body[:key], other, *body[key + 1 :]]),
                )
            if isinstance(body, dict):
                for leaf in LEAVES:
                    yield f"{place}/{key} name", {**{k: v for k, v in body.items() if k != key}, leaf: value}
        return
    for leaf in LEAVES if isinstance(body, str) else NUMBERS:
        yield f"{place} {str(leaf)[:10]!r}", leaf


@pytest.mark.parametrize("part", ["metadata", pytest.param("policy", marks=pytest.mark.long)])
def test_a_hostile_text_anywhere_in_an_upload_is_no_server_error(api: Any, part: str) -> None:
    failed = []
    for place, body in spoiled(FORM[part]):
        texts = {name: json.dumps(FORM[name]) for name in ("metadata", "policy")} | {part: json.dumps(body)}
        form = [*((name, (None, text)) for name, text in texts.items()), ("file", ("a.csv", b"a,b\n1,2\n"))]
        if (status := api.upload(parts=form).status_code) >= 500:
            failed.append((place, status))
    assert failed == []


@pytest.mark.parametrize(
    "name", ["a\x00b.csv", "\x7f", "../../etc/passwd", "x" * 10_000, "", "\ufffd", "a.csv\r\nX: y"]
)
def test_a_hostile_name_of_a_file_or_a_part_is_no_server_error(api: Any, name: str) -> None:
    assert api.upload(file_name=name).status_code < 500
    form = [
        ("metadata", (None, json.dumps(FORM["metadata"]))),
        (name, (None, "{}")),
        ("file", ("a.csv", b"a,b\n1,2\n")),
    ]
    assert api.upload(parts=form).status_code < 500


def test_a_form_of_the_console_with_many_or_odd_fields_is_no_server_error(api: Any) -> None:
    said = {"Content-Type": b"application/x-www-form-urlencoded", "Sec-Fetch-Site": b"same-origin"}
    forms = [
        b"&".join(b"a%d=1" % number for number in range(200)),
        b"token=%00",
        b"token=" + b"x" * 10_000,
        b"\xff=\xfe",
    ]
    forms += [b"token=x&next=%00//evil.example", b"session=%00", b"&&;;==", b"token=%ed%a0%80", b"token=a%20b%0d%0a"]
    for path, form in product(("/sign-in", "/sign-out", "/sign-in/oidc"), forms):
        assert is_answer(Wire(api, None).ask("POST", path, form, said)), (path, form[:40])
        assert is_answer(Wire(api, None).ask("GET", f"{path}?{form.decode('ascii', 'ignore')}")), (path, form[:40])


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "CONNECT", "PATCH", "PROPFIND", "get", "HEAD", "DELETE"])
def test_every_method_gets_an_answer(api: Any, method: str) -> None:
    for path in (
        "/",
        "/v1/catalog",
        "/v1/releases",
        "/static/forms.js",
        "/oai",
        "/docs",
        "/nothing",
        "*",
        "/v1/catalog/%00",
    ):
        assert is_answer(Wire(api, None).ask(method, path)), path


@pytest.mark.parametrize(
    "cursor", ["A" * 32, "A" + "_" * 31, "A" + "-" * 31, "B" * 32, "A" * 11, "A__________", "%00", "=" * 32]
)
def test_a_forged_cursor_or_limit_is_a_422_or_a_page_and_nothing_else(api: Any, cursor: str) -> None:
    lists = [route for route in ROUTES if route.include_in_schema and "cursor" in named_in_query(route)]
    assert len(lists) > 10
    wire = Wire(api)
    for route in lists:
        assert wire.ask("GET", f"{path_of(route)}?cursor={cursor}") in (200, 404, 422), route.path


@pytest.mark.parametrize("limit", ["0", "-1", "1e9", "201000", "9" * 400, "%c2%b2", "nan", "1%00"])
def test_a_limit_that_is_none_is_a_422(api: Any, limit: str) -> None:
    wire = Wire(api)
    for route in ROUTES:
        if route.include_in_schema and "limit" in named_in_query(route):
            assert wire.ask("GET", f"{path_of(route)}?limit={limit}") in (404, 422), route.path


def named_in_query(route: GuardedRoute) -> list[str]:
    return [each.alias for each in route.dependant.query_params]


@pytest.mark.parametrize(
    "head",
    [
        b"GET /v1/releases HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 70_000 + b"\r\n\r\n",
        b"GET /v1/releases HTTP/1.1\r\nHost: x\r\n" + b"X-Many: x\r\n" * 7_000 + b"\r\n",
        b"GET /v1/releases?q=" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=["long", "many", "target"],
)
def test_a_head_that_is_too_large_is_refused_also_if_it_arrives_at_once(api: Any, head: bytes) -> None:
    place = urlsplit(api.address)
    with socket.create_connection((str(place.hostname), place.port), patience()) as wire:
        wire.sendall(head)
        answer = wire.recv(1 << 16)
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 431 "))
