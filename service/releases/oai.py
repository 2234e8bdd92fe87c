"""OAI-PMH 2.0: the open catalog for archives and libraries, as records in Dublin Core.

Lagoze, Van de Sompel, Nelson and Warner, "The Open Archives Initiative Protocol for Metadata Harvesting", version 2.0.
Errors of the protocol are responses with status 200. A record that left the catalog stays listed as deleted, so that
harvesters learn of it. A resumption token contains everything it needs: no state is kept between two requests.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID
from xml.etree import ElementTree

from metadata.archives import OAI_DC, dublin_core, written
from metadata.facts import Facts
from storage.releases.listings import ListingRecord, Span
from storage.tenancy.tenants import TenantRecord

PAGE = 100
PREFIX = "oai_dc"
_OAI = "http://www.openarchives.org/OAI/2.0/"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_SECOND, _DAY = "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?", re.ASCII)
_LONGEST = 2_000
_ARGUMENTS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "Identify": (frozenset(), frozenset()),
    "ListMetadataFormats": (frozenset(), frozenset({"identifier"})),
    "ListSets": (frozenset(), frozenset({"resumptionToken"})),
    "GetRecord": (frozenset({"identifier", "metadataPrefix"}), frozenset()),
    "ListIdentifiers": (frozenset({"metadataPrefix"}), frozenset({"from", "until", "set", "resumptionToken"})),
    "ListRecords": (frozenset({"metadataPrefix"}), frozenset({"from", "until", "set", "resumptionToken"})),
}
"""By verb: required arguments and optional ones."""


class OaiError(Exception):
    """An error of the protocol."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


@dataclass(frozen=True)
class Asked:
    """A parsed request."""

    verb: str
    arguments: Mapping[str, str]
    span: Span = field(default_factory=Span)
    after: tuple[datetime, UUID] | None = None


def read_request(pairs: Sequence[tuple[str, str]]) -> Asked:
    """Parse a request, or raise an error of the protocol."""
    given = dict(pairs)
    verb = given.pop("verb", "")
    if verb not in _ARGUMENTS or [name for name, _ in pairs].count("verb") > 1:
        raise OaiError("badVerb", "The verb is missing, repeated or unknown.")
    needed, possible = _ARGUMENTS[verb]
    resumed = "resumptionToken" in given and "resumptionToken" in possible
    if len(given) + 1 != len(pairs) or not set(given) <= needed | possible or (resumed and len(given) > 1):
        raise OaiError("badArgument", "An argument is repeated, unknown, or not allowed with the others.")
    if any(len(value) > _LONGEST for value in given.values()) or (not resumed and not needed <= set(given)):
        raise OaiError("badArgument", f"The verb {verb} needs: {', '.join(sorted(needed)) or 'nothing'}.")
    if resumed:
        return _resumed(verb, given)
    if given.get("metadataPrefix", PREFIX) != PREFIX:
        raise OaiError("cannotDisseminateFormat", f"The only format is {PREFIX}.")
    return Asked(verb, given, _span(given))


def _span(given: Mapping[str, str]) -> Span:
    start, stop = given.get("from"), given.get("until")
    if start and stop and len(start) != len(stop):
        raise OaiError("badArgument", "from and until must have the same granularity.")
    first, last = _moment(start), _moment(stop)
    if first and last and first > last:
        raise OaiError("badArgument", "from is after until.")
    if last is not None and stop is not None:
        last += timedelta(seconds=1) if "T" in stop else timedelta(days=1)
    return Span(first, last, _tenant(given.get("set")))


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        if not _TIME.fullmatch(text):
            raise ValueError
        # The end of the last day of the calendar is not representable.
        return min(datetime.strptime(text, _SECOND if "T" in text else _DAY), datetime(9999, 12, 30)).replace(
            tzinfo=UTC
        )
    except ValueError:
        raise OaiError("badArgument", "A date is YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ.") from None


def _tenant(name: str | None) -> UUID | None:
    if name is None:
        return None
    try:
        return UUID(name)
    except ValueError:
        raise OaiError("noRecordsMatch", "There is no such set.") from None


def _resumed(verb: str, given: Mapping[str, str]) -> Asked:
    try:
        text = base64.urlsafe_b64decode(given["resumptionToken"].encode("ascii"))
        start, stop, tenant, at, last = json.loads(text)
        span = Span(_read(start), _read(stop), None if tenant is None else UUID(tenant))
        place = _read(at)
        if verb == "ListSets" or place is None:
            raise ValueError
        return Asked(verb, given, span, (place, UUID(last)))
    except (ValueError, TypeError, AttributeError, UnicodeError, binascii.Error, RecursionError):
        raise OaiError("badResumptionToken", "The token was not issued by this service.") from None


def _read(text: str | None) -> datetime | None:
    found = None if text is None else datetime.fromisoformat(text)
    if found is not None and found.tzinfo is None:
        raise ValueError
    return found


def _token(span: Span, last: ListingRecord) -> str:
    ends = [None if end is None else end.isoformat() for end in (span.start, span.stop)]
    tenant = None if span.tenant_id is None else str(span.tenant_id)
    content = [*ends, tenant, last.changed_at.isoformat(), str(last.release_id)]
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode()


