"""Helpers for tests of pages: a page of a report, and a check that its tags are closed."""

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from service.report.page import Account, render

VOID = ("meta", "link", "input", "br", "hr", "img")


class Balanced(HTMLParser):
    """Fails on a tag that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        """A shape, which closes itself."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def require_balanced(page: str) -> None:
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []


def page_of(report: Mapping[str, Any], status: str = "released", **more: Any) -> str:
    return render(Account(status, more.pop("name", "patients"), "2026-03-04T05:06:07.000Z", report, **more))
