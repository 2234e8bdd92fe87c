"""A little Dataverse and a little InvenioRDM: the calls that the courier uses, with the behavior that is documented.

Neither can be run here. They store what they receive, in versions and drafts, and refuse what the real ones refuse.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.courier.receivers import Heard, Receiver, receiving

KEY = "a-key"
PERSISTENT = "doi:10.5072/FK2/AB"
Answer = tuple[int, Any]
NOTHING: Answer = (404, {"status": "ERROR", "message": "not found"})


@dataclass
class LittleDataverse:
    """One dataset with its versions, of which the last may be a draft."""

    receiver: Receiver
    versions: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    locks: list[dict[str, str]] = field(default_factory=list)
    slow: bool = False
    """Whether publication continues after the answer."""

    @property
    def states(self) -> list[str]:
        return [version["state"] for version in self.versions]

    def answer(self, heard: Heard) -> tuple[int, bytes]:
        status, document = self._answer(heard)
        return status, json.dumps(document).encode()

    def _answer(self, heard: Heard) -> Answer:
        url = urlsplit(heard.path)
        asked, path = parse_qs(url.query), url.path.removeprefix("/api/")
        if heard.headers.get("x-dataverse-key") != KEY:
            return 401, {"status": "ERROR", "message": f"bad key {heard.headers.get('x-dataverse-key')}"}
        if (heard.method, path) == ("GET", "search"):
            return 200, {"data": {"items": self._found(asked["q"][0])}}
        if (heard.method, path) == ("POST", "dataverses/hospital/datasets"):
            self.versions.append({"state": "DRAFT", "content": heard.document["datasetVersion"]})
            return 201, {"data": {"persistentId": PERSISTENT}}
        if not self.versions or asked.get("persistentId") != [PERSISTENT]:
            return NOTHING
        return self._of_dataset(heard, path.removeprefix("datasets/:persistentId"))

    def _found(self, words: str) -> list[dict[str, str]]:
        name = re.fullmatch(r'otherIdValue:"(.+)"', words)
        assert name is not None
        return [{"global_id": PERSISTENT}] if name[1] in json.dumps(self.versions) else []

    def _of_dataset(self, heard: Heard, path: str) -> Answer:
        latest = self.versions[-1]
        match heard.method, path:
            case "GET", "":
                listed = [{"label": name, "dataFile": {"filesize": len(body)}} for name, body in self.files.items()]
                # A deaccessioned version is not shown as the latest.
                shown = {} if latest["state"] == "DEACCESSIONED" else {"versionState": latest["state"], "files": listed}
                return 200, {"data": {"latestVersion": shown} if shown else {}}
            case "GET", "/locks":
                return 200, {"data": self.locks}
            case "PUT", "/versions/:draft":
                self._draft()["content"] = heard.document
                return 200, {}
            case "POST", "/add":
                name = re.search(rb'filename="([^"]+)"', heard.body)
                assert name is not None
                assert b'{"tabIngest": "false"}' in heard.body
                self.files[name[1].decode()] = heard.body.split(b"\r\n\r\n")[-1].rpartition(b"\r\n--")[0]
                self._draft()
                return 200, {}
            case "POST", "/actions/:publish":
                if self.locks or latest["state"] != "DRAFT":
                    return 403, {"message": "locked, or nothing to publish"}
                latest["state"] = "DRAFT" if self.slow else "RELEASED"
                return (202, {}) if self.slow else (200, {})
            case "POST", "/versions/:latest-published/deaccession":
                assert heard.document["deaccessionReason"]
                published = [version for version in self.versions if version["state"] == "RELEASED"]
                if not published:
                    return NOTHING
                published[-1]["state"] = "DEACCESSIONED"
                return 200, {}
            case "DELETE", "/versions/:draft":
                return (200, self.versions.pop()) if latest["state"] == "DRAFT" else NOTHING
            case "DELETE", "":
                if self.states != ["DRAFT"]:
                    return 403, {"message": "only drafts are deleted"}
                self.versions.clear()
                return 200, {}
        raise AssertionError(f"{heard.method} {path} is not documented")

    def _draft(self) -> dict[str, Any]:
        if self.versions[-1]["state"] != "DRAFT":
            self.versions.append({**self.versions[-1], "state": "DRAFT"})
        return self.versions[-1]


@dataclass
class LittleInvenio:
    """One record: its published version, and the draft next to or before it."""

    receiver: Receiver
    published: dict[str, Any] | None = None
    draft: dict[str, Any] | None = None
    files: dict[str, bytes | None] = field(default_factory=dict)
    """Announced ones are None until their bytes come."""
    committed: set[str] = field(default_factory=set)

    def answer(self, heard: Heard) -> tuple[int, bytes]:
        status, document = self._answer(heard)
        return status, b"" if status == 204 else json.dumps(document).encode()

    def _answer(self, heard: Heard) -> Answer:
        if heard.headers.get("authorization") != f"Bearer {KEY}":
            return 401, {"message": f"bad key {heard.headers.get('authorization')}"}
        path = urlsplit(heard.path).path
        match heard.method, path:
            case "GET", "/api/user/records":
                hits = [{"id": "abcd-1234"}] if self.draft or self.published else []
                return 200, {"hits": {"hits": hits}}
            case "POST", "/api/records":
                self.draft = heard.document
                return 201, {"id": "abcd-1234"}
            case "GET", "/api/records/abcd-1234":
                return (200, self.published) if self.published else NOTHING
            case "POST", "/api/records/abcd-1234/draft":
                self.draft = dict(self.published or {})
                return (201, self.draft) if self.published else NOTHING
        if self.draft is None:
            return NOTHING
        return self._of_draft(heard, path.removeprefix("/api/records/abcd-1234/draft"))

    def _of_draft(self, heard: Heard, path: str) -> Answer:
        name = path.split("/")[2] if path.startswith("/files/") else ""
        match heard.method, path.replace(name, "NAME") if name else path:
            case "GET", "":
                return 200, self.draft
            case "PUT", "":
                self.draft = heard.document
                return 200, {}
            case "DELETE", "":
                self.draft = None
                return 204, None
            case "POST", "/files":
                [announced] = heard.document
                if announced["key"] in self.files:
                    return 400, {"message": "a file with this key exists"}
                self.files[announced["key"]] = None
                return 201, {}
            case "GET", "/files/NAME":
                return (200, {"key": name}) if name in self.files else NOTHING
            case "DELETE", "/files/NAME":
                del self.files[name]
                self.committed.discard(name)
                return 204, None
            case "PUT", "/files/NAME/content":
                if name in self.committed:
                    return 403, {"message": "the file is complete"}
                self.files[name] = heard.body
                return 200, {}
            case "POST", "/files/NAME/commit":
                self.committed.add(name)
                return 200, {}
            case "POST", "/actions/publish":
                self.published, self.draft = self.draft, None
                return 202, {}
        raise AssertionError(f"{heard.method} {path} is not documented")


@contextmanager
def little_dataverse() -> Iterator[LittleDataverse]:
    with receiving() as receiver:
        made = LittleDataverse(receiver)
        receiver.usual = made.answer
        yield made


@contextmanager
def little_invenio() -> Iterator[LittleInvenio]:
    with receiving() as receiver:
        made = LittleInvenio(receiver)
        receiver.usual = made.answer
        yield made
