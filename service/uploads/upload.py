"""Upload: a form is received as a stream and stored encrypted, in one transaction, or leaves nothing behind.

The envelope, the policy and the first megabyte of the file are checked before the rest is received. The raw bytes are
encrypted as they arrive; their decompressed bytes are only counted. The sealed keys are committed to the keyring
before the dataset is, so that no dataset is ever without its key.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from functools import partial
from typing import Any

from fastapi import Request
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection

from api_schemas.data.cards import About
from api_schemas.data.datasets import UNIONS, Budget, UploadMetadata
from api_schemas.strict_json import canonical_json
from formats.core.faults import Fault
from formats.core.inflate import Inflater
from formats.core.limits import Limits
from formats.sniffing import sniff
from service.access import idempotency
from service.access.auth import caller
from service.access.idempotency import Created, Earlier
from service.http.form import FormReader, PartHeaders
from service.http.pace import upload_pace
from service.http.parameters import identity_or_none
from service.http.parsing import read_json
from service.http.problems import LARGER_HIERARCHIES, Problem, fault, file_problem, invalid, request_faults
from service.jobs.submission import Along, Event, Work, new_policy, submit
from service.policies.dialects import check_dialect, place_of, sniffing_metadata
from service.policies.kinds import KINDS
from service.policies.policies import (
    AcceptedPolicy,
    accept_policy,
    check_columns,
    check_kind,
    check_references,
)
from service.releases.outbound import accept_steps
from service.releases.serializers import Json, dataset_answer, job_answer
from service.runtime.addresses import base_of
from service.runtime.quotas import Room, usage_before
from service.runtime.state import Service, service_of
from service.uploads.known_files import KnownFile, recognize
from service.uploads.parts import TakenFile, UploadForm, check_file, check_metadata, draft_dataset
from storage.accounts import ledger
from storage.blobs.intake import OriginalUpload
from storage.datasets import datasets
from storage.datasets.datasets import DatasetRecord
from storage.releases import cards
from storage.tenancy.tokens import Principal

_AFTER_METADATA = ("policy", "nodes", "file")
"""The other parts, in any order."""
_LISTED = "policy, nodes and file"
_FIRST_BYTES = 1 << 16
"""Bytes that must have arrived, unless the form is shorter, before an upload takes a place."""
_ENVELOPE_BYTES = 1 << 20
"""Limit on what boundaries and headers add to the parts."""


async def receive_upload(request: Request) -> Created:
    """Receive one upload and return the response."""
    service, principal = service_of(request), caller(request)
    key = idempotency.key_of(request)
    service.uploads.take(str(principal.token_id))
    declared, whose = _declared_length(request, service), str(principal.tenant_id)
    pace = upload_pace(service.settings, partial(service.sending.pressed, whose))
    reader = FormReader(request, pace)
    # A refused upload frees its place before the rest of the body is read.
    async with _drained(reader):
        # A sender gets a place once its first bytes are here; until then it has a place among senders of small bodies.
        async with service.sending.turn(whose):
            await reader.begin(_FIRST_BYTES)
        async with service.uploading.turn(whose):
            pace.pressed = partial(service.uploading.pressed, whose)
            base = partial(base_of, request)
            return await _Upload(service, principal, reader, key, declared, base).receive()


class _Upload:
    """One upload in progress."""

    def __init__(
        self,
        service: Service,
        principal: Principal,
        reader: FormReader,
        key: str | None,
        declared: int,
        base: Callable[[], str],
    ) -> None:
        self._service = service
        self._principal = principal
        self._tenant_id = principal.tenant_id
        self._reader = reader
        self._key = key
        self._declared = declared
        self._base = base
        self._room: Room

    async def receive(self) -> Created:
        async with self._service.reading() as connection:
            taken = await usage_before(self._service.settings, connection, self._tenant_id, self._declared)
        with self._service.under_way.room(self._tenant_id, taken.originals) as self._room:
            return await self._receive()

    async def _receive(self) -> Created:
        form = await self._metadata()
        part = await self._next(form)
        if part is not None and part.name == "policy":
            # Faults of a policy that comes early are found before a transaction begins.
            await self._policy(form)
            part = await self._next(form)
        async with self._service.intake.begin() as connection:
            earlier = await self._earlier(connection)
            if earlier is not None:
                return idempotency.replay(earlier, await self._fingerprint_of_rest(form, part))
            supersedes = await self._superseded(connection, form.metadata)
            await self._references(connection, form)
            await self._rest(connection, form, part)
            known = await self._known(connection, form, supersedes)
            created = await self._store(connection, form, supersedes, known)
            if self._key is not None:
                mark = self._fingerprint(form)
                await idempotency.remember(self._service, connection, self._tenant_id, self._key, mark, created)
        self._service.announcer.wake()
        return created

    async def _metadata(self) -> UploadForm:
        part = await self._reader.next_part()
        if part is None or part.name != "metadata":
            raise invalid("invalid-upload", "/metadata", "must be the first part")
        document = await self._json("metadata")
        try:
            metadata = UploadMetadata.model_validate(document, strict=True)
        except ValidationError as error:
            faults = [
                fault("/metadata" + found["pointer"], found["detail"])
                for found in request_faults([{**each, "loc": _location(each["loc"])} for each in error.errors()])
            ]
            raise Problem("invalid-upload", f"{len(faults)} fault(s), see errors.", errors=faults) from None
        check_metadata(metadata)
        check_dialect(metadata)
        return UploadForm(metadata, document)

    async def _policy(self, form: UploadForm) -> None:
        form.policy_document = await self._json("policy")
        form.policy = await accept_policy(form.policy_document, self._tenant_id)
        check_kind(form.policy.policy, form.metadata.kind)

    async def _json(self, name: str) -> Any:
        settings = self._service.settings
        content = await self._reader.whole(name, settings.max_policy_bytes, LARGER_HIERARCHIES)
        return await read_json(content, settings.max_json_depth, str(self._tenant_id), f"/{name}")

    async def _next(self, form: UploadForm) -> PartHeaders | None:
        """The headers of the next part, which must be known and not repeated; None after the last."""
        part = await self._reader.next_part()
        if part is None:
            return None
        if part.name not in ("metadata", *_AFTER_METADATA):
            raise invalid("invalid-upload", "", f"has an unknown part; the parts are metadata, {_LISTED}")
        if part.name in form.came:
            raise invalid("invalid-upload", f"/{part.name}", "must be sent only once")
        form.came.add(part.name)
        return part

    async def _earlier(self, connection: AsyncConnection) -> Earlier | None:
        if self._key is None:
            return None
        return await idempotency.claim_key(self._service, connection, self._tenant_id, self._key)

    async def _superseded(self, connection: AsyncConnection, metadata: UploadMetadata) -> DatasetRecord | None:
        if metadata.supersedes is None:
            return None
        earlier_id = identity_or_none(metadata.supersedes)
        if earlier_id is None:
            raise invalid("invalid-upload", "/metadata/supersedes", "there is no such dataset")
        found = await connection.run_sync(datasets.get_dataset, self._tenant_id, earlier_id)
        if found is None:
            raise invalid("invalid-upload", "/metadata/supersedes", "there is no such dataset")
        if found.kind != metadata.kind:
            raise invalid("invalid-upload", "/metadata/supersedes", "is of another kind")
        await _check_budget(self._service, connection, found, metadata.budget)
        return found

    async def _rest(self, connection: AsyncConnection, form: UploadForm, part: PartHeaders | None) -> None:
        """Read the parts after the metadata (and an early policy), each checked as soon as possible.

        A file that comes before its policy is stored before the policy is known; if the policy is then refused, the
        transaction is rolled back.
        """
        while part is not None:
            if part.name == "policy":
                await self._policy(form)
                await self._references(connection, form)
            elif part.name == "nodes":
                await self._nodes(connection, form, part)
            else:
                known = sniffing_metadata(form.metadata, form.document)
                form.file = await self._take(connection, form.metadata.kind, known, part, form)
            part = await self._next(form)
        if form.file is None:
            raise invalid("invalid-upload", "/file", "is required")
        check_file(form, form.file.sniffed)

    async def _references(self, connection: AsyncConnection, form: UploadForm) -> None:
        if form.policy is not None:
            await check_references(connection, self._tenant_id, form.policy.public)

    async def _nodes(self, connection: AsyncConnection, form: UploadForm, part: PartHeaders) -> None:
        if not KINDS[form.metadata.kind].has_nodes:
            raise invalid("invalid-upload", "/nodes", "is only for graphs")
        form.nodes = await self._take(connection, "table", {}, part)
        if form.policy is not None and form.nodes.sniffed.columns is not None:
            check_columns(form.policy.policy, form.nodes.sniffed.columns[1:])

    async def _take(
        self,
        connection: AsyncConnection,
        kind: str,
        metadata: dict[str, Any],
        part: PartHeaders,
        form: UploadForm | None = None,
    ) -> TakenFile:
        try:
            return await self._take_sniffed(connection, kind, metadata, part, form)
        except Fault as error:
            for each in error.faults:
                each.pointer = None if each.pointer is None else place_of(each.pointer, metadata)
            raise file_problem(error, f"/{part.name}") from None

    async def _take_sniffed(
        self,
        connection: AsyncConnection,
        kind: str,
        metadata: dict[str, Any],
        part: PartHeaders,
        form: UploadForm | None,
    ) -> TakenFile:
        limits = Limits.of(self._service.settings)
        inflater, pieces = Inflater(limits), self._reader.content()
        raw, head, complete = await self._head(inflater, pieces)
        sniffed = await asyncio.to_thread(sniff, kind, metadata, part.file_name, head, complete, limits)
        # The nodes of a graph may follow, with other columns.
        if form is not None and (form.nodes is not None or not KINDS[kind].has_nodes):
            check_file(form, sniffed)
        digest = hashlib.sha256(raw)
        async with OriginalUpload(connection, self._service.public_key, self._tenant_id) as upload:
            self._room.take(len(raw))
            await upload.write(raw)
            async for piece in pieces:
                self._room.take(len(piece))
                inflater.feed(piece)
                digest.update(piece)
                await upload.write(piece)
            inflater.finish()
            stored = await upload.finish()
        return TakenFile(stored, sniffed, inflater.compression, digest.digest())

    async def _head(self, inflater: Inflater, pieces: AsyncIterator[bytes]) -> tuple[bytes, bytes, bool]:
        """The first megabyte, as it came and as it decompresses, and whether that is all."""
        wanted = self._service.settings.sniff_bytes
        raw, head = bytearray(), bytearray()
        while len(head) < wanted and len(raw) < 2 * wanted:
            piece = await anext(pieces, None)
            if piece is None:
                head += inflater.finish() or b""
                return bytes(raw), bytes(head), True
            raw += piece
            head += inflater.feed(piece)
        return bytes(raw), bytes(head[:wanted]), False

    async def _known(
        self, connection: AsyncConnection, form: UploadForm, supersedes: DatasetRecord | None
    ) -> KnownFile | None:
        """The digest that recognizes a later upload of the file, and the dataset that it is declared unrelated to."""
        if not self._service.settings.recognize_files:
            return None
        assert form.file is not None
        return await recognize(self._service, connection, self._tenant_id, form.metadata, form.file.digest, supersedes)

    async def _store(
        self, connection: AsyncConnection, form: UploadForm, supersedes: DatasetRecord | None, known: KnownFile | None
    ) -> Created:
        """Store the dataset and its first job, and return the response."""
        assert form.file is not None
        draft = draft_dataset(self._principal, form, form.file, supersedes, known)
        dataset = await connection.run_sync(datasets.create_dataset, self._service.release_key, draft)
        details = {"kind": dataset.kind, "format": dataset.format}
        if dataset.unrelated_to is not None:
            details["unrelated_to"] = str(dataset.unrelated_to)
        events = [Event("dataset.upload", dataset.id, details)]
        if form.metadata.about is not None:
            await self._keep_card(connection, dataset, form.metadata.about)
        if form.metadata.budget is not None and supersedes is None:
            budget = _granted(form.metadata.budget)
            account = (self._service.release_key, self._tenant_id, dataset.lineage_id, budget)
            await connection.run_sync(ledger.open_account, *account, fixed=True)
            events.append(Event("budget.open", dataset.lineage_id, {"micro_epsilon": budget}))
        originals = [taken.stored for taken in (form.nodes, form.file) if taken is not None]
        self._service.metrics.uploaded.inc(sum(original.size for original in originals))
        work = self._work(dataset, form.policy, await self._then(connection, form, dataset))
        job = await submit(self._service, connection, self._principal, work, Along(originals, events))
        if work.policy is None:
            return Created(201, dataset_answer(dataset), {"Location": f"/v1/datasets/{dataset.id}"})
        body = {"dataset": dataset_answer(dataset), "job": job_answer(job)}
        return Created(202, body, {"Location": f"/v1/jobs/{job.id}", "Retry-After": "1"})

    async def _keep_card(self, connection: AsyncConnection, dataset: DatasetRecord, about: About) -> None:
        content = about.model_dump(exclude_none=True)
        await connection.run_sync(cards.write_card, self._service.release_key, self._tenant_id, dataset.id, content)

    async def _then(self, connection: AsyncConnection, form: UploadForm, dataset: DatasetRecord) -> Json | None:
        """The steps after the release; a card in the metadata has been written by now."""
        then = form.metadata.then
        if then is not None and form.policy is None:
            raise invalid("invalid-upload", "/metadata/then", "needs a policy")
        return await accept_steps(self._service, connection, dataset, then, self._base, "/metadata/then")

    def _work(self, dataset: DatasetRecord, policy: AcceptedPolicy | None, then: Json | None) -> Work:
        if policy is None:
            return Work(dataset, "profile")
        return Work(dataset, policy=new_policy(self._service, self._principal, policy), then=then)

    def _fingerprint(self, form: UploadForm) -> bytes:
        assert form.file is not None
        parts = {"metadata": canonical_json(form.document), "file": form.file.digest}
        if form.policy_document is not None:
            parts["policy"] = canonical_json(form.policy_document)
        if form.nodes is not None:
            parts["nodes"] = form.nodes.digest
        return idempotency.fingerprint(self._service, self._tenant_id, "create_dataset", dict(sorted(parts.items())))

    async def _fingerprint_of_rest(self, form: UploadForm, part: PartHeaders | None) -> bytes:
        """Read the rest of a repeated request without storing it, and return the fingerprint."""
        parts = {"metadata": canonical_json(form.document)}
        if form.policy_document is not None:
            parts["policy"] = canonical_json(form.policy_document)
        while part is not None:
            if part.name == "policy":
                parts[part.name] = canonical_json(await self._json("policy"))
            else:
                parts[part.name] = await self._digest()
            part = await self._next(form)
        return idempotency.fingerprint(self._service, self._tenant_id, "create_dataset", dict(sorted(parts.items())))

    async def _digest(self) -> bytes:
        digest = hashlib.sha256()
        async for piece in self._reader.content():
            digest.update(piece)
        return digest.digest()


async def _check_budget(
    service: Service, connection: AsyncConnection, earlier: DatasetRecord, budget: Budget | None
) -> None:
    """Require the budget of the lineage's first version."""
    if budget is None:
        return
    account = await connection.run_sync(ledger.account_of, service.release_key, earlier.lineage_id)
    if account is None or account.total != _granted(budget):
        raise invalid("invalid-upload", "/metadata/budget", "is set with the first version and cannot change")


def _granted(budget: Budget) -> int:
    return ledger.granted_by(Decimal(str(budget.epsilon)))


def _declared_length(request: Request, service: Service) -> int:
    """The minimum number of file bytes that the request declares; 0 if it declares no length."""
    declared = request.headers.get("content-length", "")
    length = int(declared) if declared.isdigit() else 0
    beside = 2 * service.settings.max_policy_bytes + _ENVELOPE_BYTES
    if length > service.settings.max_bytes + beside:
        raise Problem("too-large", f"An upload may have at most {service.settings.max_bytes} bytes.")
    return max(length - beside, 0)


def _location(steps: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """The place of a fault, without the tag that follows the name of a union."""
    return ("body", *(step for place, step in enumerate(steps) if place != 1 or steps[0] not in UNIONS))


@asynccontextmanager
async def _drained(reader: FormReader) -> AsyncIterator[None]:
    """Keep reading for a while after a refusal, so that a client that is still sending receives it."""
    try:
        yield
    except Problem:
        await reader.drain()
        raise