@dataclass(frozen=True)
class Repository:
    """The service as a repository."""

    base: str
    email: str | None

    @property
    def address(self) -> str:
        """The address of the protocol."""
        return f"{self.base}/oai"

    @property
    def host(self) -> str:
        """The host in identifiers."""
        return urlsplit(self.base).hostname or "localhost"

    def identifier(self, release_id: UUID | str) -> str:
        """The identifier of a record."""
        return f"oai:{self.host}:{release_id}"

    def release_id(self, identifier: str) -> UUID:
        """The release that an identifier names."""
        scheme, _, name = identifier.rpartition(":")
        try:
            if scheme != f"oai:{self.host}":
                raise ValueError
            return UUID(name)
        except ValueError:
            raise OaiError("idDoesNotExist", "There is no such record.") from None


Element = ElementTree.Element


def answer(repository: Repository, at: datetime, arguments: Mapping[str, str], content: Element) -> bytes:
    """The response around its content."""
    ElementTree.register_namespace("", _OAI)
    schema = {f"{{{_XSI}}}schemaLocation": f"{_OAI} http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"}
    root = Element(_name("OAI-PMH"), schema)
    _add(root, "responseDate", at.astimezone(UTC).strftime(_SECOND))
    request = _add(root, "request", repository.address)
    code = content.get("code")
    for name, value in arguments.items() if code not in ("badVerb", "badArgument") else ():
        request.set(name, _printable(value))
    root.append(content)
    return written(root)


def error(problem: OaiError) -> Element:
    """An error as content."""
    element = Element(_name("error"), {"code": problem.code})
    element.text = str(problem)
    return element


def identify(repository: Repository, earliest: datetime) -> Element:
    """The description of the repository."""
    element = Element(_name("Identify"))
    for name, text in (
        ("repositoryName", "Antifaz open catalog"),
        ("baseURL", repository.address),
        ("protocolVersion", "2.0"),
        ("adminEmail", repository.email or f"postmaster@{repository.host}"),
        ("earliestDatestamp", earliest.astimezone(UTC).strftime(_SECOND)),
        ("deletedRecord", "persistent"),
        ("granularity", "YYYY-MM-DDThh:mm:ssZ"),
    ):
        _add(element, name, text)
    return element


def formats() -> Element:
    """The available metadata formats."""
    element = Element(_name("ListMetadataFormats"))
    only = _add(element, "metadataFormat")
    _add(only, "metadataPrefix", PREFIX)
    _add(only, "schema", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd")
    _add(only, "metadataNamespace", OAI_DC)
    return element


def sets(tenants: Sequence[TenantRecord]) -> Element:
    """Every tenant with public releases is a set."""
    if not tenants:
        raise OaiError("noSetHierarchy", "There are no sets yet.")
    element = Element(_name("ListSets"))
    for tenant in tenants:
        one = _add(element, "set")
        _add(one, "setSpec", str(tenant.id))
        _add(one, "setName", _printable(tenant.name))
    return element


def record(repository: Repository, listing: ListingRecord, facts: Facts | None) -> Element:
    """The content of a response with one record."""
    element = Element(_name("GetRecord"))
    element.append(_record(repository, listing, facts))
    return element


def records(
    repository: Repository, asked: Asked, found: Sequence[ListingRecord], facts: Mapping[UUID, Facts]
) -> Element:
    """A page of records or of their headers; one listing more than fits shows that there is a next page."""
    if not found:
        raise OaiError("noRecordsMatch", "No record changed in that period.")
    element, shown, whole = Element(_name(asked.verb)), found[:PAGE], asked.verb == "ListRecords"
    for listing in shown:
        # Rows that do not match their codes: neither served nor reported as deleted.
        if listing.changed or (whole and listing.release is not None and listing.release_id not in facts):
            continue
        one = _record(repository, listing, facts.get(listing.release_id)) if whole else _header(repository, listing)
        element.append(one)
    if len(found) > PAGE:
        _add(element, "resumptionToken", _token(asked.span, shown[-1]))
    elif asked.after is not None:
        _add(element, "resumptionToken")
    return element


def _record(repository: Repository, listing: ListingRecord, facts: Facts | None) -> Element:
    element = Element(_name("record"))
    element.append(_header(repository, listing))
    if facts is not None:
        _add(element, "metadata").append(dublin_core(facts))
    return element


def _header(repository: Repository, listing: ListingRecord) -> Element:
    header = Element(_name("header"), {} if listing.release is not None else {"status": "deleted"})
    _add(header, "identifier", repository.identifier(listing.release_id))
    _add(header, "datestamp", listing.changed_at.astimezone(UTC).strftime(_SECOND))
    _add(header, "setSpec", str(listing.tenant_id))
    return header


def _name(name: str) -> str:
    return f"{{{_OAI}}}{name}"


def _add(parent: Element, name: str, text: str | None = None) -> Any:
    element = ElementTree.SubElement(parent, _name(name))
    element.text = text
    return element


def _printable(text: str) -> str:
    """The text without characters that XML cannot contain."""
    return "".join(letter for letter in text if letter.isprintable() and letter not in "\ufffe\uffff")
