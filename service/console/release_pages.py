"""Pages for users of releases, and the page on which a steward manages one."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Query, Request
from starlette.responses import Response

from metadata.profiles import PROFILES
from service.console.pages import needs, page_router, show
from service.console.snippets import same_as
from service.console.visit import visit_of
from service.http.parameters import ItemId
from service.releases.descriptions import signposts_of

router = page_router()

MOST_LISTED = 1000
_PER_PAGE = 24

Text = Annotated[str, Query(max_length=200)]
License = Annotated[str, Query(alias="license", max_length=64)]
PageNumber = Annotated[str, Query(max_length=6)]

needs("page_releases", "list_releases")
needs("page_manage_release", "set_release_audience")


@router.get("/releases", operation_id="page_releases")
async def list_releases(
    request: Request, q: Text = "", kind: Text = "", guarantee: Text = "", terms: License = "", page: PageNumber = "1"
) -> Response:
    visit = visit_of(request)
    listed, more = await visit.get_all("/v1/releases", MOST_LISTED)
    chosen = {"q": q, "kind": kind, "guarantee": guarantee, "license": terms}
    found = [release for release in listed if _matches(release, chosen)]
    at = max(1, int(page)) if page.isdecimal() else 1
    pages = max(1, -(-len(found) // _PER_PAGE))
    return show(
        request,
        "releases.html",
        releases=found[(at - 1) * _PER_PAGE : at * _PER_PAGE],
        count=len(found),
        more=more,
        chosen=chosen,
        page=at,
        pages=pages,
        query=urlencode({name: value for name, value in chosen.items() if value}),
        models=sorted({each["model"] for release in listed for each in release["guarantees"]}),
        licenses=sorted({_license(release) for release in listed} - {""}),
        same=same_as(request, ("GET", "/v1/releases")),
    )


def _license(release: Mapping[str, Any]) -> str:
    return str((release.get("about") or {}).get("license") or "")


def _matches(release: Mapping[str, Any], chosen: Mapping[str, str]) -> bool:
    about = release.get("about") or {}
    text = " ".join([release["name"], about.get("title") or "", about.get("description") or ""]).casefold()
    return (
        all(word in text for word in chosen["q"].casefold().split())
        and chosen["kind"] in ("", release["kind"])
        and (not chosen["guarantee"] or any(each["model"] == chosen["guarantee"] for each in release["guarantees"]))
        and chosen["license"] in ("", _license(release))
    )


@router.get("/releases/{id}", operation_id="page_release")
async def release(request: Request, item_id: ItemId) -> Response:
    visit, path = visit_of(request), f"/v1/releases/{quote(item_id, safe='')}"
    found = await visit.get(path)
    report = await visit.try_get(f"{path}/report") or {}
    signposts = await signposts_of(request, item_id) if found["audience"] == "public" else None
    page = show(
        request,
        "release.html",
        release=found,
        structured=signposts and signposts.data,
        report=report,
        title=_title(found),
        same=_downloading(request, found),
        policy=report.get("policy"),
        citation=_citation(request, found),
        metadata=_metadata(found),
    )
    if signposts is not None:
        page.headers["Link"] = signposts.links
    return page


def _title(release: Mapping[str, Any]) -> str:
    return str((release.get("about") or {}).get("title") or release["name"])


def _downloading(request: Request, release: Mapping[str, Any]) -> list[dict[str, str]]:
    base, path = str(request.base_url).rstrip("/"), f"/v1/releases/{release['id']}/data"
    files = release["artifacts"]
    names = {file["format"]: f"?format={file['format']}&part={file['part']}" for file in reversed(files)}
    code = same_as(request, ("GET", f"/v1/releases/{release['id']}"))
    reader = next((name for name in ("parquet", "csv", "edgelist", "graphml") if name in names), None)
    if reader is None:
        return code
    lines = {
        "parquet": ("pandas", 'pandas.read_parquet("{u}")', 'arrow::read_parquet("{u}")'),
        "csv": ("pandas", 'pandas.read_csv("{u}")', 'read.csv("{u}")'),
        "edgelist": ("pandas", 'pandas.read_csv("{u}")', 'read.csv("{u}")'),
        "graphml": ("networkx", 'networkx.read_graphml("{u}")', 'igraph::read_graph("{u}", format = "graphml")'),
    }
    library, python, r = lines[reader]
    saved = f"release.{reader}"
    fetch = f"curl -H \"Authorization: Bearer $ANTIFAZ_TOKEN\" -o {saved} '{base}{path}{names[reader]}'"
    sums = next(file["sha256"] for file in files if file["format"] == reader)
    code[0]["code"] += f"\n\n{fetch}\necho '{sums}  {saved}' | sha256sum --check"
    code[1]["code"] = f"import {library}\n\nreleased = {python.format(u=saved)}"
    return [*code, {"language": "R", "code": f"released <- {r.format(u=saved)}"}]


def _citation(request: Request, release: Mapping[str, Any]) -> str:
    about = release.get("about") or {}
    who = (about.get("publisher") or {}).get("name") or "Antifaz"
    address = f"https://doi.org/{about['doi']}" if about.get("doi") else str(request.url.replace(query=""))
    main = release["artifacts"][0]["sha256"][:16] if release["artifacts"] else ""
    year = release["created_at"][:4]
    return f"{who} ({year}). {_title(release)} [Data set, protected release, SHA-256 {main}…]. {address}"


def _metadata(release: Mapping[str, Any]) -> list[dict[str, str]]:
    """The descriptions of a release for programs."""
    base = f"/v1/releases/{release['id']}"
    own = [{"label": "Release (JSON)", "target": base}, {"label": "Report (JSON)", "target": f"{base}/report"}]
    return own + [{"label": profile, "target": f"{base}/metadata?profile={profile}"} for profile in PROFILES]


@router.get("/releases/{id}/manage", operation_id="page_manage_release")
async def manage(request: Request, item_id: ItemId) -> Response:
    visit, path = visit_of(request), f"/v1/releases/{quote(item_id, safe='')}"
    found, card, listed = await asyncio.gather(
        visit.get(path), visit.try_get(f"{path}/about"), visit.try_get(f"{path}/publications")
    )
    return show(
        request,
        "manage.html",
        release=found,
        title=_title(found),
        card=card,
        publications=Counter(each["state"] for each in (listed or {"items": []})["items"]),
        same=same_as(
            request,
            ("PUT", f"/v1/releases/{found['id']}/about", {"title": _title(found), "license": "CC-BY-4.0"}),
            ("POST", f"/v1/releases/{found['id']}/audience", {"audience": "public"}),
            ("POST", f"/v1/releases/{found['id']}/withdraw", {"reason": "…"}),
        ),
    )
