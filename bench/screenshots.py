"""Screenshots: pictures of every page of a running service, for review.

python -m bench.screenshots FOLDER

starts a service and fills it with one resource of each kind (`bench.gallery`). With ANTIFAZ_URL and ANTIFAZ_TOKEN it
visits a running service; the token should be an administrator's, who may see every page. There is one picture for each
kind of resource (a job of each outcome with its report, a release of each kind), at the width of a desktop and of a
phone, light and dark; and the lists of an empty organization.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import httpx
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from bench.gallery import Gallery
from bench.stack import ADMIN, UNLIMITED, running_stack

ALWAYS = (
    ("landing", "/"),
    ("releases", "/releases"),
    ("new", "/new"),
    ("datasets", "/datasets"),
    ("jobs", "/jobs"),
    ("audit", "/audit"),
    ("audit-charts", "/audit/charts"),
    ("audit-chain", "/audit/chain"),
    ("audit-budgets", "/audit/budgets"),
    ("audit-without-reports", "/audit?min_k=999"),
    ("tokens", "/tokens"),
    ("portals", "/portals"),
    ("webhooks", "/webhooks"),
    ("ask", "/ask"),
    ("docs", "/docs"),
    ("docs-guide", "/docs/guides/tables"),
    ("docs-reference", "/docs/reference/cli"),
    ("docs-operations", "/docs/api/jobs"),
    ("docs-schema", "/docs/schemas/JobRequest"),
    ("problem", "/releases/none"),
)
EMPTY = (
    "/releases",
    "/datasets",
    "/jobs",
    "/audit",
    "/audit/charts",
    "/audit/budgets",
    "/portals",
    "/webhooks",
    "/ask",
)
"""Pages of lists, shown for an empty organization."""
WIDTHS = {"desk": 1280, "phone": 320}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def chromium_path() -> str | None:
    """The system's Chromium."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    sandbox = [] if os.geteuid() else ["--no-sandbox"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=sandbox)
        try:
            yield browser
        finally:
            browser.close()


def sign_in(context: BrowserContext, address: str, token: str) -> None:
    """Sign in through the page."""
    page = context.new_page()
    page.goto(f"{address}/sign-in")
    page.fill("#token", token)
    page.click("main button")
    page.wait_for_load_state()
    if "/sign-in" in page.url:
        raise RuntimeError("the service does not know the token")
    page.close()


def pages_of(address: str, token: str) -> list[tuple[str, str]]:
    """A name and a path for each kind of page that has content."""
    found = list(ALWAYS)
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
        releases = client.get("/v1/releases", params={"limit": 200}).json()["items"]
        jobs = client.get("/v1/jobs", params={"limit": 200}).json()["items"]
        datasets = client.get("/v1/datasets", params={"limit": 200}).json()["items"]
        webhooks = client.get("/v1/webhooks").json()["items"]
        grants = client.get("/v1/grants").json()["items"]
    for release in {each["kind"]: each for each in releases if not each["withdrawn_at"]}.values():
        path = f"/releases/{release['id']}"
        found += [(f"release-{release['kind']}", path), (f"manage-{release['kind']}", f"{path}/manage")]
        found.append((f"publications-{release['kind']}", f"{path}/publications"))
    for release in {_promise(each): each for each in releases}.values():
        found.append((f"report-{release['kind']}-{_promise(release)}", f"/v1/releases/{release['id']}/report.html"))
    for release in [each for each in releases if each["withdrawn_at"]][:1]:
        path = f"/releases/{release['id']}"
        found += [("release-withdrawn", path), ("manage-withdrawn", f"{path}/manage")]
    for job in {(each["status"], each["comparison"], each["trial"]): each for each in jobs}.values():
        what = "comparison" if job["comparison"] else "trial" if job["trial"] else "job"
        found.append((f"{what}-{job['status']}", f"/jobs/{job['id']}"))
        report = f"/v1/comparisons/{job['id']}" if job["comparison"] else f"/v1/jobs/{job['id']}"
        if job["status"] in ("assessed", "refused", "failed"):
            found.append((f"report-{what}-{job['status']}", f"{report}/report.html"))
    for dataset in {each["kind"]: each for each in datasets}.values():
        path = f"/datasets/{dataset['id']}"
        found += [(f"dataset-{dataset['kind']}", path), (f"trials-{dataset['kind']}", f"{path}/trials")]
        found.append((f"prepare-{dataset['kind']}", f"/new?dataset={dataset['id']}"))
    found += [(f"webhook-{place}", f"/webhooks/{each['id']}") for place, each in enumerate(webhooks[:2])]
    for grant in grants[:1]:
        about = grant["dataset_id"]
        found += [("ask-dataset", f"/ask/{about}"), ("questions", f"/datasets/{about}/questions")]
    return found


def _promise(release: dict[str, Any]) -> str:
    """The first guarantee of a release."""
    return next((str(each["model"]) for each in release["guarantees"]), "nothing")


def take(address: str, token: str, folder: Path, only: str = "", empty: str = "") -> int:
    """Take all pictures, or those whose names start with ``only``; ``empty`` is the token of an empty tenant."""
    folder.mkdir(parents=True, exist_ok=True)
    nothing = [(f"empty{path.replace('/', '-')}", path) for path in EMPTY] if empty else []
    groups = [("", [("sign-in", "/sign-in")]), (token, pages_of(address, token)), (empty, nothing)]
    count = 0
    with chromium() as browser:
        for whose, pages in groups:
            chosen = [each for each in pages if each[0].startswith(only)]
            context = browser.new_context()
            if whose and chosen:
                sign_in(context, address, whose)
            page = context.new_page()
            for name, path in chosen:
                count += _picture(page, address + path, folder, name)
            context.close()
    return count


def _picture(page: Page, address: str, folder: Path, name: str) -> int:
    """One page at every width, light and dark; it is loaded once."""
    page.goto(address, wait_until="load")
    if "/new?" in address:
        page.wait_for_selector("#valid")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for size, width in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=folder / f"{name}.{size}.{scheme}.png", full_page=True)
    return len(SCHEMES) * len(WIDTHS)


def main(arguments: list[str] | None = None) -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(prog="python -m bench.screenshots")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only pages whose names have this prefix")
    chosen = parser.parse_args(arguments)
    if chromium_path() is None:
        print("Chromium is not installed", file=sys.stderr)
        return 2
    address, token = os.environ.get("ANTIFAZ_URL", "").rstrip("/"), os.environ.get("ANTIFAZ_TOKEN", "")
    count = take(address, token, chosen.folder, chosen.only) if address else _take_all(chosen.folder, chosen.only)
    print(f"{count} pictures in {chosen.folder}")
    return 0


def _take_all(folder: Path, only: str) -> int:
    """Take pictures of a new service with one resource of each kind; the last one is a job without a worker."""
    with running_stack() as stack:
        for name in ("api", "worker", "sweeper", "courier"):
            stack.start(name, **UNLIMITED, ANTIFAZ_OUTBOUND_NETWORKS="127.0.0.0/8")
        address = f"http://127.0.0.1:{stack.port}"
        gallery = Gallery(address, ADMIN)
        gallery.fill()
        gallery.send_out()
        count = take(address, ADMIN, folder, only, gallery.empty_tenant())
        stack.stop("worker")
        gallery.wait_in_line()
        return count + take(address, ADMIN, folder, "job-queued")


if __name__ == "__main__":
    sys.exit(main())
