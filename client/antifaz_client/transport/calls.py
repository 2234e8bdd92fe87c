"""Calls: one operation as a flow, with its errors, retries and idempotency key; and following a job to its end."""

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from urllib.parse import quote

from antifaz_client.errors import Corrupt, Problem, Unexpected, Unreachable
from antifaz_client.progress import Report, Stage
from antifaz_client.transport.flow import Answer, Call, Download, Flow, Pause
from antifaz_client.transport.forms import Form
from antifaz_client.transport.operations import CREATING, MADE, OPERATIONS

TRIES = 6
"""Number of attempts before a request fails."""
LONGEST_PAUSE = 60.0
WAIT_SECONDS = 20
TERMINAL = frozenset({"released", "assessed", "refused", "failed", "cancelled"})
_BUSY = (429, 503)
_DELETED = 204


def call(
    name: str,
    item_id: str | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    json: Any = None,
    form: Form | None = None,
    key: str | None = None,
) -> Flow[Answer]:
    """Send an operation until it is answered; raise `Problem` if the answer is one."""
    method, path = OPERATIONS[name]
    headers = {"Idempotency-Key": key or str(uuid.uuid4())} if name in CREATING else {}
    step = Call(method, _path(path, item_id), params or {}, json, form, headers)
    safe = (method in ("GET", "DELETE") or name in CREATING) and (form is None or form.repeatable)
    answer = yield from _sent(step, safe)
    raise_problem(answer)
    if method == "DELETE" and answer.status != _DELETED:
        raise Unexpected(f"the answer to {name} has the status {answer.status}")
    return answer


def _path(path: str, item_id: str | None) -> str:
    return path if item_id is None else path.replace("{id}", quote(item_id, safe=""))


def _sent(step: Call | Download, safe: bool) -> Flow[Answer]:
    """Send, and retry if that is safe: when the service asks for it, or when there was no answer."""
    for attempt in range(1, TRIES + 1):
        last = attempt == TRIES
        try:
            answer: Answer = yield step
        except Unreachable:
            if last or not safe:
                raise
            yield Pause(_backoff(attempt))
            continue
        wait = _asked_to_wait(answer)
        if wait is None or last or not safe:
            return answer
        yield Pause(wait)
    raise AssertionError("the last try returns or raises")


def _asked_to_wait(answer: Answer) -> float | None:
    """The seconds after which to retry the request; None if it is answered."""
    if answer.status in _BUSY or (answer.status == 409 and "retry-after" in answer.headers):
        return _asked_pause(answer)
    return None


def _asked_pause(answer: Answer) -> float:
    given = answer.headers.get("retry-after", "")
    return min(float(given) if given.isdigit() else 1.0, LONGEST_PAUSE)


def _backoff(attempt: int) -> float:
    return min(0.25 * 2.0**attempt, 10.0)


def raise_problem(answer: Answer) -> None:
    """Raise `Problem` unless the answer is a success. A redirect is none: nothing is sent to where it points."""
    if 200 <= answer.status < 300:
        return
    if answer.status < 400:
        raise Unexpected(f"the answer is a redirect ({answer.status})")
    try:
        document = json.loads(answer.body)
    except ValueError:
        document = None
    known = document if isinstance(document, dict) else {"title": "no problem document", "detail": ""}
    raise Problem(answer.status, known, answer.headers.get("x-request-id"))


def document(name: str, item_id: str | None = None, **more: Any) -> Flow[Any]:
    """The JSON document of an operation's answer."""
    answer = yield from call(name, item_id, **more)
    return document_in(answer, *(("items",) if name.startswith("list_") else MADE.get(name, ())))


def document_in(answer: Answer, *members: str) -> dict[str, Any]:
    """The JSON object of an answer; raise `Unexpected` if it is none, or has none of the given members.

    Otherwise a command that reached something else than the service, and created nothing, would look successful.
    """
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or (members and not found.keys() & set(members)):
        raise Unexpected(f"the answer (status {answer.status}) is not the document of an Antifaz")
    return found


