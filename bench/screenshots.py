"""Screenshots: every page of a running service as pictures, to be looked at.

python -m bench.screenshots FOLDER

starts a service of its own and fills it with one of everything (`bench.gallery`); with ANTIFAZ_URL and ANTIFAZ_TOKEN
it looks at a running one, where the token should be an administrator's, who may see every page. One picture for each
kind of thing that the service holds (a job of each end with its report, a release of each kind), at the width of a
desk and of a telephone, light and dark.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import httpx
from playwright.sync_api import Browser, BrowserContext, sync_playwright

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
    ("tokens", "/tokens"),
    ("ask", "/ask"),
    ("docs", "/docs"),
    ("docs-guide", "/docs/guides/tables"),
    ("docs-reference", "/docs/reference/cli"),
    ("docs-operations", "/docs/api/jobs"),
    ("docs-schema", "/docs/schemas/JobRequest"),
    ("problem", "/releases/none"),
)
WIDTHS = {"desk": 1280, "phone": 400}
SCHEMES = ("light", "dark")


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
    """Begin a session as people do."""
    page = context.new_page()
    page.goto(f"{address}/sign-in")
    page.fill("#token", token)
    page.click("main button")
    page.wait_for_load_state()
    if "/sign-in" in page.url:
        raise RuntimeError("the service does not know the token")
    page.close()


def pages_of(address: str, token: str) -> list[tuple[str, str]]:
    """A name and a path for each kind of page that there is something to show on."""
    found = list(ALWAYS)
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
        releases = client.get("/v1/releases", params={"limit": 200}).json()["items"]
        jobs = client.get("/v1/jobs", params={"limit": 200}).json()["items"]
        datasets = client.get("/v1/datasets", params={"limit": 200}).json()["items"]
    for release in {each["kind"]: each for each in releases}.values():
        path = f"/releases/{release['id']}"
        found += [(f"release-{release['kind']}", path), (f"manage-{release['kind']}", f"{path}/manage")]
        found.append((f"report-{release['kind']}", f"/v1{path}/report.html"))
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
    return found


def take(address: str, token: str, folder: Path, only: str = "") -> int:
    """Make every picture, or those whose names begin so; says how many."""
    folder.mkdir(parents=True, exist_ok=True)
    pages, count = [each for each in pages_of(address, token) if each[0].startswith(only)], 0
    with chromium() as browser:
        for scheme in SCHEMES:
            for size, width in WIDTHS.items():
                viewport = {"width": width, "height": 900}
                context = browser.new_context(color_scheme=scheme, viewport=viewport)
                page = context.new_page()
                page.goto(f"{address}/sign-in")
                page.screenshot(path=folder / f"sign-in.{size}.{scheme}.png", full_page=True)
                sign_in(context, address, token)
                for name, path in pages:
                    page.goto(address + path, wait_until="load")
                    if "/new?" in path:
                        page.wait_for_selector("#valid")
                    page.screenshot(path=folder / f"{name}.{size}.{scheme}.png", full_page=True)
                count += len(pages) + 1
                context.close()
    return count


def main(arguments: list[str] | None = None) -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(prog="python -m bench.screenshots")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="pages whose names begin so")
    chosen = parser.parse_args(arguments)
    if chromium_path() is None:
        print("Chromium is not installed", file=sys.stderr)
        return 2
    address, token = os.environ.get("ANTIFAZ_URL", "").rstrip("/"), os.environ.get("ANTIFAZ_TOKEN", "")
    with nullcontext((address, token)) if address else _filled_stack() as (address, token):
        print(f"{take(address, token, chosen.folder, chosen.only)} pictures in {chosen.folder}")
    return 0


@contextmanager
def _filled_stack() -> Iterator[tuple[str, str]]:
    """The address and an administrator's token of a service that holds one of everything."""
    with running_stack() as stack:
        for name in ("api", "worker", "sweeper"):
            stack.start(name, **UNLIMITED)
        address = f"http://127.0.0.1:{stack.port}"
        Gallery(address, ADMIN).fill()
        yield address, ADMIN


if __name__ == "__main__":
    sys.exit(main())
