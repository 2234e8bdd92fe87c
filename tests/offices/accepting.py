"""Accepting: a file is read as the worker reads it, and what is proposed is run without an edit."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from antifaz.advice import advise
from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from formats.core.faults import Fault
from formats.core.format import Sniffed
from formats.core.limits import Limits
from formats.sniffing import sniff
from publication.kinds import PUBLISHERS
from publication.library import Release
from publication.source import Source
from storage.settings import Settings
from tests.offices.measuring import Exposed, exposed
from tests.offices.office import Office

LIMITS = Limits(**{name: Settings.model_fields[name].default for name in Limits.__dataclass_fields__})


@dataclass(frozen=True)
class Attempt:
    """The end of a file whose proposal was accepted."""

    released: bool
    exposed: Exposed | None
    """What the release shows of people; None if nothing was released."""
    misread: bool = False
    """Whether its letters were taken for others, as those of another encoding."""
    asked: str = ""
    """The question or refusal that stopped it, as a person reads it."""


@cache
def attempt(office: Office) -> Attempt:
    """Read, advise, protect, verify and measure."""
    try:
        return _published(office)
    except Fault as error:
        return Attempt(False, None, asked=f"file: {error.detail}")
    except InvalidDataset as error:
        return Attempt(False, None, asked=f"dataset: {error.column or ''} {error.detail}")
    except InvalidPolicy as error:
        return Attempt(False, None, asked=f"policy: {error.pointer} {error.detail}")
    except Infeasible as error:
        return Attempt(False, None, asked=_refusal([vars(reason) for reason in error.reasons]))


def _published(office: Office) -> Attempt:
    rng = np.random.default_rng(0)
    document = advise(reading(office), rng)["policy"]
    policy = parse_policy(document)
    found = _sniffed(office, policy.kind)
    checked = check(_read(office, policy.kind, found), policy)
    release = Release(document, policy, checked, protect(checked, policy, rng, key=bytes(32)))
    report = release.report(rng)
    if report["status"] == "refused":
        return Attempt(False, None, asked=_refusal(report["reasons"]))
    read_as = _mistaken(office, found.details.get("encoding"))
    return Attempt(True, exposed(office, release.artifacts(), read_as), read_as is not None)


def reading(office: Office) -> Dataset:
    """A file as a table, as the worker reads it."""
    return _read(office, "table", _sniffed(office, "table"))


def _sniffed(office: Office, kind: str) -> Sniffed:
    head = office.content[: 1 << 20]
    metadata = {"kind": kind, "name": office.name}
    return sniff(kind, metadata, office.file_name, head, head == office.content, LIMITS)


def _read(office: Office, kind: str, found: Sniffed) -> Dataset:
    source = Source(found.format, found.details, lambda: iter([office.content]))
    return PUBLISHERS[kind].read(source, LIMITS, None).dataset


def _mistaken(office: Office, encoding: str | None) -> str | None:
    """The encoding for which the file was taken, if its header does not survive it."""
    if not encoding or not office.encoding:
        return None
    text = "".join(office.header)
    kept = text.encode(office.encoding).decode(encoding, "replace").lstrip("\ufeff") == text
    return None if kept else encoding


def _refusal(reasons: list[dict]) -> str:
    return "; ".join(f"{reason['rule']}: {reason['detail']}" for reason in reasons)