def listed(name: str, limit: int | None, **filters: Any) -> Flow[list[dict[str, Any]]]:
    """All items of a list, page by page, or at most `limit`."""
    items: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        size = 100 if limit is None else min(100, limit - len(items))
        page = yield from document(name, params={**filters, "limit": size, "cursor": cursor})
        items += page["items"]
        cursor = page["next_cursor"]
        if cursor is None or (limit is not None and len(items) >= limit):
            return items


def followed(job_id: str, report: Report) -> Flow[dict[str, Any]]:
    """Follow a job to its end and report every change on the way."""
    while True:
        job: dict[str, Any] = yield from document("get_job", job_id, params={"wait": WAIT_SECONDS})
        ended = job["status"] in TERMINAL
        report(Stage(job["status"] if ended else job["stage"] or job["status"], 1.0 if ended else job["progress"]))
        if ended:
            return job


def advised(dataset_id: str) -> Flow[dict[str, Any]]:
    """The advice on a dataset, as soon as a worker has computed it."""
    while True:
        answer = yield from call("get_advice", dataset_id)
        found = document_in(answer)
        if answer.status != 202:
            return found
        yield Pause(_asked_pause(answer))


def previewed(asked: Mapping[str, Any]) -> Flow[dict[str, Any]]:
    """The preview of a hierarchy on a column, computed by a worker."""
    found: dict[str, Any] = yield from document("preview_hierarchy", json=asked)
    while found["status"] == "generating":
        yield Pause(1.0)
        found = yield from document("get_hierarchy", found["id"])
    return found


@dataclass
class DigestingSink:
    """Writes to a file, and computes the digest and the number of the bytes."""

    file: BinaryIO
    moved: Callable[[int], None] = lambda size: None
    size: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def restart(self) -> None:
        self.file.seek(0)
        self.file.truncate()
        self.size, self.digest = 0, hashlib.sha256()

    def write(self, piece: bytes, /) -> None:
        self.file.write(piece)
        self.digest.update(piece)
        self.size += len(piece)
        self.moved(len(piece))


def downloaded(release_id: str, artifact: Mapping[str, Any], sink: DigestingSink) -> Flow[None]:
    """Download an artifact; raise `Corrupt` if its length or digest is not the one that the release states."""
    name = f"{artifact['part']} ({artifact['format']}) of release {release_id}"
    params = {"format": artifact["format"], "part": artifact["part"]}
    path = _path(OPERATIONS["get_release_data"][1], release_id)
    yield from fetched(Download(path, params, sink, {"Accept-Encoding": "identity"}), sink, name, artifact["bytes"])
    if sink.size != artifact["bytes"]:
        raise Corrupt(name, f"{artifact['bytes']} bytes", f"{sink.size} bytes")
    if sink.digest.hexdigest() != artifact["sha256"]:
        raise Corrupt(name, f"SHA-256 {artifact['sha256']}", f"SHA-256 {sink.digest.hexdigest()}")


def bundled(release_id: str, sink: DigestingSink) -> Flow[None]:
    """Download the bundle of a release; it carries its own digests."""
    step = Download(_path(OPERATIONS["get_release_bundle"][1], release_id), {}, sink, {"Accept-Encoding": "identity"})
    yield from fetched(step, sink, f"the bundle of release {release_id}")


def fetched(step: Download, sink: DigestingSink, name: str, size: int | None = None) -> Flow[Answer]:
    """Download, and retry if the connection breaks; raise `Corrupt` if it breaks every time."""
    for attempt in range(1, TRIES + 1):
        sink.restart()
        try:
            answer = yield from _sent_once(step)
        except Unreachable:
            if attempt < TRIES:
                yield Pause(_backoff(attempt))
                continue
            if sink.size:
                raise Corrupt(name, f"{size} bytes" if size else "all bytes", f"{sink.size} bytes") from None
            raise
        raise_problem(answer)
        return answer
    raise AssertionError("the last try returns or raises")


def _sent_once(step: Download) -> Flow[Answer]:
    answer: Answer = yield step
    wait = _asked_to_wait(answer)
    if wait is not None:
        yield Pause(wait)
        answer = yield step
    return answer
