"""A story in which every operation of the client is called, by a blocking or an awaiting client."""

import inspect
from pathlib import Path
from typing import Any

from antifaz_client import AsyncClient, Client, Comparison, Dataset, Job, Release
from antifaz_client.transport.flow import operation

from tests.service.samples import ABOUT
from tests.system.conftest import Stack
from tests.system.samples import friends, graph_policy, patients, table_policy

DECLARED = {"columns": {"age": {"type": "integer", "bounds": [0, 120]}}, "budget": {"epsilon": 3}}
POLICY = table_policy(3, None)


def operations_of(kind: type) -> set[tuple[str, str]]:
    """The operations that objects of a class offer."""
    found = [name for name in dir(kind) if isinstance(inspect.getattr_static(kind, name), operation)]
    return {(kind.__name__, name) for name in found if not name.startswith("_")}


EVERYTHING = set().union(*(operations_of(kind) for kind in (Client, Dataset, Job, Release, Comparison)))
"""All of them: one that the story does not call fails the test."""


class Story:
    """Calls operations by their names, and remembers which."""

    def __init__(self, stack: Stack, awaited: bool, elsewhere: str, folder: Path) -> None:
        self.stack, self.elsewhere, self.folder = stack, elsewhere, folder
        self._kind = AsyncClient if awaited else Client
        self.called: set[tuple[str, str]] = set()

    def client(self, role: str) -> Any:
        return self._kind(self.stack.address, self.stack.token(role))

    async def call(self, owner: Any, name: str, *words: Any, **options: Any) -> Any:
        self.called.add((type(owner).__name__.removeprefix("Async"), name))
        found = getattr(owner, name)(*words, **options)
        return await found if inspect.isawaitable(found) else found

    async def tell(self) -> None:
        """Everything, once."""
        steward, admin, analyst = (self.client(role) for role in ("steward", "admin", "analyst"))
        dataset = await self._data(steward, analyst)
        release = await self._releases(steward, dataset)
        await self._outbound(admin, steward, release)
        await self._tokens(admin)
        await self.call(release, "withdraw", "a test")
        await self.call(dataset, "delete")
        for client in (steward, admin, analyst):
            closing = client.close()
            if inspect.isawaitable(closing):
                await closing

    async def _data(self, steward: Any, analyst: Any) -> Any:
        caller = await self.call(analyst, "me")
        await self.call(steward, "version")
        assert (await self.call(steward, "signing_keys"))["keys"]
        for kind in ("methods", "guarantees", "measures", "attacks"):
            assert await self.call(steward, "catalogue", kind)
        dataset = await self.call(steward, "upload", patients(40), "patients", progress=False)
        assert (await self.call(steward, "validate", POLICY, dataset))["valid"]
        assert (await self.call(steward, "advice", dataset, progress=False)).policy
        shape = {"kind": "intervals", "width": 10}
        assert await self.call(steward, "preview", dataset, "age", shape)
        await self.call(dataset, "refresh")
        await self.call(steward, "declare", dataset, DECLARED)
        await self.call(steward, "declarations", dataset)
        await self.call(dataset, "budget")
        await self.call(steward, "grant", dataset, caller["token_id"], epsilon=1)
        assert await self.call(analyst, "grants")
        await self.call(analyst, "accuracy", dataset.id, "count", epsilon=0.1)
        assert (await self.call(analyst, "question", dataset.id, "count", epsilon=0.1)).rows
        assert len(await self.call(analyst, "ask", dataset.id, "count", epsilon=0.1)) == 1
        return dataset

    async def _releases(self, steward: Any, asked: Any) -> Any:
        release = await self.call(steward, "publish", patients(40, seed=2), POLICY, "table", progress=False)
        dataset = (await self.call(release, "report"))["dataset"]["id"]
        known = await self.call(steward, "dataset", dataset)
        trial = await self.call(steward, "trial", known, POLICY, progress=False)
        await self.call(trial, "report")
        job = await self.call(steward, "submit", known, POLICY | {"formats": ["jsonl"]})
        await self.call(job, "wait", progress=False)
        await self.call(job, "refresh")
        await self.call(job, "cancel")
        comparison = await self.call(steward, "compare", known, {"a": POLICY | {"formats": ["csv"]}}, progress=False)
        for name in ("plot", "to_csv", "wait"):
            await self.call(comparison, name)
        again = await self.call(steward, "comparison", comparison.id)
        await self.call(again, "release", "a", progress=False)
        for name in ("datasets", "jobs", "releases", "reports"):
            assert await self.call(steward, name, limit=2)
        await self.call(steward, "job", job.id)
        graph = await self.call(steward, "publish", friends(), graph_policy(3), "graph", progress=False)
        await self.call(graph, "to_networkx")
        await self._reads(release)
        return await self.call(steward, "release", release.id)

    async def _reads(self, release: Any) -> None:
        for name in ("report_page", "download", "to_pandas", "to_polars", "to_arrow"):
            assert await self.call(release, name) is not None
        assert (await self.call(release, "verify")).holds
        await self.call(release, "save", self.folder)
        await self.call(release, "save_bundle", self.folder / "bundle.zip")

    async def _outbound(self, admin: Any, steward: Any, release: Any) -> None:
        hook = await self.call(admin, "create_webhook", self.elsewhere, ["job.failed"])
        assert hook["url"].rstrip("/") == self.elsewhere
        for name in ("test_webhook", "rotate_webhook", "delete_webhook"):
            assert name == "delete_webhook" or await self.call(admin, name, hook["id"])
        await self.call(admin, "delete_webhook", hook["id"])
        assert isinstance(await self.call(admin, "webhooks"), list)
        used, spare = [
            await self.call(admin, "create_portal", "ckan", name, self.elsewhere, "key-of-a-portal")
            for name in ("used", "spare")
        ]
        with self.stack.client() as plain:
            assert plain.put(f"/v1/releases/{release.id}/about", json=ABOUT).status_code == 200
        await self.call(release, "set_audience", "public")
        assert await self.call(steward, "publish_on", release.id, used["id"])
        assert await self.call(steward, "publications", release.id)
        await self.call(admin, "delete_portal", spare["id"])
        assert await self.call(admin, "portals")

    async def _tokens(self, admin: Any) -> None:
        made = await self.call(admin, "create_token", "brief", "consumer", 1)
        await self.call(admin, "revoke_token", made["id"])
        assert await self.call(admin, "tokens")
