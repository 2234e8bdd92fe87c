"""A little CKAN: the actions that the courier uses, over HTTP, with the observed behavior of the real one."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tests.courier.receivers import Heard, Receiver, receiving

KEY = "key-of-the-little-portal"


@dataclass
class LittleCkan:
    """Packages by id. A deleted package keeps its resources, and its rows in the DataStore, as in the real one."""

    receiver: Receiver
    packages: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: set[str] = field(default_factory=set)
    """Ids of resources that the DataStore has rows of."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Copies by the id of their resource."""
    fields: dict[str, list[str]] | None = None
    """Fields of the portal's own schema, each with those that it consists of."""
    key: str = KEY

    @property
    def url(self) -> str:
        return self.receiver.url

    @property
    def live(self) -> list[dict[str, Any]]:
        return [package for package in self.packages.values() if package["state"] == "active"]

    def answer(self, heard: Heard) -> tuple[int, bytes]:
        action = heard.path.removeprefix("/api/3/action/")
        if heard.headers.get("authorization") != self.key:
            return self._fault(403, {"message": f"Access denied: {heard.headers.get('authorization')}"})
        status, result = getattr(self, f"_{action}")(self._body(heard))
        return self._fault(status, result) if status >= 400 else (200, json.dumps({"result": result}).encode())

    def _fault(self, status: int, error: Any) -> tuple[int, bytes]:
        return status, json.dumps({"success": False, "error": error}).encode()

    def _body(self, heard: Heard) -> dict[str, Any]:
        kind = heard.headers.get("content-type", "")
        if not kind.startswith("multipart/form-data"):
            return dict(heard.document)
        boundary = kind.partition("boundary=")[2].encode()
        parts: dict[str, Any] = {}
        for part in heard.body.split(b"--" + boundary)[1:-1]:
            head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
            name = re.search(rb'name="([^"]+)"', head)
            assert name is not None
            value = content.removesuffix(b"\r\n")
            parts[name[1].decode()] = value if b"filename=" in head else value.decode()
        return parts

    def _find(self, wanted: str) -> dict[str, Any] | None:
        return next((p for p in self.packages.values() if wanted in (p["id"], p["name"])), None)

    def _scheming_dataset_schema_show(self, body: dict[str, Any]) -> tuple[int, Any]:
        if self.fields is None:
            return 400, "Action name not known"
        shown = []
        for name, parts in self.fields.items():
            within = {"repeating_subfields": [{"field_name": part} for part in parts]} if parts else {}
            shown.append({"field_name": name, **within})
        return 200, {"dataset_fields": shown}

    def _package_show(self, body: dict[str, Any]) -> tuple[int, Any]:
        found = self._find(body["id"])
        return (404, {"__type": "Not Found Error"}) if found is None or found["state"] != "active" else (200, found)

    def _package_create(self, body: dict[str, Any]) -> tuple[int, Any]:
        if self._find(body["name"]) is not None:
            return 409, {"name": ["That URL is already in use."], "__type": "Validation Error"}
        return self._store({**body, "id": str(uuid4())})

    def _package_update(self, body: dict[str, Any]) -> tuple[int, Any]:
        found = self._find(body["id"])
        return (404, {}) if found is None else self._store({**body, "id": found["id"]})

    def _store(self, package: dict[str, Any]) -> tuple[int, Any]:
        extras = [extra["key"] for extra in package.get("extras", [])]
        clashing = [key for key in extras if self.fields is not None and key in self.fields]
        if clashing:
            return 409, {"extras": "There is a schema field with the same name", "__type": "Validation Error"}
        resources = [{"id": str(uuid4()), **resource} for resource in package["resources"]]
        # A loader reads what resources point to, and writes its own digest over theirs.
        for resource in resources:
            resource["hash"] = "d41d8cd98f00b204e9800998ecf8427e"
            self.rows.add(resource["id"])
        self.packages[package["id"]] = {"state": "active", **package, "resources": resources}
        return 200, self.packages[package["id"]]

    def _resource_create(self, body: dict[str, Any]) -> tuple[int, Any]:
        package = self._find(body["package_id"])
        assert package is not None
        resource = {**body, "id": str(uuid4())}
        self.files[resource["id"]] = resource.pop("upload")
        package["resources"].append(resource)
        self.rows.add(resource["id"])
        return 200, resource

    def _resource_delete(self, body: dict[str, Any]) -> tuple[int, Any]:
        for package in self.packages.values():
            package["resources"] = [each for each in package["resources"] if each["id"] != body["id"]]
        self.rows.discard(body["id"])
        return 200, None

    def _package_delete(self, body: dict[str, Any]) -> tuple[int, Any]:
        found = self._find(body["id"])
        if found is None:
            return 404, {}
        found["state"] = "deleted"
        return 200, None


@contextmanager
def little_ckan() -> Iterator[LittleCkan]:
    """One of them, running."""
    with receiving() as receiver:
        made = LittleCkan(receiver)
        receiver.usual = made.answer
        yield made
