"""The chain of an exported audit trail, recomputed outside the service.

The export (``GET /v1/audit-events?format=jsonl``) has one JSON object per line: the anchors, which are signed heads
kept in a second database; the events in order, each with everything that its digest covers; and the current head,
signed. The digest of an event is the SHA-256 of a JSON list (tenant, number, time, actor, action, subject, details,
previous digest; keys sorted, no spaces, UTF-8), so a changed, removed or inserted event breaks the chain at its place
(Haber and Stornetta, "How to time-stamp a digital document", Journal of Cryptology, 1991). A chain that was cut off at
its end no longer reaches its anchors or its head. Signatures are Ed25519 over a short text.

Anyone who can rewrite the whole trail can also sign it with another key: pass the public keys that you know
(``--key``), or a signed head that you kept (``--head``), whose key then counts as known. A trail that fits itself, but
is signed by a key that is not known, is not called intact: its status is ``signer unknown``. The ``actor_name`` of an
event is for readers and not part of the digest.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from verifier.verdict.documents import object_in
from verifier.verdict.keys import SIGNER_UNKNOWN, unknown

_GENESIS = "00" * 32
_COVERED = ("tenant_id", "number", "at", "actor", "action", "subject", "details", "previous")
_SIGNED = ("tenant_id", "number", "digest", "public_key", "signature")


@dataclass(frozen=True)
class ChainVerdict:
    """Result of the check."""

    status: str
    """``intact``, ``signer unknown`` or ``broken``."""
    intact: bool
    """Whether the chain fits and every signature is by a known key."""
    events: int
    broken_at: int | None
    """Number of the first event that does not match the chain; None if all do."""
    head: str
    anchors: int
    public_keys: list[str]
    """Keys that signed anchors and head: compare them with the one that you know."""
    reasons: list[str]


class UnreadableTrail(ValueError):
    """The file is not an export of an audit trail."""


def verify_chain(
    lines: Iterable[str | bytes], keys: Collection[str] = (), kept: Mapping[str, Any] | None = None
) -> ChainVerdict:
    """Check every line of an export; ``keys`` are the only public keys to accept, ``kept`` an earlier signed head."""
    check = _Check(frozenset(keys))
    if kept is not None:
        check.keep(kept)
    for number, text in enumerate(lines, start=1):
        check.take(_object(number, text), number)
    return check.verdict()


@dataclass
class _Check:
    accepted: frozenset[str]
    """The keys to accept; empty if none is known."""
    vouched: frozenset[str] = frozenset()
    """The key of the head that was kept."""
    expected: int = 1
    previous: str = _GENESIS
    tenant: str | None = None
    events: int = 0
    known: dict[int, str] = field(default_factory=dict)
    """Digests that events must have, by number; an empty digest matches no event."""
    anchors: int = 0
    head: Mapping[str, Any] | None = None
    keys: set[str] = field(default_factory=set)
    faults: list[tuple[int, str]] = field(default_factory=list)

    def keep(self, kept: Mapping[str, Any]) -> None:
        if not _is_signed_head(kept):
            raise UnreadableTrail("the kept head is not a signed head")
        self._know(kept, "the head that was kept")
        self.vouched = frozenset(self.keys)

    def take(self, line: Mapping[str, Any], place: int) -> None:
        kind = line.get("line")
        if self.head is not None:
            raise UnreadableTrail(f"line {place} comes after the head, which is the last line")
        if kind == "event" and _is_event(line):
            self._take_event(line)
        # Anchors come first: which digest an event must have has to be known before the event is read.
        elif kind == "anchor" and self.events == 0 and _is_signed_head(line):
            self.anchors += 1
            self._know(line, f"anchor {line['number']}")
        elif kind == "head" and _is_signed_head(line):
            self.head = line
        else:
            raise UnreadableTrail(f"line {place} is not an anchor, event or head in its place")

    def _know(self, signed: Mapping[str, Any], name: str) -> None:
        number = signed["number"]
        self._same_tenant(signed, number)
        if not self._is_ours(signed):
            self.faults.append((number, f"{name} has no valid signature of an accepted key"))
        elif self.known.setdefault(number, signed["digest"]) != signed["digest"]:
            self.faults.append((number, f"{name} contradicts another one"))

    def _is_ours(self, signed: Mapping[str, Any]) -> bool:
        public_key = signed["public_key"]
        if public_key is None or not _is_signed(signed):
            return False
        self.keys.add(public_key)
        return not self.accepted or public_key.lower() in self.accepted

    def _same_tenant(self, line: Mapping[str, Any], number: int) -> None:
        if self.tenant is None:
            self.tenant = line["tenant_id"]
        if line["tenant_id"] != self.tenant:
            self.faults.append((number, "a line is another tenant's"))

    def _take_event(self, event: Mapping[str, Any]) -> None:
        number, digest = event["number"], event["digest"]
        self.events += 1
        self._same_tenant(event, number)
        if number != self.expected:
            self.faults.append((min(number, self.expected), f"event {self.expected} is missing or out of its place"))
        if event["previous"] != self.previous:
            self.faults.append((number, f"event {number} does not carry the digest of the one before"))
        if digest != _digest(event):
            self.faults.append((number, f"event {number} is not what its digest was made of"))
        # What is never popped was signed once and is not in the trail any more: the verdict asks for it.
        if self.known.pop(number, digest) != digest:
            self.faults.append((number, f"event {number} is not the one that was anchored"))
        # The chain goes on from what the event states, so that one changed event is one fault, not the fault of all
        # after it.
        self.expected, self.previous = number + 1, digest

    def verdict(self) -> ChainVerdict:
        beyond = [number for number in self.known if number >= self.expected]
        if beyond:
            self.faults.append((self.expected, f"the trail ends before event {max(beyond)}, which was anchored"))
        if self.head is None:
            self.faults.append((self.expected, "the export ends without a head: it was cut off"))
        else:
            self._check_head(self.head)
        first = min((number for number, _ in self.faults), default=None)
        reasons = [reason for _, reason in sorted(self.faults)]
        doubt = "" if self.faults else unknown(self.keys, self.accepted | self.vouched)
        status = "broken" if self.faults else SIGNER_UNKNOWN if doubt else "intact"
        return ChainVerdict(
            status,
            status == "intact",
            self.events,
            first,
            self.previous,
            self.anchors,
            sorted(self.keys),
            [*reasons[:20], *([doubt] if doubt else [])],
        )

    def _check_head(self, head: Mapping[str, Any]) -> None:
        self._same_tenant(head, self.expected)
        if (head["number"], head["digest"]) != (self.expected - 1, self.previous):
            self.faults.append((self.expected, "the head is not that of the last event"))
        elif not self._is_ours(head):
            self.faults.append((self.expected, "the head has no valid signature of an accepted key"))


def _object(place: int, text: str | bytes) -> Mapping[str, Any]:
    try:
        return object_in(text)
    except ValueError as error:
        raise UnreadableTrail(f"line {place} is {error}") from None


def _is_event(line: Mapping[str, Any]) -> bool:
    return all(name in line for name in _COVERED) and _is_numbered(line)


def _is_signed_head(line: Mapping[str, Any]) -> bool:
    return all(name in line for name in _SIGNED) and _is_numbered(line)


def _is_numbered(line: Mapping[str, Any]) -> bool:
    texts = (line["tenant_id"], line.get("digest"))
    return type(line["number"]) is int and all(isinstance(text, str) for text in texts)


def _digest(event: Mapping[str, Any]) -> str:
    covered = [event[name] for name in _COVERED]
    # Half of a surrogate pair has no strict UTF-8: a text with one must have a digest like any other, not end the
    # check.
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _is_signed(head: Mapping[str, Any]) -> bool:
    # The first line says what is signed: no signature for another purpose is ever one of a head.
    text = f"antifaz audit head 1\n{head['tenant_id']}\n{head['number']}\n{head['digest']}\n"
    return is_signed_text(head["public_key"], head["signature"], text)


def is_signed_text(public_key: Any, signature: Any, text: str) -> bool:
    """Whether a key, in hexadecimal, made this signature of a text."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(signature), text.encode())
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True
